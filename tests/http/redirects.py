# SPDX-License-Identifier: GPL-2.0
"""Addresses that lead to others."""
import os
import shutil
import subprocess

import cases
from server import Server
from world import BUILD, Environment, certificate, error_of, has


def part(world):
    hub(world)
    at_sign(world)
    expired(world)
    nowhere(world)
    crt, key = certificate(world.work, "localhost", "DNS:localhost")
    downgrade(world, crt, key)
    certificates(world, crt, key)
    pinned(world, crt, key)


def two_servers(world):
    """One that leads to the other, which is called by another name"""
    store, front = Server({"/set": world.bytes}), Server({"/set": world.bytes})
    front.elsewhere = store.url("", "localhost")
    front.fault = "elsewhere"
    return front, store


def at_sign(world):
    """A server with a port leads to a name with an @: nobody typed a password."""
    store, front = Server({"/@b/set": world.bytes}), Server({"/set": world.bytes})
    front.elsewhere = store.url("/@b", "localhost")
    front.fault = "elsewhere"
    world.reads("a redirect to a name with an @", front.url("/set"), "retries=0")


def hub(world):
    """The first request finds the way, the others go there; credentials do not."""
    front, store = two_servers(world)
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
    server.fault = "signed"
    image = world.open(server.url("/set"), "backoff=1,connections=4")
    cases.result(not world.wrong(image) and server.signature > 5,
                 f"a signed address that expires is asked for again: {server.signature} times")


def nowhere(world):
    """404 where an address leads: it is asked for once more only if it led there before."""
    front, store = two_servers(world)
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


def downgrade(world, crt, key):
    plain = Server({"/set": world.bytes})
    server = Server({"/set": world.bytes}, tls=(crt, key))
    server.elsewhere = plain.url("")
    server.fault = "elsewhere"
    world.refused("https does not lead to http", server.url("/set", "localhost"), "from https",
                  source=f"cafile={crt}")
    cases.result(plain.count() == 0, "nothing is asked there")


def certificates(world, crt, key):
    server = Server({"/set": world.bytes}, tls=(crt, key))
    world.reads("https by a certificate that is trusted", server.url("/set", "localhost"),
                f"cafile={crt}")
    world.refused("one that is not", server.url("/set", "localhost"), "certificate")
    world.refused("one for another host", server.url("/set"), "certificate",
                  source=f"cafile={crt}")
    cases.result(server.count() == len([r for r in server.log if r.path == "/set"]) and
                 len(server.log) < 10, "and nothing was asked for")


def bundle_of_s3(world, crt, key, other):
    """The authorities of the AWS tools: a variable, a profile's, then those of all"""
    endpoint = Server({"/bucket/set": world.bytes}, tls=(crt, key)).url("", "localhost")
    address, source = "s3://bucket/set", f"retries=0,anonymous,s3-endpoint={endpoint}"
    config = world.work / "config-bundle"
    config.write_text(f"[default]\nca_bundle = {crt}\n")
    with Environment(AWS_CA_BUNDLE=str(crt), CURL_CA_BUNDLE=str(other)):
        world.reads("a certificate of AWS_CA_BUNDLE", address, source)
        world.refused("AWS_CA_BUNDLE is for S3", f"{endpoint}/bucket/set", "certificate", source="retries=0")
    with Environment(AWS_CONFIG_FILE=str(config), CURL_CA_BUNDLE=str(other)):
        world.reads("a certificate of ca_bundle", address, source)
        with Environment(AWS_CA_BUNDLE=str(other)):
            world.refused("AWS_CA_BUNDLE counts before ca_bundle", address, "certificate", source=source)


def pinned(world, crt, key):
    """One that the system trusts, by its file and its folder, and cafile does not"""
    url = Server({"/set": world.bytes}, tls=(crt, key)).url("/set", "localhost")
    other = certificate(world.work, "other", "DNS:localhost")[0]
    system = world.work / "certs"
    system.mkdir()
    for name in "ca-certificates.crt", "here.pem":
        shutil.copy(crt, system / name)
    subprocess.run(["openssl", "rehash", system], check=True, capture_output=True)
    for name, path in ("CURL_CA_BUNDLE", crt), ("REQUESTS_CA_BUNDLE", crt), \
                      ("SSL_CERT_FILE", crt), ("SSL_CERT_DIR", system):
        with Environment(**{name: str(path)}):
            world.reads(f"a certificate of {name}", url, "retries=0")
            world.refused(f"{name}, and cafile= counts", url, "certificate",
                          source=f"retries=0,cafile={other}")
    bundle_of_s3(world, crt, key, other)
    if os.geteuid():
        cases.skip("cafile", "not root")
        return
    for source, good in ("retries=0", True), (f"retries=0,cafile={other}", False):
        ended = subprocess.run(
            ["unshare", "-m", "sh", "-c", 'mount --bind "$1" /etc/ssl/certs && shift && "$@"', "-",
             system, BUILD / "dump.dsfs", f"--source={source}", url],
            capture_output=True, text=True, check=False)
        cases.result((not ended.returncode) == good and (good or "certificate" in ended.stderr),
                     f"a certificate of the system, {source[:16]}", ended)
