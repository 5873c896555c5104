# SPDX-License-Identifier: GPL-2.0
"""The cache on the node, by real tools and processes."""
import json
import os
import subprocess
import sys

import cases
from server import Server
from world import BUILD, QUICK, TOP, has, has_fuse, make



def kept_in(path):
    """A source with a cache there: with a limit, as without one the disk's room decides"""
    return f"{QUICK},cache-size=1G,cache-dir={path}"


def part(world):
    cache = world.work / "cache"
    server = Server({"/set": world.bytes})
    source = kept_in(cache)
    epochs(world, server, source)
    others(world, server, source)
    replaced(world, server, source)
    queries(world)
    refused(world, server, cache)
    mounted(world, source)
    warmed(world)
    noted(world)
    odd(world)


def asked_of(server):
    """How many requests there were since the last call"""
    asked = server.count()
    server.log.clear()
    return asked


NOTED = """
import os, resource, sys, warnings
import dsfs
resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    image = dsfs.Image(sys.argv[1], source=sys.argv[2])
print(len(image["large"]), *(warning.message for warning in caught))
"""


def noted(world):
    """What is not kept is said; and no limit of files ends a program that reads."""
    server = Server({"/set": world.bytes})
    source = kept_in(world.work / "limited")
    words = "nothing is kept in cache-dir, which cannot be written to"
    environment = {**os.environ, "PYTHONPATH": str(TOP / "userspace/python")}
    ended = subprocess.run([sys.executable, "-c", NOTED, server.url("/set"), source],
                           env=environment, capture_output=True, check=False, text=True)
    cases.result(ended.returncode == 0 and
                 ended.stdout.startswith(f"{len(world.files['large'])} {words}"),
                 "a limit of the size of files: Python is told that nothing is kept", ended)
    ended = subprocess.run(["bash", "-c", 'ulimit -f 200; exec "$@"', "-", BUILD / "dsfs", "cat",
                            "--source", source, server.url("/set"), "/large"],
                           capture_output=True, check=False)
    cases.result(ended.returncode == 0 and ended.stdout == world.files["large"] and
                 words.encode() in ended.stderr, "and dsfs cat reads on", ended.stderr)
    image = world.open(server.url("/set"), source)
    good = world.right(image)
    asked_of(server)
    cases.result(good and world.right(image) and asked_of(server) == 0,
                 "without the limit it is kept there")


def odd(world):
    """An address that is longer than the head of a file; a folder that cannot be made"""
    long = "/" + "a" * 5000
    server = Server({long: world.bytes})
    source = kept_in(world.work / "long")
    for turn in "is read", "is kept":
        image = world.open(server.url(long), source)
        image.load()
        server.log.clear()
        world.reads(f"an address of 5000 characters {turn}", image)
    cases.result(not server.log, "without a request", len(server.log))
    if os.geteuid():
        cases.skip("a disk that is read-only", "not root")
        return
    at = world.work / "readonly"
    at.mkdir()
    ended = subprocess.run(
        ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o ro none "$1" && shift && "$@"', "-", at,
         BUILD / "dsfs", "cat", f"--source=cache-dir={at}/none", server.url(long), "/large"],
        capture_output=True, check=False)
    cases.result(ended.stdout == world.files["large"] and b"cannot be written" in ended.stderr,
                 "a cache-dir that cannot be made, as the disk is read-only", ended.stderr)


def epochs(world, server, source):
    image = world.open(server.url("/set"), source)
    image.load()
    asked_of(server)
    cases.result(world.right(image), f"the first epoch: {asked_of(server)} requests")
    cases.result(world.right(image) and asked_of(server) == 0, "the second one has none")
    good = image.read_batch(list(world.files)) == list(world.files.values())
    cases.result(good and asked_of(server) == 0, "nor has a batch")
    image = world.open(server.url("/set"), source)
    image.load()
    good = world.right(image)
    asked = asked_of(server)
    cases.result(good and asked == 1, f"another job's has {asked}, which opens the image")


def others(world, server, source):
    """What one tool kept the next one finds."""
    asked_of(server)
    here = world.tool("dsfs digest --full", world.image)
    there = world.tool("dsfs digest --full", server.url("/set"), source=source)
    asked = asked_of(server)
    cases.result(here[:2] == there[:2] and asked <= 2, f"dsfs digest: {asked} requests",
                 there[2])
    ended = world.tool("fsck.dsfs", server.url("/set"), source=source)
    ended = world.tool("fsck.dsfs", server.url("/set"), source=source)
    cases.result(ended[0] == 0 and b"clean" in ended[1], "fsck.dsfs: clean", *ended[1:])


def replaced(world, server, source):
    """The same address and length with another ETag is another image."""
    server.objects["/set"], server.tags["/set"] = bytes(len(world.bytes)), '"two"'
    world.refused("another version of the object is not read from the cache",
                  server.url("/set"), "not a DSFS image", source=source)
    server.objects["/set"], server.tags["/set"] = world.bytes, '"one"'


def by_query(request):
    """The object is chosen by the first parameter of the query."""
    request.path += "?" + request.query.partition("&")[0]


