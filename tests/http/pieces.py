# SPDX-License-Identifier: GPL-2.0
"""Lists of pieces on servers: requests, the cache of the node, what is refused, S3."""
import hashlib
import json
import shutil
import subprocess

import cases
import sigv4
from cached import asked_of
from server import Server, flipped
from world import BUILD, QUICK, Environment, at_once, make


def put(image, folder):
    """The pieces of an image in a folder: no sample is larger than an eighth of one"""
    subprocess.run([BUILD / "dsfs", "pieces", "--size=1M", image, folder], check=True,
                   stdout=subprocess.DEVNULL)


def serve(folder, prefix="/sets"):
    return Server({f"{prefix}/{path.name}": path.read_bytes() for path in folder.iterdir()})


def part(world):
    folder = world.work / "pieces"
    put(world.image, folder)
    requests(world, folder)
    generations(world, folder)
    refused(world, folder)
    lists(world, folder)
    whole(world)
    by_s3(world, folder)


def opened(world, server, address, source=""):
    """An image with all of its metadata, and how many requests that took"""
    image = world.open(server.url(address), f"{QUICK},{source}")
    image.load()
    return image, asked_of(server)


def requests(world, folder):
    """What an open and a sample cost, beside the image as one object"""
    plain, server = Server({"/set": world.bytes}), serve(folder)
    one, first = opened(world, plain, "/set")
    many, second = opened(world, server, "/sets/set.list")
    cases.result(second <= first + 1, f"an open: {second} requests, {first} of one object")
    samples = [path for path in world.files if path != "large"]
    wrong = world.wrong(one, samples) + world.wrong(many, samples)
    counts = asked_of(plain), asked_of(server)
    # neighbours may come by one
    cases.result(not wrong and counts[1] <= len(samples),
                 f"{len(samples)} samples: {counts[1]} requests, {counts[0]} of one object", wrong)
    good = one.read_batch(samples) == many.read_batch(samples)
    counts = asked_of(plain), asked_of(server)
    cases.result(good, f"a batch: {counts[1]} requests, {counts[0]} of one object")
    world.reads("a file over the ends of pieces", many)
    text = world.tool("dsfs digest --full", server.url("/sets/set.list"))
    cases.result(text[:2] == world.tool("dsfs digest --full", world.image)[:2],
                 "dsfs digest: the image's", text)
    checked = world.tool("fsck.dsfs", server.url("/sets/set.list"))
    cases.result(checked[0] == 0, "fsck.dsfs", checked)


def generations(world, folder):
    """A generation finds in the node's cache what the one before has put there."""
    image, tree, out = world.work / "set.dsfs", world.work / "more", world.work / "published"
    shutil.copy(world.image, image)
    shutil.copytree(world.tree, tree)
    shutil.copytree(folder, out)
    (tree / "added.bin").write_bytes(b"added" * 1000)
    before = set(path.name for path in out.iterdir())
    subprocess.run([BUILD / "dsfs", "update", "-q", image, tree], check=True)
    put(image, out)
    new = set(path.name for path in out.iterdir()) - before
    cases.result(len(new) == 4, "a generation: data, metadata, a head and a list are new", new)
    server = serve(out)
    source = f"cache-size=1G,cache-dir={world.work}/cache-pieces"
    old, _count = opened(world, server, "/sets/set-1.list", source)
    good = world.right(old)
    asked_of(server)
    good &= world.right(old)
    cases.result(good and asked_of(server) == 0, "a second epoch has no request")
    _same, count = opened(world, server, "/sets/set-1.list", source)
    cases.result(count == 1, f"another job's has {count}, for the list")
    newer, count = opened(world, server, "/sets/set-2.list", source)
    good = world.right(newer)
    cases.result(good and asked_of(server) == 0, "all old samples of the next generation are there")
    cases.result(newer["added.bin"] == b"added" * 1000 and asked_of(server) == 1,
                 "and the new one is a request")
    other = Server({path.replace("/sets/", "/others/"): data
                    for path, data in server.objects.items()})
    away, _count = opened(world, other, "/others/set-1.list", source)
    good = world.right(away)
    cases.result(good and asked_of(other) > 100, "another folder's are not believed to be the same")


