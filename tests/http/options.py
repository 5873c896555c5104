# SPDX-License-Identifier: GPL-2.0
"""Options of sources, and who is asked what."""
import ctypes
import importlib.util
import os

import cases
from server import Server
from world import BUILD, Environment, error_of


def part(world):
    server = Server({"/set": world.bytes})
    url = server.url("/set")
    for source, words in (("nonsense=1", "nonsense"), ("connections=0", "from 1 to 1024"),
                          ("connections=x", "not a number"), ("timeout", "value is missing"),
                          ("anonymous=1", "no value"), ("retries=-1", "not a number"),
                          ("header-file=/none/such", "/none/such")):
        world.refused(f"{source}: {words}", url, words, source=source)
    cases.result(server.count() == 0, "and nothing is asked for")
    for address, words in ("http://", "without a host"), ("http://a b/", "a space"):
        world.refused(f"{address}: {words}", address, words)
    server.fault = "broken"
    with Environment(DSFS_SOURCE="retries=0,backoff=1"):
        text = error_of(world.open, url, "")
        cases.result(server.count() == 1 and "500" in text, "DSFS_SOURCE", text)
        error_of(world.open, url, "retries=2")
        cases.result(server.count() == 4, "an option counts for more")
    with Environment(DSFS_SOURCE="nonsense"):
        world.refused("of a file, too, an option that there is not is refused", world.image,
                      "nonsense")
    behind(world)
    # The last one has less than what is asked for first.
    for name, data, words in (("that is empty", b"", "empty"),
                              ("that is cut short", world.bytes[:5000], "cut short"),
                              ("that is no image", b"no image", "not a DSFS image")):
        world.refused(f"an object {name}", Server({"/set": data}).url("/set"), words)
    older(world)


def doors(world):
    """A server and a file of the same image, by name"""
    return ("a server", Server({"/set": world.bytes}).url("/set")), ("a file", str(world.image))


def behind(world):
    """The same behind the address: by all doors, of a server and of a file"""
    kept = world.digest(world.image)
    right, other = f"sha256:{kept.partition(':')[2]}", f"sha256:{0:064x}"
    for name, where in doors(world):
        for digest in right, kept:
            world.reads(f"{name}: @{digest.partition(':')[0]}, the right one",
                        f"{where}@{digest}")
        world.refused(f"{name}: @sha256: of another", f"{where}@{other}",
                      f"digest kept: {kept}, expected: {other}")
        world.refused(f"{name}: it counts for more than the option", f"{where}@{other}",
                      f"expected: {other}", source=f"digest={right}")
        for bad in ("sha256:12", "sha256:" + "g" * 64, right + "0", f"{right},retries=1",
                    f"{other},digest={right}"):
            world.refused(f"{name}: @{bad[:12]} of {len(bad)} is no digest", f"{where}@{bad}",
                          "64 hexadecimal digits")
        for tool, *args in (("dsfs cat", "/large"), ("fsck.dsfs --no-data",)):
            good = world.tool(tool, f"{where}@{right}", *args)
            ended = world.tool(tool, f"{where}@{other}", *args)
            cases.result(not good[0] and ended[0] and f"digest kept: {kept}" in ended[2] and
                         (tool != "dsfs cat" or good[1] == world.files["large"]),
                         f"{name}: {tool} @sha256:", good[2], ended)
        ended = world.tool("dsfs-fuse", f"{where}@{other}", world.work)
        cases.result(ended[0] and f"digest kept: {kept}" in ended[2],
                     f"{name}: dsfs-fuse @sha256:", ended)
        if importlib.util.find_spec("fsspec"):
            import dsfs.fsspec
            image = dsfs.fsspec.DSFSFileSystem(fo=f"{where}@{right}")
            cases.result(image.cat("large") == world.files["large"], f"{name}: fsspec @sha256:")
    warmed(world, right, other)
    named(world, kept, other)


def warmed(world, right, other):
    url = Server({"/set": world.bytes}).url("/set")
    source = f"cache-size=1G,cache-dir={world.work / 'warmed'}"
    good = world.tool("dsfs", "warmup", "--quiet", f"--source={source}", f"{url}@{right}")
    bad = world.tool("dsfs", "warmup", "--quiet", f"--source={source}", f"{url}@{other}")
    cases.result(not good[0] and bad[0] == 1 and "expected: " + other in bad[2],
                 "dsfs warmup @sha256:", good, bad)


def named(world, kept, other):
    """A file that really has such a name"""
    path = world.work / f"set@{other}"
    path.write_bytes(world.bytes)
    cases.result(error_of(world.open, path) is None and world.digest(path) == kept,
                 "a file that has such a name is that file")
    world.refused("and one of a folder is no digest", f"{path}/none", "Not a directory")


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
