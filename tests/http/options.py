# SPDX-License-Identifier: GPL-2.0
"""Options of sources, and who is asked what."""
import ctypes
import importlib.util
import os

import cases
from server import Server
from world import BUILD, error_of, has


def part(world):
    server = Server({"/set": world.bytes})
    url = server.url("/set")
    for source, words in (("nonsense=1", "nonsense"), ("connections=0", "from 1 to 1024"),
                          ("connections=x", "not a number"), ("timeout", "value is missing"),
                          ("anonymous=1", "no value"), ("retries=-1", "not a number"),
                          ("header-file=/none/such", "/none/such")):
        has(f"{source}: {words}", error_of(world.open, url, source), words)
    cases.result(server.count() == 0, "and nothing is asked for")
    for address, words in ("http://", "without a host"), ("http://a b/", "a space"):
        has(f"{address}: {words}", error_of(world.open, address), words)
    os.environ["DSFS_SOURCE"] = "retries=0,backoff=1"
    server.fault = lambda request: "broken"
    text = error_of(world.open, url, "")
    cases.result(server.count() == 1 and "500" in text, "DSFS_SOURCE", text)
    error_of(world.open, url, "retries=2")
    cases.result(server.count() == 4, "an option counts for more")
    os.environ["DSFS_SOURCE"] = "nonsense"
    has("of a file, too, an option that there is not is refused",
        error_of(world.open, world.image), "nonsense")
    del os.environ["DSFS_SOURCE"]
    digests(world)
    behind(world)
    empty(world)
    small(world)
    older(world)


def digests(world):
    """The digest that an image keeps, of a server and of a file, by all doors"""
    url = Server({"/set": world.bytes}).url("/set")
    kept = world.tool("dump.dsfs", "--digest", world.image)[1].decode().strip()
    other = f"sha256:{0:064x}"
    for where in url, world.image:
        name = "a server" if where == url else "a file"
        cases.result(world.open(where, f"digest={kept}")["large"] == world.files["large"],
                     f"{name}: the right digest")
        has(f"{name}: another digest", error_of(world.open, where, f"digest={other}"),
            f"digest kept: {kept}, expected: {other}", "not the image that was asked for")
        for tool, *args in ("dump.dsfs", where), ("dsfs-fuse", where, world.work):
            option = "-o" if tool == "dsfs-fuse" else "--source"
            ended = world.tool(tool, *args, option, f"digest={other}")
            cases.result(ended[0] and f"digest kept: {kept}" in ended[2],
                         f"{name}: another digest, {tool}", ended)


def behind(world):
    """The same behind the address: by all doors, of a server and of a file"""
    url = Server({"/set": world.bytes}).url("/set")
    kept = world.tool("dump.dsfs", "--digest", world.image)[1].decode().strip()
    right, other = f"sha256:{kept.partition(':')[2]}", f"sha256:{0:064x}"
    for where in url, str(world.image):
        name = "a server" if where == url else "a file"
        for digest in right, kept:
            cases.result(world.open(f"{where}@{digest}")["large"] == world.files["large"],
                         f"{name}: @{digest.partition(':')[0]}, the right one")
        has(f"{name}: @sha256: of another", error_of(world.open, f"{where}@{other}"),
            f"digest kept: {kept}, expected: {other}")
        has(f"{name}: it counts for more than the option",
            error_of(world.open, f"{where}@{other}", f"digest={right}"), f"expected: {other}")
        for bad in ("sha256:12", "sha256:" + "g" * 64, right + "0", f"{right},retries=1",
                    f"{other},digest={right}"):
            has(f"{name}: @{bad[:12]} of {len(bad)} is no digest",
                error_of(world.open, f"{where}@{bad}"), "64 hexadecimal digits")
        for tool, *args in (("dump.dsfs", "--cat=/large"), ("fsck.dsfs", "--no-data")):
            good = world.tool(tool, *args, f"{where}@{right}")
            ended = world.tool(tool, *args, f"{where}@{other}")
            cases.result(not good[0] and ended[0] and f"digest kept: {kept}" in ended[2] and
                         (tool != "dump.dsfs" or good[1] == world.files["large"]),
                         f"{name}: {tool} @sha256:", good[2], ended)
        ended = world.tool("dsfs-fuse", f"{where}@{other}", world.work)
        cases.result(ended[0] and f"digest kept: {kept}" in ended[2],
                     f"{name}: dsfs-fuse @sha256:", ended)
        if importlib.util.find_spec("fsspec"):
            import dsfs.fsspec
            image = dsfs.fsspec.DSFSFileSystem(fo=f"{where}@{right}")
            cases.result(image.cat("large") == world.files["large"], f"{name}: fsspec @sha256:")
    warmed(world, url, right, other)
    named(world, kept, other)


def warmed(world, url, right, other):
    source = f"cache-size=1G,cache-dir={world.work / 'warmed'}"
    good = world.tool("dsfs", "warmup", "--quiet", f"--source={source}", f"{url}@{right}")
    bad = world.tool("dsfs", "warmup", "--quiet", f"--source={source}", f"{url}@{other}")
    cases.result(not good[0] and bad[0] == 1 and "expected: " + other in bad[2],
                 "dsfs warmup @sha256:", good, bad)


def named(world, kept, other):
    """A file that really has such a name"""
    path = world.work / f"set@{other}"
    path.write_bytes(world.bytes)
    text = error_of(world.open, path)
    ended = world.tool("dump.dsfs", "--digest", path)
    cases.result(text is None and ended[1].decode().strip() == kept,
                 "a file that has such a name is that file", text, ended)
    has("and one of a folder is no digest", error_of(world.open, f"{path}/none"),
        "Not a directory")


def empty(world):
    server = Server({"/set": b""})
    has("an empty object", error_of(world.open, server.url("/set")), "empty")


def small(world):
    """Less than what is asked for first"""
    server = Server({"/set": world.bytes[:5000]})
    has("an object that is cut short", error_of(world.open, server.url("/set")), "cut short")
    server = Server({"/set": b"no image"})
    has("an object that is no image", error_of(world.open, server.url("/set")), "not a DSFS image")


def older(world):
    """A program that was built before there was a source"""
    class Options(ctypes.Structure):
        _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                    ("offset", ctypes.c_uint64), ("length", ctypes.c_uint64),
                    ("generation", ctypes.c_uint64)]

    lib = ctypes.CDLL(str(BUILD / "libdsfs.so.0"))
    image = ctypes.c_void_p()
    given = Options(ctypes.sizeof(Options), 0, 0, 0, 1)
    ret = lib.dsfs_open(os.fsencode(world.image), ctypes.byref(given), ctypes.byref(image), None)
    cases.result(ret == 0, "options of the size that they had before", ret)
    given.size = 24
    bad = lib.dsfs_open(os.fsencode(world.image), ctypes.byref(given), ctypes.byref(image), None)
    cases.result(bad < 0, "no other size")
    lib.dsfs_close(image)
