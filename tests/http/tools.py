# SPDX-License-Identifier: GPL-2.0
"""The tools and the Python package over a real nginx: the same bytes, and how many requests."""
import hashlib
import random
import shutil
import subprocess

import cases
from nginx import Nginx
from world import make

# A tool and its options in front of an image, and what is behind it
SAME = (("dsfs ls -lR",), ("dsfs ls -R --json",), ("dsfs info",), ("dsfs digest --full",),
        ("dump.dsfs --regions",), ("dsfs manifest",), ("dsfs tar",), ("dsfs cat", "/large"),
        ("dump.dsfs --extents=/holes",))


def part(world):
    if not shutil.which("nginx", path="/usr/sbin:/usr/bin"):
        cases.skip("nginx", "not installed")
        return
    server = Nginx(world.folder, world.work / "nginx")
    try:
        same_output(world, server)
        look(world, server)
        extract(world, server)
        check(world, server)
        samples(world, server)
        compressed(world, server)
        names(world)
    finally:
        server.stop()


def same_output(world, server):
    url = server.url("/set.dsfs")
    for name, *args in SAME:
        here = world.tool(name, world.image, *args)
        there = world.tool(name, url, *args)
        cases.result(here[0] == there[0] == 0 and here[1] == there[1] and here[1],
                     f"{name} says the same", there[2], there[1][:300])


def look(world, server):
    """The first look that pages show"""
    server.requests()
    ended = world.tool("dsfs ls -lR", server.url("/set.dsfs"))
    asked = server.requests()
    cases.result(ended[1].count(b"\n") > len(world.files) and len(asked) <= 6,
                 f"dsfs ls -lR: {len(asked)} requests", *asked[:10])


def extract(world, server):
    out = world.work / "extracted"
    ended = world.tool("dsfs extract", server.url("/set.dsfs"), out)
    same = subprocess.run(["diff", "-r", world.tree, out], capture_output=True, check=False)
    cases.result(ended[0] == 0 and same.returncode == 0, "dsfs extract: the same tree",
                 ended[2], same.stdout[:300])


def check(world, server):
    ended = world.tool("fsck.dsfs", "--digest", server.url("/set.dsfs"))
    cases.result(ended[0] == 0 and b"clean" in ended[1], "fsck.dsfs: clean", ended[1], ended[2])
    bad = bytearray(world.bytes)
    bad[len(bad) // 2] ^= 1
    (world.folder / "bad.dsfs").write_bytes(bad)
    here = world.tool("fsck.dsfs", world.folder / "bad.dsfs")
    there = world.tool("fsck.dsfs", server.url("/bad.dsfs"))
    said = here[2].replace(str(world.folder), server.url(""))
    cases.result(here[0] == there[0] == 4 and said == there[2],
                 "fsck.dsfs: the same of a damaged one", here[2], there[2])


def counted(server, name, good, count, word=""):
    """A case: what was read was good, by as many requests, of which each has the word."""
    asked = server.requests()
    cases.result(good and len(asked) == count and all(word in line for line in asked),
                 f"{name}: {len(asked)} request{'s' if count > 1 else ''}", *asked[:10])


def samples(world, server):
    """A sample is a request, once metadata is there."""
    server.requests()
    image = world.open(server.url("/set.dsfs"))
    image.load()
    opening = server.requests()
    cases.result(len(opening) <= 6, f"opened and loaded by few requests: {len(opening)}", *opening)
    listed = [image.stat(path) for path in image]
    cases.result(len(listed) == len(world.files) and not server.requests(),
                 "names and attributes cost none")
    paths = [path for path in world.files if path not in ("large", "twins/2")]
    random.Random(4).shuffle(paths)

    def batched(paths):
        return image.read_batch(paths) == [world.files[path] for path in paths]

    counted(server, f"{len(paths)} cold samples one by one", not world.wrong(image, paths),
            len(paths))
    batches = [paths[at:at + 64] for at in range(0, len(paths), 64)]
    counted(server, f"{len(paths)} cold samples in batches", all(map(batched, batches)),
            len(paths))
    image.will_need(paths[:50])
    counted(server, "50 that were announced", not world.wrong(image, paths[:50]), 50)
    counted(server, "contents that files share", batched(["twins/1", "twins/2", "twins/1"]), 1)
    good = image.pread("large", 10, 100000) == world.files["large"][100000:100010]
    counted(server, "a part of a file is a request of its chunk", good, 1, "bytes=")


def compressed(world, server):
    """A compressed sample is a request, too, and so is a part of a larger file."""
    tree, path = world.work / "text", world.folder / "text.dsfs"
    tree.mkdir()
    files = {f"{i}": b"".join(b"%d of %d\n" % (j, i) for j in range(200 + 40 * i))
             for i in range(50)}
    files["large"] = b"".join(b"line %d\n" % i for i in range(300000))
    for name, data in files.items():
        (tree / name).write_bytes(data)
    make(path, tree, "--compress=zstd")
    url = server.url("/text.dsfs")
    ended = world.tool("fsck.dsfs", "--digest", url)
    cases.result(ended[0] == 0, "fsck.dsfs: clean, of compressed files", ended[1], ended[2])
    here, there = (world.tool("dsfs tar", image)[1] for image in (path, url))
    cases.result(here and here == there, "dsfs tar: the same archive of compressed files")
    image = world.open(url)
    image.load()
    server.requests()
    good = image.pread("large", 70000, 1000000) == files["large"][1000000:1070000]
    counted(server, "a part of a compressed file", good, 1)
    small = sorted(name for name in files if name != "large")
    counted(server, f"{len(small)} cold compressed samples",
            image.read_batch(small) == [files[name] for name in small], len(small))
    good = all(image[name] == files[name] for name in small)
    asked = server.requests()
    cases.result(good and len(asked) < 10,
                 f"{len(small)} neighbours in their order: {len(asked)} requests", *asked)


def hashed(i, j):
    """A name that has no part of others"""
    return f"{i}/{hashlib.sha256(b'%d-%d' % (i, j)).hexdigest()}.jpg"


def names(world):
    """Opening does not ask for metadata piece by piece."""
    tree, folder = world.work / "many", world.work / "served-many"
    tree.mkdir()
    folder.mkdir()
    for i in range(140):
        (tree / str(i)).mkdir()
        for j in range(800):
            (tree / hashed(i, j)).touch()
    make(folder / "many.dsfs", tree)
    server = Nginx(folder, world.work / "nginx-many")
    try:
        image = world.open(server.url("/many.dsfs"))
        pieces = image.info.metadata_bytes / (256 << 10)
        found = sum(image.stat(path).st_size == 0 for path in image)
        asked = server.requests()
        cases.result(found == 112000 and len(asked) < pieces / 2,
                     f"112,000 names by {len(asked)} requests, where pieces of 256 KiB are "
                     f"{pieces:.0f}", *asked[:10])
        image = world.open(server.url("/many.dsfs"))
        draw = random.Random(5)
        for _ in range(300):
            i, j = draw.randrange(140), draw.randrange(800)
            image.stat(hashed(i, j))
        asked = server.requests()
        cases.result(len(asked) < pieces / 2, f"300 at random by {len(asked)} requests",
                     *asked[:10])
    finally:
        server.stop()
