# SPDX-License-Identifier: GPL-2.0
"""Servers, ways and files that are legal and unkind: what is asked for must get there, and end."""
import base64
import fcntl
import itertools
import os
import random
import signal
import socket
import subprocess
import termios
import threading

import cases
import sigv4
from server import FAULTS, Server, answer, part_of, says
from world import BUILD, Environment, at_once, error_of, has

TURNS = 10
THREADS = 8


def part(world):
    turns(world)
    heads(world)
    moved(world)
    header_files(world)
    region(world)
    proxy(world)
    resolver(world)
    passwords(world)


def passwords(world):
    """All characters that should have been written with a percent, of addresses and of proxies: no
    message has a part of one, and a proxy gets all of it."""
    draw, between, shown, lost = random.Random(43), Proxy(), [], []
    for i in range(300):
        parts = draw.sample(("qa1", "wb2", "ec3", "rd4"), 3)
        word = ("", "12/", "8@")[i % 3] + "".join(part + draw.choice("/?#@: []\\&=") for part in parts) + "tz5"
        address = f"http://me:{word}@127.0.0.1:1/set" + draw.choice(("", "?sig=qx9", "/a@b", "?a@qx9"))
        text = error_of(world.open, address, "retries=0")
        text += "" if i % 30 else world.tool("fsck.dsfs", address, source="retries=0")[2]
        with Environment(https_proxy=f"http://me:{word}@127.0.0.1:{between.port}",
                         HTTP_PROXY=f"http://me:{word}@127.0.0.1:1"):
            text += error_of(world.open, "http://host.invalid/set", "retries=0")
            text += error_of(world.open, "https://host.invalid/set", "retries=0")
        if any(part in text for part in (*parts, "tz5", "qx9", "12/")):
            shown.append((address, text))
        if base64.b64encode(f"me:{word}".encode()) not in between.heads[-1]:
            lost.append((word, between.heads[-1]))
    cases.result(not shown, "300 passwords: no message has a part of one", *shown[:5])
    cases.result(not lost, "and a proxy gets all of each", *lost[:5])
    world.refused("an address without a clear end of its password", "http://me:a/b@host/set",
                  "http://...", "write %40 %2F")


def turns(world):
    """One connection and many threads: nobody waits for the others to end.  A thread that gets
    no processor for a while is behind, and catches up while the others go on."""
    _server, image = world.served("connections=1,backoff=1")
    paths = [path for path, data in world.files.items() if 900 <= len(data) <= 65537]
    counts, lock = [0] * THREADS, threading.Lock()
    begin = threading.Barrier(THREADS)

    def work(i):
        begin.wait()
        for path in itertools.cycle(paths[i::THREADS]):
            with lock:
                if min(counts) >= TURNS or sum(counts) >= 50 * TURNS * THREADS:
                    return
            image.read(path)
            with lock:
                counts[i] += 1

    at_once(THREADS, work)
    cases.result(min(counts) >= TURNS, f"{THREADS} threads at one connection take turns", counts)


def long_redirect(server, connection, request):
    """As hubs send them: with a page that says the same"""
    answer(connection, 302, b"<p>Found.</p>" * 50000, Location=server.elsewhere + request.path)


def trailers(server, connection, request):
    body, headers = part_of(server, request)
    head = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    connection.sendall("\r\n".join(["HTTP/1.1 206 OK", "Transfer-Encoding: chunked",
                                    *head]).encode() + b"\r\n\r\n" +
                       b"%x\r\n%s\r\n0\r\n" % (len(body), body) +
                       b"Content-Range: bytes 0-1/2\r\nETag: \"other\"\r\n\r\n")


def endless(server, connection, request):
    """More bytes than a file can have"""
    body, headers = part_of(server, request)
    first, last = request.range
    headers["Content_Range"] = f"bytes {first}-{last}/{2**63}"
    answer(connection, 206, body, **headers)


def unranged(server, connection, request):
    """All of it, and a field of a range that is no part of such an answer"""
    answer(connection, 200, server.objects[request.path], ETag=server.tags[request.path],
           Content_Range="bytes 0-8/9")


FAULTS.update(
    long_redirect=long_redirect, trailers=trailers, endless=endless, unranged=unranged,
    elsewhere_region=says(301, b"<Error><Code>PermanentRedirect</Code></Error>",
                          x_amz_bucket_region="eu-far-9"))


def heads(world):
    store = Server({"/set": world.bytes})
    server = Server({"/set": world.bytes})
    server.elsewhere = store.url("")
    server.fault = "long_redirect"
    text = error_of(world.open, server.url("/set"))
    cases.result(text is None and store.count(), "a redirect with a long body is followed", text)
    server.fault = "trailers"
    text = error_of(lambda: world.open(server.url("/set")).load())
    cases.result(text is None, "what stands behind a body says nothing of it", text)
    server.fault = "endless"
    world.refused("a length of 2^63", server.url("/set"), "Content-Range",
                  source="backoff=1,retries=1")
    server = Server({"/set": world.bytes[:60000]})
    server.fault = "unranged"
    world.refused("a range that an answer of all has is none", server.url("/set"), "60,000 of")


def moved(world):
    """The address leads to another server, because the one that it led to fails."""
    server, first, second, third = (Server({"/set": world.bytes}) for _ in range(4))
    server.elsewhere = first.url("")
    server.fault = "elsewhere"
    image = world.open(server.url("/set"), "backoff=1,retries=2")
    image.load()
    first.fault = "reset"
    server.elsewhere = second.url("")
    text = error_of(image.read, "large")
    cases.result(text is None and second.count(), "a server that failed is not the only one", text)
    second.fault = "loop"
    error_of(image.read, "holes")
    server.elsewhere = third.url("")
    text = error_of(image.read, "holes")
    cases.result(text is None, "nor one that led nowhere", text)


