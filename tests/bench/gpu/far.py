# SPDX-License-Identifier: GPL-2.0
"""far.py FILE PROCESSES MILLISECONDS - a server of one file on loopback, by ranges, that takes so
long for each request; it prints its port and ends with its standard input.

Processes share the port, since one of Python's serves some thousand requests a second.
"""
import os
import re
import socket
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    path_served, delay = "", 0.0

    def do_GET(self):
        time.sleep(self.delay)
        with open(self.path_served, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            first = int(wanted[1]) if wanted else 0
            last = min(int(wanted[2]) if wanted and wanted[2] else size - 1, size - 1)
            self.send_response(206 if wanted else 200)
            if wanted:
                self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
            self.send_header("Content-Length", str(last - first + 1))
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("ETag", f'"{size}"')
            self.end_headers()
            if self.command == "GET":
                self.wfile.flush()
                at = first
                while at <= last:
                    at += os.sendfile(self.connection.fileno(), file.fileno(), at, last + 1 - at)

    do_HEAD = do_GET

    def log_message(self, *_args):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = 1024

    def server_bind(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()


def main(path, processes, milliseconds):
    Handler.path_served, Handler.delay = path, float(milliseconds) / 1000
    first = Server(("127.0.0.1", 0), Handler)
    port = first.server_address[1]
    children = []
    for _ in range(int(processes) - 1):
        child = os.fork()
        if not child:
            first.socket.close()
            Server(("127.0.0.1", port), Handler).serve_forever()
        children.append(child)
    threading.Thread(target=first.serve_forever, daemon=True).start()
    print(port, flush=True)
    sys.stdin.read()
    for child in children:
        os.kill(child, 15)


if __name__ == "__main__":
    main(*sys.argv[1:])
