# SPDX-License-Identifier: GPL-2.0
"""Addresses that lead to others."""
import subprocess

import cases
from server import Server
from world import error_of, has


def part(world):
    hub(world)
    expired(world)
    nowhere(world)
    downgrade(world)
    certificates(world)


def hub(world):
    """The first request finds the way, the others go there; credentials do not."""
    store = Server({"/set": world.bytes})
    front = Server({"/set": world.bytes})
    front.elsewhere = store.url("", "localhost")
    front.fault = lambda request: "elsewhere"
    lines = world.work / "headers"
    lines.write_text("# of the hub\nAuthorization: Bearer secret\n")
    image = world.open(front.url("/set"), f"header-file={lines}")
    good = image["large"] == world.files["large"]
    cases.result(good and front.count() == 1 and store.count() > 2,
                 f"a redirect is asked for once: {front.count()} and {store.count()} requests")
    cases.result(all(request.headers.get("authorization") == "Bearer secret"
                     for request in front.log), "the header file is sent to the address")
    cases.result(not any("authorization" in request.headers for request in store.log),
                 "and not to where that leads")
    front.log.clear()
    store.log.clear()
    image = world.open(front.url("/set").replace("://", "://me:secret@"))
    good = image["large"] == world.files["large"]
    cases.result(good and all(request.headers["authorization"].startswith("Basic ")
                              for request in front.log) and
                 not any("authorization" in request.headers for request in store.log),
                 "nor are user and password")


def expired(world):
    server = Server({"/set": world.bytes})
    server.fault = lambda request: "signed"
    image = world.open(server.url("/set"), "backoff=1,connections=4")
    good = all(image[path] == data for path, data in world.files.items())
    cases.result(good and server.signature > 5,
                 f"a signed address that expires is asked for again: {server.signature} times")


def nowhere(world):
    """404 where an address leads: it is asked for once more only if it led there before."""
    store = Server({"/set": world.bytes})
    front = Server({"/set": world.bytes})
    front.elsewhere = store.url("", "localhost")
    front.fault = lambda request: "elsewhere"
    image = world.open(front.url("/set"), "backoff=1,retries=3")
    image.load()
    del store.objects["/set"]
    for what, function in ("later", lambda: image.read("large")), \
                          ("at once", lambda: world.open(front.url("/set"))):
        front.log.clear()
        store.log.clear()
        has(f"nothing where it leads, {what}", error_of(function), "404")
        ranges = {request.range for request in store.log}
        cases.result(front.count() == len(ranges) and store.count() <= 2 * len(ranges),
                     f"{what}: the address is asked once: {front.count()}, {store.count()} "
                     f"of {len(ranges)} ranges")


def make_certificate(world):
    key, crt = world.work / "key.pem", world.work / "crt.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", key, "-out", crt], check=True, capture_output=True)
    return crt, key


def downgrade(world):
    crt, key = make_certificate(world)
    plain = Server({"/set": world.bytes})
    server = Server({"/set": world.bytes}, tls=(crt, key))
    server.elsewhere = plain.url("")
    server.fault = lambda request: "elsewhere"
    text = error_of(world.open, server.url("/set", "localhost"), f"cafile={crt}")
    has("https does not lead to http", text, "from https")
    cases.result(plain.count() == 0, "nothing is asked there")


def certificates(world):
    crt, key = make_certificate(world)
    server = Server({"/set": world.bytes}, tls=(crt, key))
    image = world.open(server.url("/set", "localhost"), f"cafile={crt}")
    cases.result(image["large"] == world.files["large"], "https by a certificate that is trusted")
    has("one that is not", error_of(world.open, server.url("/set", "localhost")), "certificate")
    has("one for another host", error_of(world.open, server.url("/set"), f"cafile={crt}"),
        "certificate")
    cases.result(server.count() == len([r for r in server.log if r.path == "/set"]) and
                 len(server.log) < 10, "and nothing was asked for")