def refused(world, folder):
    """Pieces that are missing, cut short, exchanged, replaced; a list that is replaced"""
    names = [piece["name"] for piece in json.loads((folder / "set.list").read_text())["pieces"]]
    for what, change, *words in (
            ("a missing head", lambda o, at: o.pop(at(0)), "404", names[0][:12]),
            ("a head that is cut short", lambda o, at: o.update({at(0): o[at(0)][:5000]}),
             "not the 69632 bytes that the list says"),
            ("a head of others", lambda o, at: o.update({at(0): bytes(69632)}), "its SHA-256 is"),
            ("a list that is cut short", lambda o, at: o.update({"/sets/set.list":
             o["/sets/set.list"][:500]}), "list: no JSON")):
        server = serve(folder)
        change(server.objects, lambda i: f"/sets/{names[i]}")
        world.refused(what, server.url("/sets/set.list"), *words)
    server = serve(folder)
    image, _count = opened(world, server, "/sets/set.list")
    server.objects["/sets/set.list"] = b"{}"
    cases.result(world.right(image), "a list that is replaced: a reader keeps its own")
    data = f"/sets/{names[1]}"
    server.tags[data] = '"two"'
    text = [str(error) for error in read_all(world, image)]
    cases.result(text and all("replaced by another" in line and names[1][:12] in line for line in text),
                 "a piece that is replaced", text[:3])
    del server.objects[data]
    text = [str(error) for error in read_all(world, image)]
    cases.result(text and all(names[1][:12] in line for line in text), "a piece that is gone", text[:3])


def read_all(world, image):
    """The errors of all samples"""
    for path in world.files:
        try:
            image[path]
        except OSError as error:
            yield error


def lists(world, folder):
    """What stands behind an @, and an address with a query"""
    text = (folder / "set.list").read_bytes()
    server = serve(folder)
    url = server.url("/sets/set.list")
    world.reads("the SHA-256 of the list", f"{url}@sha256:{hashlib.sha256(text).hexdigest()}")
    world.reads("the digest of the image", f"{url}@{world.digest(world.image)}")
    world.refused("another one", f"{url}@sha256:{0:064x}", "not the image that was asked for")
    server.log.clear()
    world.reads("a query", f"{url}?token=1")
    cases.result(all(request.query == "token=1" for request in server.log) and
                 len(server.log) > 2, "a query is that of all pieces")
    server.elsewhere = serve(folder).url("")
    server.fault = "elsewhere"
    world.reads("pieces that each lead elsewhere", url)
    server = serve(folder)
    server.fault = "signed"
    world.reads("and by signatures that end", server.url("/sets/set.list"))


def whole(world):
    """verify=pieces: nothing of a piece is given before all of it has the SHA-256 of the list."""
    make(world.work / "bare.dsfs", world.tree, "--chunk-size=none")
    put(world.work / "bare.dsfs", world.work / "bare")
    server = serve(world.work / "bare")
    list_of = "/sets/bare.list"
    name = json.loads(server.objects[list_of])["pieces"][1]["name"]
    data, cache = f"/sets/{name}", world.work / "cache-whole"
    source = f"verify=pieces,cache-size=1G,cache-dir={cache}"
    good, server.objects[data] = server.objects[data], flipped(server.objects[data])
    cases.result(len(world.wrong(opened(world, server, list_of)[0])) == 1,
                 "a changed byte of an image without checksums is not noticed")
    image, _count = opened(world, server, list_of, source)
    server.log.clear()
    text = [str(error) for error in read_all(world, image)]
    cases.result(text and server.count(data) == 1 and all(
        f"piece {name}: verify=pieces: its SHA-256 is not" in line for line in text),
                 f"verify=pieces: {len(text)} samples are refused, by one request", text[:3])
    kept = b"".join(path.read_bytes() for path in cache.iterdir())
    cases.result(server.objects[data][9999:] not in kept, "and none of its bytes is left in the cache")
    server.objects[data] = good
    at_once(4, lambda _i: world.tool("dsfs digest", server.url(list_of), source=source))
    cases.result(server.count(data) == 2, "the right one: of four processes one brings it in",
                 server.count(data))
    other = Server({f"/others{path[5:]}": body for path, body in server.objects.items()})
    image, count = opened(world, other, "/others/bare.list", source)
    cases.result(world.right(image) and count == 1 and not asked_of(other),
                 "another folder's are the same")
    for path in cache.iterdir():
        # blocks and no entries
        path.write_bytes(path.read_bytes()[:12288] + bytes(path.stat().st_size - 12288))
    cases.result(world.right(image) and other.log, "what was damaged there comes in once more")
    text = world.tool("dsfs digest", server.url(list_of),
                      source=f"verify=pieces,cache-size=1M,cache-dir={world.work}/cache-small")[2]
    cases.result("no room for all of it" in text, "a cache without room for a piece", text)
    world.refused("one object", server.url(data), "this is no list of pieces", source=source)
    world.refused("without cache-dir", server.url(list_of), "verify: it needs cache-dir",
                  source="verify=pieces")


def by_s3(world, folder):
    """A bucket whose server checks what is signed"""
    server = serve(folder, "/bucket/sets")
    server.check = lambda request: sigv4.is_signed(request, {"AKID": ("s3cret", None)}, "here")
    with Environment(AWS_ACCESS_KEY_ID="AKID", AWS_SECRET_ACCESS_KEY="s3cret"):
        world.reads("by S3, each piece is signed for", "s3://bucket/sets/set.list",
                    f"{QUICK},s3-endpoint={server.url('')},s3-region=here")
