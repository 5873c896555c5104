# SPDX-License-Identifier: GPL-2.0
"""
A server of objects by ranges that does wrong when it is told to.

Server.fault is asked about each request, and answers with the name of a fault or None; each
fault is one function here, which speaks for itself on the connection.  All requests are kept
in Server.log.  Nothing here uses a library of HTTP, so that what is wrong is wrong as meant.
"""
import socket
import ssl
import struct
import threading
import time
import urllib.parse

REASONS = {200: "OK", 206: "Partial Content", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
           404: "Not Found", 412: "Precondition Failed", 416: "Range Not Satisfiable",
           429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}
# A stall ends when the client goes away, or when nobody else ended it.
STALL = 60


class Request:
    def __init__(self, head):
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _version = first.split(" ")
        self.path, _, self.query = self.target.partition("?")
        self.headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        self.range = None
        kind, _, span = self.headers.get("range", "").partition("=")
        if kind == "bytes":
            first, _, last = span.partition("-")
            self.range = int(first), int(last)
        self.at = time.monotonic()

    @property
    def key(self):
        return self.path, self.range


class Server:
    """objects	what there is: path to bytes; each has an ETag, in tags"""

    def __init__(self, objects=None, tls=None):
        self.objects = dict(objects or {})
        self.tags = {path: '"one"' for path in self.objects}
        self.fault = lambda request: None
        self.check = None
        self.elsewhere = None
        self.log = []
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*tls)
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, path, host="127.0.0.1"):
        return f"http{'s' if self.context else ''}://{host}:{self.port}{path}"

    def accept(self):
        while True:
            connection, _address = self.socket.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection:
                rest = b""
                while True:
                    while b"\r\n\r\n" not in rest:
                        more = connection.recv(65536)
                        if not more:
                            return
                        rest += more
                    head, _, rest = rest.partition(b"\r\n\r\n")
                    request = Request(head)
                    self.log.append(request)
                    name = self.fault(request)
                    if FAULTS[name](self, connection, request) == "close":
                        return
        except OSError:
            pass

    def count(self, path=None):
        return sum(path is None or request.path == path for request in self.log)


def answer(connection, status, body=b"", **headers):
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Something')}"]
    headers.setdefault("Content_Length", len(body))
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def part_of(server, request):
    """Bytes and headers of the right answer to a request of a range that there is."""
    data = server.objects[request.path]
    first, last = request.range
    last = min(last, len(data) - 1)
    return data[first:last + 1], {"ETag": server.tags[request.path],
                                  "Content_Range": f"bytes {first}-{last}/{len(data)}"}


def right(server, connection, request):
    if server.check and not server.check(request):
        return answer(connection, 403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
    if request.path not in server.objects:
        return answer(connection, 404, b"nothing")
    wanted = request.headers.get("if-match")
    if wanted and wanted != server.tags[request.path]:
        return answer(connection, 412)
    if request.range[0] >= len(server.objects[request.path]):
        return answer(connection, 416)
    body, headers = part_of(server, request)
    return answer(connection, 206, body, **headers)


def too_many(_server, connection, _request):
    answer(connection, 429, b"slow down")


def busy(_server, connection, _request):
    answer(connection, 503, b"<Error><Code>SlowDown</Code></Error>", Retry_After="0")


def broken(_server, connection, _request):
    answer(connection, 500, b"x" * 100000)


def reset(_server, connection, _request):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return "close"


def cut(server, connection, request):
    body, headers = part_of(server, request)
    answer(connection, 206, body[:len(body) // 2], Content_Length=len(body), **headers)
    return "close"


def ignores_range(server, connection, request):
    data = server.objects[request.path]
    answer(connection, 200, data, ETag=server.tags[request.path])


def told_as(server, connection, request, first, last, size=None):
    """The bytes that were asked for, or the first of them, said to be others."""
    body, headers = part_of(server, request)
    headers["Content_Range"] = f"bytes {first}-{last}/{len(server.objects[request.path])}"
    answer(connection, 206, body[:size], **headers)


def other_range(server, connection, request):
    first, last = request.range
    told_as(server, connection, request, first + 1, last + 1)


def begins_early(server, connection, request):
    first, last = request.range
    told_as(server, connection, request, first - 1 if first else 1, last)


def short_range(server, connection, request):
    first = request.range[0]
    told_as(server, connection, request, first, first, 1)


def stall(server, connection, request):
    body, headers = part_of(server, request)
    answer(connection, 206, body[:1], Content_Length=len(body), **headers)
    connection.settimeout(STALL)
    connection.recv(1)
    return "close"


def wrong_bytes(server, connection, request):
    body, headers = part_of(server, request)
    at = len(body) // 2
    body = body[:at] + bytes([body[at] ^ 0x10]) + body[at + 1:]
    answer(connection, 206, body, **headers)


def packed(server, connection, request):
    body, headers = part_of(server, request)
    answer(connection, 206, body, Content_Encoding="gzip", **headers)


def replaced(server, connection, request):
    """One that knows nothing of If-Match"""
    body, headers = part_of(server, request)
    headers["ETag"] = '"two"'
    answer(connection, 206, bytes(len(body)), **headers)


def no_tag(server, connection, request):
    body, headers = part_of(server, request)
    del headers["ETag"]
    answer(connection, 206, bytes(len(body)), **headers)


def loop(server, connection, request):
    answer(connection, 302, Location=request.path + "?again")


def elsewhere(server, connection, request):
    answer(connection, 302, Location=server.elsewhere + request.path)


def signed(server, connection, request):
    """As a hub: the address leads to one with a signature, which is good for a while."""
    good = urllib.parse.parse_qs(request.query).get("signature")
    if not good:
        server.signature = getattr(server, "signature", 0) + 1
        server.uses = 0
        return answer(connection, 302, Location=f"{request.path}?signature={server.signature}")
    server.uses += 1
    if good != [str(server.signature)] or server.uses > 20:
        return answer(connection, 403, b"<Error><Code>ExpiredToken</Code></Error>")
    return right(server, connection, request)


def forbidden(_server, connection, _request):
    answer(connection, 403, b"<Error><Code>AccessDenied</Code></Error>")


FAULTS = {None: right}
FAULTS.update((function.__name__, function) for function in (
    too_many, busy, broken, reset, cut, ignores_range, other_range, begins_early, short_range, stall,
    wrong_bytes, packed, replaced, no_tag, loop, elsewhere, signed, forbidden))

# What passes: the next answer to the same request may be right.
PASSING = ("too_many", "busy", "broken", "reset", "cut", "ignores_range", "other_range",
           "begins_early", "short_range", "wrong_bytes", "packed", "no_tag")
