# SPDX-License-Identifier: GPL-2.0
"""
A server of objects by ranges that does wrong when it is told to.

Server.fault is the name of a fault, None, or a function that is asked about each request and
answers with one of them; each fault speaks for itself on the connection, by a function of
FAULTS.  All requests are kept in Server.log, and
connections counted.  Of a library of HTTP nothing is used but the
words for a status, so that what is wrong is wrong as meant.
"""
import http.client
import socket
import ssl
import struct
import threading
import urllib.parse

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

    @property
    def key(self):
        return self.path, self.range


class Server:
    """objects	what there is: path to bytes; each has an ETag, in tags"""

    def __init__(self, objects=None, tls=None):
        self.objects = dict(objects or {})
        self.tags = {path: '"one"' for path in self.objects}
        self.fault = None
        self.check = None
        self.elsewhere = None
        self.log = []
        self.accepted = 0
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
            self.accepted += 1
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
                        # the end, or somebody who tries TLS first
                        if not more or more.startswith(b"\x16\3"):
                            return
                        rest += more
                    head, _, rest = rest.partition(b"\r\n\r\n")
                    request = Request(head)
                    length = int(request.headers.get("content-length", 0))
                    while len(rest) < length:
                        rest += connection.recv(65536)
                    request.body, rest = rest[:length], rest[length:]
                    self.log.append(request)
                    fault = self.fault(request) if callable(self.fault) else self.fault
                    if FAULTS[fault](self, connection, request) == "close":
                        return
        except OSError:
            pass

    def count(self, path=None):
        return sum(path is None or request.path == path for request in self.log)


def answer(connection, status, body=b"", **headers):
    lines = [f"HTTP/1.1 {status} {http.client.responses[status]}"]
    headers.setdefault("Content_Length", len(body))
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()
              if value is not None]
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


def says(status, body=b"", **headers):
    """The same to all requests"""
    return lambda _server, connection, _request: answer(connection, status, body, **headers)


def reset(_server, connection, _request):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return "close"


def cut(server, connection, request):
    body, headers = part_of(server, request)
    answer(connection, 206, body[:len(body) // 2], Content_Length=len(body), **headers)
    return "close"


def stall(server, connection, request):
    body, headers = part_of(server, request)
    answer(connection, 206, body[:1], Content_Length=len(body), **headers)
    connection.settimeout(STALL)
    connection.recv(1)
    return "close"


def ignores_range(server, connection, request):
    data = server.objects[request.path]
    answer(connection, 200, data, ETag=server.tags[request.path])


def told_as(other, size=None):
    """The bytes that were asked for, or the first of them, said to be others"""
    def speak(server, connection, request):
        body, headers = part_of(server, request)
        first, last = other(*request.range)
        headers["Content_Range"] = f"bytes {first}-{last}/{len(server.objects[request.path])}"
        answer(connection, 206, body[:size], **headers)
    return speak


def changed(of, **more):
    """The right answer with another body, and other headers, or without those that are None"""
    def speak(server, connection, request):
        body, headers = part_of(server, request)
        answer(connection, 206, of(body), **{**headers, **more})
    return speak


def flipped(body):
    at = len(body) // 2
    return body[:at] + bytes([body[at] ^ 0x10]) + body[at + 1:]


def zeros(body):
    return bytes(len(body))


def loop(_server, connection, request):
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


# What passes: the next answer to the same request may be right.
PASSING = {
    "too_many": says(429, b"slow down"),
    "busy": says(503, b"<Error><Code>SlowDown</Code></Error>", Retry_After="0"),
    "broken": says(500, b"x" * 100000),
    "reset": reset,
    "cut": cut,
    "ignores_range": ignores_range,
    "other_range": told_as(lambda first, last: (first + 1, last + 1)),
    "begins_early": told_as(lambda first, last: (first - 1 if first else 1, last)),
    "short_range": told_as(lambda first, last: (first, first), 1),
    "wrong_bytes": changed(flipped),
    "packed": changed(bytes, Content_Encoding="gzip"),
    "no_tag": changed(zeros, ETag=None),
}
FAULTS = {
    None: right,
    **PASSING,
    "stall": stall,
    # of one that knows nothing of If-Match
    "replaced": changed(zeros, ETag='"two"'),
    "loop": loop,
    "elsewhere": elsewhere,
    "signed": signed,
    "forbidden": says(403, b"<Error><Code>AccessDenied</Code></Error>"),
}
