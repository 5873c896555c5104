# SPDX-License-Identifier: GPL-2.0
"""far.py FILE PROCESSES MILLISECONDS - a server of one file on loopback, by ranges, that answers
each request so long after it came; it prints its port, for each line of its standard input how
many requests there were, and ends with that.

Processes share the port, since one of Python's serves some thousand requests a second.
"""
import asyncio
import mmap
import multiprocessing
import re
import sys


class Far(asyncio.Protocol):
    """A connection; @delay: in seconds, @count: of requests, of all processes"""
    data, delay, count, rest = b"", 0.0, None, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        *heads, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for head in heads:
            with self.count.get_lock():
                self.count.value += 1
            span = map(int, re.search(rb"bytes=(\d+)-(\d+)", head).groups())
            asyncio.get_running_loop().call_later(self.delay, self.answer, *span)

    def answer(self, first, last):
        body = self.data[first:last + 1]
        self.transport.write(b"HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\n"
                             b"Content-Length: %d\r\nContent-Range: bytes %d-%d/%d\r\n\r\n%b" %
                             (len(body), first, first + len(body) - 1, len(self.data), body))


def serve(port, to):
    async def run():
        server = await asyncio.get_running_loop().create_server(
            Far, "127.0.0.1", port, backlog=1024, reuse_port=True)
        to.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def main(path, processes, milliseconds):
    with open(path, "rb") as file:
        Far.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    Far.delay, Far.count = float(milliseconds) / 1000, multiprocessing.Value("Q", 0)
    here, there = multiprocessing.Pipe()
    port = 0
    for _ in range(int(processes)):
        multiprocessing.Process(target=serve, args=(port, there), daemon=True).start()
        port = here.recv()
    print(port, flush=True)
    for _ in sys.stdin:
        print(Far.count.value, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