def queries(world):
    """A query chooses an object, whose tag is its own; a signature chooses nothing."""
    images = {}
    for name in ("train", "valid"):
        (world.work / name).mkdir()
        (world.work / name / "set").write_text(name)
        make(world.work / f"{name}.dsfs", world.work / name)
        images[f"/get?id={name}"] = (world.work / f"{name}.dsfs").read_bytes()
    server = Server(images)
    server.fault = by_query
    source = kept_in(world.work / "queries")

    def read(query):
        return world.open(server.url("/get?" + query), source)["set"]

    found = [read("id=train"), read("id=valid"), read("id=train")]
    cases.result(found == [b"train", b"valid", b"train"],
                 "two objects of one path, length and tag", found)
    for name in ("X-Amz-Signature={0}&X-Amz-Date={0}", "AWSAccessKeyId=a&Expires={0}&Signature={0}",
                 "GoogleAccessId=a&Expires={0}&Signature={0}", "sv=2024&se={0}&sig={0}",
                 "Policy={0}&Signature={0}&Key-Pair-Id=a"):
        read("id=train&" + name.format(1))
        asked_of(server)
        found = read("id=train&" + name.format(2))
        cases.result(found == b"train" and asked_of(server) == 1, f"signed anew: {name}")
    read("id=train&Expires=1")
    asked_of(server)
    read("id=train&Expires=2")
    cases.result(asked_of(server) > 1, "what signs is what a scheme has that is used")
    secret = b"token=a-secret-word"
    read(f"id=train&{secret.decode()}")
    cases.result(not any(secret in path.read_bytes() for path in (world.work / "queries").iterdir()),
                 "a query is not written to the cache")
    server.objects["/get?id=train"] = images["/get?id=valid"]
    found = read("id=train")
    cases.result(found == b"valid", "another image of the same tag is not read from the cache",
                 found)


def refused(world, server, cache):
    url, there = server.url("/set"), f"cache-dir={cache}"
    for words, option in (("not keep or lru", "cache-policy=fifo"),
                          ("not a size", "cache-size=1X"), ("not from 1M", "cache-size=4096"),
                          ("not from 1M", "cache-size=9999999P"),
                          ("No such file", "cache-dir=/none/such")):
        world.refused(f"{option}: {words}", url, words, source=f"{there},{option}")
    world.refused("cache-size alone", url, "needs cache-dir", source="cache-size=1G")
    os.chmod(cache, 0o777)
    world.refused("a directory that others can write to is refused", url, "others can write",
                  str(cache), source=there)
    os.chmod(cache, 0o700)
    server.tags["/set"] = ""
    ended = world.tool("dsfs ls", url, source=there)
    cases.result(ended[0] == 0 and "nothing is kept" in ended[2],
                 "a server that does not tell the version: nothing is kept, which is said",
                 ended[2])


def mounted(world, source):
    where = world.work / "cached-mnt"
    if not has_fuse():
        cases.skip("dsfs-fuse with a cache", "not root, no /dev/fuse or no libfuse 3")
        return
    where.mkdir()
    server = Server({"/set": world.bytes})
    good, asked = True, []
    for _ in range(2):
        ended = world.tool("dsfs-fuse", "-o", source.replace("/cache", "/cache-fuse"),
                           server.url("/set"), where)
        good &= ended[0] == 0
        good &= all((where / path).read_bytes() == data for path, data in world.files.items())
        subprocess.run(["umount", where], check=True)
        asked.append(asked_of(server))
    cases.result(good and asked[1] == 1, f"dsfs-fuse: {asked[0]} requests, mounted again "
                 f"{asked[1]}", ended[2])


def warmup(world, server, name, *args):
    source = kept_in(world.work / name)
    ended = world.tool("dsfs", "warmup", "--json", f"--source={source}", server.url("/set"), *args)
    return source, ended, json.loads(ended[1] or "{}")


def warmed(world):
    server = Server({"/set": world.bytes})
    source, ended, said = warmup(world, server, "warm")
    asked = asked_of(server)
    image = world.open(server.url("/set"), source)
    cases.result(ended[0] == 0 and said["kept_bytes"] == said["bytes"] == len(world.bytes) and
                 asked < 10 and world.right(image) and asked_of(server) == 1,
                 f"dsfs warmup: {asked} requests bring all of it in", *ended)
    warmup(world, server, "warm")
    cases.result(asked_of(server) == 1, "again: none but the one that opens it")

    listed, by_list = world.work / "some", f"--filelist={world.work}/some"
    some = sorted(world.files)[:50]
    listed.write_text("".join(f"{path}\n" for path in some))
    source, ended, said = warmup(world, server, "warm-some", by_list)
    server.log.clear()
    wrong = world.wrong(world.open(server.url("/set"), source), some)
    asked = asked_of(server)
    cases.result(ended[0] == 0 and said["files_done"] == 50 and not wrong and asked == 1,
                 f"--filelist: its files cost none then: {asked}", *ended)
    for name, data, option, words in (
            ("a path that there is not", b"none/such\n", by_list, "none/such"),
            ("a list that is not there", b"", "--filelist=/none/such", "/none/such: cannot open")):
        listed.write_bytes(data)
        ended = warmup(world, server, "warm-some", option)[1]
        cases.result(ended[0] == 1 and words in ended[2], name, *ended)

    source, ended, said = warmup(world, server, "warm-small,cache-size=2M")
    cases.result(ended[0] == 0 and 0 < said["kept_bytes"] < 3 << 20,
                 "a cache that is too small: how much is there is said", *ended)
    ended = world.tool("dsfs", "warmup", server.url("/set"))
    has("without a cache", ended[2], "no cache to read it into")
    ended = world.tool("dsfs", "warmup", server.url("/set"), "/tmp")
    cases.result(ended[0] == 2 and "stands alone" in ended[2], "an address and a path", *ended)