def header_files(world):
    server = Server({"/set": world.bytes})
    token = ["one"]
    server.check = lambda request: request.headers.get("x-token") == token[0]
    before = os.getcwd()
    os.chdir(world.work)
    (world.work / "here").write_text("X-Token: one\n")
    image = world.open(server.url("/set"), "header-file=here,backoff=1")
    os.chdir("/")
    token[0] = "two"
    (world.work / "here").write_text("X-Token: two\n")
    world.reads("a header file is found from another directory", image)
    os.chdir(before)
    fifo(world, server, token)
    bad = world.work / "bad"
    bad.write_text("X-Token: two\ns3cret\n")
    text = world.refused("a line that is no header", server.url("/set"), "line 2",
                         source=f"header-file={bad}")
    cases.result("s3cret" not in text, "is not shown", text)
    for control in "\0", "\r", "\b":
        bad.write_text(f"X-Token: two\nX-More: {control}s3cret\n")
        world.refused(f"a line with {control!r}", server.url("/set"), "line 2",
                      source=f"header-file={bad}")
    bad.write_text("X-Token: " + "x" * 70000)
    world.refused("a header file that is too large", server.url("/set"), "File too large",
                  source=f"header-file={bad}")


def drained(fd):
    """Until all that was written to a pipe is read"""
    left = b"\1\0\0\0"
    while any(left):
        left = fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0")


def fifo(world, server, token):
    """What a shell makes of <(command): read to its end, and once"""
    pipe = world.work / "pipe"
    os.mkfifo(pipe)

    def write():
        fd = os.open(pipe, os.O_WRONLY)
        os.write(fd, b"X-Token: ")
        drained(fd)
        os.write(fd, b"two\n")
        os.close(fd)

    writer = threading.Thread(target=write)
    writer.start()
    opened = []
    text = error_of(lambda: opened.append(
        world.open(server.url("/set"), f"header-file={pipe},backoff=1,retries=1")))
    writer.join()
    cases.result(text is None, "a pipe is read to its end", text)
    token[0] = "three"
    reader = threading.Thread(target=lambda: opened.append(error_of(opened[0].read, "large")),
                              daemon=True)
    reader.start()
    reader.join(20)
    cases.result(not reader.is_alive() and opened[1:] and "403" in opened[1],
                 "and not waited for again", *opened[1:])


def region(world):
    server = Server({"/bucket/set": world.bytes})
    server.fault = "elsewhere_region"
    world.refused("a bucket of another region", "s3://bucket/set", "eu-far-9",
                  "PermanentRedirect", source=f"anonymous,s3-endpoint={server.url('')}")
    cases.result(server.count() == 2, "is followed once", server.count())
    keys = {"AKID": ("s3cret", None)}
    server.fault = lambda request: None if sigv4.is_signed(request, keys, "eu-far-9") else \
        "elsewhere_region"
    with Environment(AWS_ACCESS_KEY_ID="AKID", AWS_SECRET_ACCESS_KEY="s3cret"):
        world.reads("and requests are signed for that region", "s3://bucket/set",
                    f"s3-endpoint={server.url('')},s3-region=us-near-1")


class Proxy:
    """Refuses to CONNECT, and keeps what it was told."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heads = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _address = self.socket.accept()
            with connection:
                self.heads.append(connection.recv(65536))
                connection.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")


def proxy(world):
    between = Proxy()
    lines = world.work / "proxied"
    lines.write_text("Authorization: Bearer s3cret\n")
    with Environment(https_proxy=f"http://me:pass@127.0.0.1:{between.port}"):
        text = error_of(world.open, "https://me:s3cret@host.invalid/set",
                        f"backoff=1,retries=1,header-file={lines}")
    has(f"a proxy that refuses: {text}", text, "403")
    with Environment(https_proxy=f"http://me%00:pass@127.0.0.1:{between.port}"):
        zero = error_of(world.open, "https://host.invalid/set", "retries=0")
    has(f"a proxy whose user has a zero: {zero}", zero, "%00 in its user")
    cases.result(between.heads and not any(b"s3cret" in head or b"/set" in head
                                           for head in between.heads) and "pass" not in text,
                 "a proxy of https sees a host and no more", *between.heads[:1])


BLOCKED = r"""
#include <netdb.h>
#include <stdlib.h>
#include <unistd.h>
int getaddrinfo(const char *n, const char *s, const struct addrinfo *h, struct addrinfo **r)
{
	(void)n, (void)s, (void)h, (void)r;
	if (write(atoi(getenv("TOLD")), "", 1) == 1)
		for (;;)
			pause();
	return EAI_FAIL;
}
"""


def resolver(world):
    """A name that nobody answers for: ^C ends that, too."""
    library = world.work / "blocked.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], check=True,
                   input=BLOCKED.encode())
    told, tell = os.pipe()
    fsck = subprocess.Popen([BUILD / "fsck.dsfs", "--source", "timeout=1,retries=0",
                             "http://host.invalid/set"], pass_fds=[tell],
                            env={**os.environ, "LD_PRELOAD": str(library), "TOLD": str(tell)},
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.read(told, 1)
    try:
        text = fsck.communicate(timeout=30)[1]
    except subprocess.TimeoutExpired:
        fsck.send_signal(signal.SIGKILL)
        text = fsck.communicate()[1] + b"it hangs"
    os.close(told)
    os.close(tell)
    cases.result(fsck.returncode == 8 and b"hangs" not in text,
                 "a name that is not answered for: the timeout holds", text)
