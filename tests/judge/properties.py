# SPDX-License-Identifier: GPL-2.0
"""
properties.py - what has to be true of every tree.

A property is a generator: it yields a line for each thing that is wrong, so that one run tells
of all of them.  Each gets a Tree, whose folder is removed when its properties are done.
"""
import gzip
import json
import lzma
import os
import random
import shutil
import subprocess

import images
import judges
import nodes
import writers
import written
from images import DSFS, DUMP, FSCK, MKFS, must


class Tree:
    """A tree, where it lies, and what was compared of it."""

    def __init__(self, seed, work, planted, count):
        self.rng = random.Random(f"how {seed}")
        self.work = work
        self.top = planted
        self.view = nodes.of_directory(planted)
        self.image = self.path("image")
        self.count = count      # what was compared -> how many objects
        self.notes = []         # what could not be compared, and why

    def path(self, name):
        return os.path.join(self.work, name)

    def clear(self, *names):
        for name in names:
            path = self.path(name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.unlink(path)

    def without_sockets(self):
        return {path: node for path, node in self.view.items() if node.type != "s"}

    def compared(self, what, objects):
        self.count[what] = self.count.get(what, 0) + objects


def compare(tree, what, want, get):
    """@get() is compared with @want; a tool or a judge that fails is a line, too."""
    try:
        got = get()
    except (images.Failed, judges.Refused, subprocess.TimeoutExpired) as e:
        yield f"{what}: {e}"
        return
    tree.compared(what, len(got))
    for line in nodes.differences(want, got):
        yield f"{what}: {line}"


def image(tree):
    """A tree, packed, is that tree, however it is read."""
    images.make(tree.image, tree.image, tree.top)
    yield from compare(tree, "image, digest --text", tree.view, lambda: images.view(tree.image))
    yield from compare(tree, "image, ls --json", tree.view,
                       lambda: images.json_listing(tree.image))
    if images.have_mount():
        yield from compare(tree, "image, dsfs-fuse", tree.view,
                           lambda: images.kernel_view(tree.image, tree.path("mnt")))


def text_time(ns):
    return f"{'-' if ns < 0 else ''}{abs(ns) // 10**9}.{abs(ns) % 10**9:09d}"


SIZES = ("64K", "1M", "4G")


def in_pieces(tree):
    """A tree is the same in pieces of any size, and so are a generation and the one before it,
    whose pieces it shares."""
    made, out = tree.path("made.dsfs"), tree.path("pieces")
    for size in SIZES:
        tree.clear("pieces")
        images.make(made, made, older(tree))
        lists = [f"{out}/made-{n}.list" for n in (1, 2)]
        images.pieces(made, out, size)
        want = [images.digest(made)]
        images.must(images.DSFS, "update", "-q", made, tree.top)
        new = images.pieces(made, out, size)
        want.append(images.digest(made))
        tree.compared("pieces", new)
        if [images.digest(name) for name in lists] != want:
            yield f"pieces of {size}: another digest than that of the image"
        yield from compare(tree, f"pieces of {size}", tree.view, lambda: images.view(lists[1]))
        images.must(images.FSCK, "-q", lists[1])


CODECS = ("zstd", "zstd:1", "zstd:19", "lz4", "auto")
CHUNKS = ((), ("--chunk-size=4K,small=none",), ("--chunk-size=4K,small=8K",),
          ("--chunk-size=8K,small=64K",), ("--chunk-size=small=1M,large=4K",))


def layout(tree, *options):
    """@options, and others that a tree must not depend on."""
    order = b"".join(path + b"\0" for path, node in sorted(tree.view.items(), reverse=True)
                     if node.type == "f")
    with open(tree.path("order"), "wb") as f:
        f.write(order)
    more = [("--memory=64K",), ("--order=" + tree.path("order"),), ("--no-dedup",),
            ("--align=512",), ("--align=object=64K",), ("--threads=1",)]
    return [*options, *(o for some in tree.rng.sample(more, 2) for o in some)]


def older(tree):
    """A tree that @tree may be an update of: a third of its files are others, or missing."""
    old = tree.path("old")
    tree.clear("old")
    must("cp", "-a", tree.top, old)
    files = [path for path, node in sorted(tree.view.items()) if node.type == "f"]
    for path in tree.rng.sample(files, len(files) // 3):
        at = os.path.join(os.fsencode(old), path)
        if not os.path.lexists(at):
            continue
        if tree.rng.random() < 0.5:
            os.unlink(at)
            continue
        with open(at, "ab") as f:
            f.write(b"more of it\n" * tree.rng.choice((1, 1000)))
    return old


def pieces(tree, what, at):
    """Of each file some bytes from its middle, which nothing has read before."""
    for path, node in tree.view.items():
        if node.type != "f" or not node.size:
            continue
        pos = tree.rng.randrange(node.size)
        read = []
        for top in (os.fsencode(tree.top), at):
            with open(os.path.join(top, path), "rb", buffering=0) as f:
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
                read.append(os.pread(f.fileno(), 5000, pos))
        tree.compared(what, 1)
        if read[0] != read[1]:
            yield f"{what}: {nodes.brief(path)}: other bytes at {pos}"


def stored_as(tree, what, first, second):
    """A tree is the same whatever is done with contents, however it is read; in an image that
    was made with @first, and in one that was updated with @second."""
    made, out = tree.path("made"), tree.path("out")
    images.make(made, *first, made, tree.top)
    if images.digest(made) != images.digest(tree.image):
        yield f"{what}: another digest"
    yield from compare(tree, what, tree.view, lambda: images.view(made))
    yield from compare(tree, f"{what}, ls --json", tree.view,
                       lambda: images.json_listing(made))
    must(DSFS, "extract", made, out)
    yield from compare(tree, f"{what}, extract", tree.view, lambda: nodes.of_directory(out))
    if images.have_mount():
        yield from compare(tree, f"{what}, dsfs-fuse", tree.view,
                           lambda: images.kernel_view(made, tree.path("mnt")))
        with images.mounted(made, tree.path("mnt"), "-o", "wholefile=0") as at:
            yield from pieces(tree, f"{what}, pieces by dsfs-fuse", os.fsencode(at))
    yield from updated(tree, what, first, second)
    tree.clear("made", "out", "order")


def updated(tree, what, first, second):
    """An update makes an older tree this one, and compaction keeps both."""
    made, packed, old = tree.path("updated"), tree.path("packed"), older(tree)
    before = nodes.of_directory(old)
    images.make(made, *first, made, old)
    must(DSFS, "update", "-q", *second, made, tree.top)
    must(DSFS, "compact", "-q", "--keep=2", made, packed)
    must(FSCK, "-q", made)
    for at, said in (made, f"{what}, updated"), (packed, f"{what}, compacted"):
        yield from compare(tree, said, tree.view, lambda at=at: images.view(at))
        yield from compare(tree, f"{said}, the generation before", before,
                           lambda at=at: images.view(at, "--generation=1"))
    tree.clear("updated", "packed", "old")


def told_with(options, lines):
    """@lines of what is wrong, each with the options that made the image."""
    return (f"{line} ({' '.join(map(os.path.basename, options))})" for line in lines)


def compressed(tree):
    """By any codec, all at once or added to files that are not compressed."""
    codec = f"--compress={tree.rng.choice(CODECS)}"
    first = layout(tree, codec, *tree.rng.choice(CHUNKS + (("--chunk-size=none",),)))
    second = [f"--compress={tree.rng.choice(CODECS)}"] * tree.rng.randrange(2)
    yield from told_with(first + second, stored_as(tree, "compressed", first, second))
    made = tree.path("made")
    images.make(made, codec, "--manifest=-", made, tree.top, input=own_json(tree.view, True),
                stdin=None)
    slots = json.loads(must(DUMP, "--json", made))["slots"]
    tree.compared("compressed images", slots[0]["incompat"] & 1)
    yield from compare(tree, f"{codec}, of a manifest", tree.view, lambda: images.view(made))
    tree.clear("made")


def small_chunks(tree):
    """With one checksum for a file that is small, whatever is small."""
    first = layout(tree, *tree.rng.choice([chunks for chunks in CHUNKS if chunks]))
    second = [f"--compress={tree.rng.choice(CODECS)}"] * tree.rng.randrange(2)
    yield from told_with(first + second, stored_as(tree, "small chunks", first, second))


NAMED = {"f": "file", "d": "dir", "l": "symlink", "c": "char", "b": "block", "p": "fifo",
         "s": "socket"}


def fields(path, node, first):
    """The fields of a manifest that describe @node; @first: its first name."""
    line = {"path": b"/" + path, "type": NAMED[node.type]}
    if path != first:
        return {**line, "type": "link", "target": b"/" + first}
    line.update(mode=f"{node.mode:04o}", uid=node.uid, gid=node.gid, mtime=text_time(node.mtime))
    if node.type == "f":
        line["source"] = path
    elif node.type == "l":
        line["target"] = node.value
    elif node.type in "cb":
        line["major"], line["minor"] = node.value
    return line


def objects(view):
    """Fields and attributes of all objects of a tree."""
    for path, node in sorted(view.items()):
        first = node.links[0]
        yield fields(path, node, first), node.xattrs if path == first else {}


def own_json(view, plain_ascii):
    """A manifest as Python's json writes it."""
    text = b""
    for line, xattrs in objects(view):
        line = {k: v.decode("utf-8", "surrogateescape") if isinstance(v, bytes) else v
                for k, v in line.items()}
        if xattrs:
            line["xattrs"] = {n.decode("utf-8", "surrogateescape"): v.hex()
                              for n, v in xattrs.items()}
        # a lone surrogate has no UTF-8, so such a line has to be ASCII
        try:
            out = json.dumps(line, ensure_ascii=plain_ascii).encode()
        except UnicodeEncodeError:
            out = json.dumps(line).encode()
        text += out + b"\n"
    return text


SHORT = {'"': '"', "\\": "\\", "/": "/", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


def odd_char(rng, c):
    """A character of a string, in one of the ways that JSON has for it."""
    raw = c.encode("utf-16-be", "surrogatepass")
    ways = ["".join(f"\\u{raw[i] << 8 | raw[i + 1]:04{rng.choice('xX')}}"
                    for i in range(0, len(raw), 2))]
    if c in SHORT:
        ways.append("\\" + SHORT[c])
    if c >= " " and c not in '"\\' and not "\ud800" <= c <= "\udfff":
        ways.append(c)
    return rng.choice(ways)


def odd_value(rng, value):
    """@value as JSON: members in any order, blanks between them, characters in any way."""
    if isinstance(value, dict):
        pairs = rng.sample(list(value.items()), len(value))
        return "{" + ",".join(rng.choice(("", " ", "\t")) + odd_value(rng, k) + " :" +
                              odd_value(rng, v) for k, v in pairs) + "}"
    if isinstance(value, str):
        return '"' + "".join(odd_char(rng, c) for c in value) + '"'
    return json.dumps(value)


def odd_json(rng, text):
    """The lines of a manifest, the same for a reader of JSON."""
    return b"".join(odd_value(rng, json.loads(line)).encode() + b"\n" for line in text.splitlines())


def of_manifest(text):
    """The view that the lines of `dsfs manifest` describe, by Python's json."""
    view, groups = {}, {}
    letter = {name: kind for kind, name in NAMED.items()}
    for line in text.splitlines():
        o = json.loads(line)
        path = images.plain(o["path"])[1:]
        if o["type"] == "link":
            groups[images.plain(o["target"])[1:]].append(path)
            continue
        kind = letter[o["type"]]
        groups[path] = [path]
        value = {"l": images.plain(o.get("target", "")), "f": None}.get(kind, b"")
        if kind in "cb":
            value = (o["major"], o["minor"])
        if kind == "f" and images.plain(o.get("source", o["path"][1:])) != path:
            raise images.Failed(f"source of {path!a} is {o['source']!a}")
        view[path] = nodes.Node(kind, int(o["mode"], 8), o["uid"], o["gid"],
                                nodes.nanoseconds(o["mtime"]), None, value, None,
                                {images.plain(n): bytes.fromhex(v)
                                 for n, v in o.get("xattrs", {}).items()})
    for first, names in groups.items():
        view.update({name: view[first] for name in names})
    return nodes.with_links(view, groups.values())


def manifest(tree):
    """A manifest is the tree again: that of dsfs manifest, and those that others write."""
    text = must(DSFS, "manifest", tree.image)
    yield from compare(tree, "manifest, by json.loads", tree.view, lambda: of_manifest(text))
    for what, lines in (
            ("--manifest of dsfs manifest", text),
            ("--manifest of json.dumps, ASCII", own_json(tree.view, True)),
            ("--manifest of json.dumps, UTF-8", own_json(tree.view, False)),
            ("--manifest in odd JSON", odd_json(random.Random(len(text)), text))):
        def remade(lines=lines):
            images.make(tree.path("remade"), "--manifest=-", tree.path("remade"), tree.top,
                        input=lines, stdin=None)
            return images.view(tree.path("remade"))
        yield from compare(tree, what, tree.view, remade)
    tree.clear("remade")


DEFAULT_ACL = bytes.fromhex("02000000" "01000700ffffffff" "02000700feff0000" "04000500ffffffff"
                            "10000700ffffffff" "20000500ffffffff")


def extract(tree):
    """dsfs extract restores the tree, wherever that is, and --resume what is missing of it."""
    def into(to, *options):
        must(DSFS, "extract", *options, tree.image, to)
        return nodes.of_directory(to)
    yield from compare(tree, "extract", tree.view, lambda: into(tree.path("out")))
    os.mkdir(tree.path("acl"))
    os.setxattr(tree.path("acl"), "system.posix_acl_default", DEFAULT_ACL)
    below = tree.path("acl/out")
    yield from compare(tree, "extract, below a default ACL", tree.view, lambda: into(below))
    os.mkdir(tree.path("acl/empty"))
    os.chmod(tree.path("acl/empty"), 0o755)
    yield from compare(tree, "extract, into a directory with a default ACL", tree.view,
                       lambda: into(tree.path("acl/empty")))
    some = [p for p, node in sorted(tree.view.items()) if node.type != "d" and len(node.links) == 1]
    for path in tree.rng.sample(some, len(some) // 3):
        if os.path.lexists(os.path.join(os.fsencode(below), path)):
            os.unlink(os.path.join(os.fsencode(below), path))
    yield from compare(tree, "extract --resume", tree.view, lambda: into(below, "--resume"))
    tree.clear("out", "acl")


def untouched(view):
    """@view as archives have it: no modes of links."""
    return {path: node._replace(mode=None) if node.type == "l" else node
            for path, node in view.items()}


def dumped(tree):
    """dsfs tar is read by others as the tree, and by mkfs.dsfs as the same image."""
    archive = tree.path("dumped.tar")
    with open(archive, "wb") as to:
        must(DSFS, "tar", tree.image, stdout=to)
    want = untouched(tree.without_sockets())
    for name, read, expected in (("GNU tar", judges.gnu, want), ("Python", judges.python, want),
                                 ("bsdtar", judges.bsd, judges.within_bsd(want))):
        if name == "bsdtar" and not all(map(judges.normal, want)):
            continue
        yield from compare(tree, f"dsfs tar, read by {name}", expected,
                           lambda read=read: read(archive, tree.path("x")))
        tree.clear("x")

    def again():
        images.make(tree.path("again"), f"--tar={archive}", tree.path("again"))
        return images.view(tree.path("again"))
    yield from compare(tree, "dsfs tar, read by mkfs.dsfs", tree.without_sockets(), again)
    tree.clear("again", "dumped.tar")


def dumped_shards(tree):
    """dsfs shards has each file under each of its names, for Python and for mkfs.dsfs."""
    want = {path: node._replace(mtime=node.mtime // 10**9 * 10**9, links=(path,), xattrs={})
            for path, node in tree.view.items() if node.type == "f"}
    if not want:
        return
    size = tree.rng.choice(("100K", "1G"))
    must(DSFS, "shards", f"--size={size}", tree.image, tree.path("shard"))
    paths = sorted(name for name in os.listdir(tree.work) if name.startswith("shard-"))

    def read():
        seen = {}
        for name in paths:
            seen.update(judges.python(tree.path(name), None))
        return {path: node for path, node in seen.items() if node.type != "d"}
    yield from compare(tree, "dsfs shards, read by Python", want, read)

    def again():
        images.make(tree.path("again"), "--wds=prefix", *[f"--tar={tree.path(n)}" for n in paths],
                    tree.path("again"))
        return {path: node for path, node in images.view(tree.path("again")).items()
                if node.type != "d"}
    yield from compare(tree, "dsfs shards, read by mkfs.dsfs", want, again)
    tree.clear("again", *paths)


def write(tree, writer, archive, names):
    """What the archive holds that @writer makes of these names."""
    if writer.family == "bsd":          # to its -T these are options
        names = [n for n in names if not n.startswith((b"-", b"@"))]
    writer.write(tree.top, names, archive, tree.rng.choice(("C", "C.UTF-8")))
    return judges.verdict(archive, writer.family, tree.path("x"))


def top_names(tree):
    return sorted(name for name in os.listdir(os.fsencode(tree.top)))


# bsdtar leaves the long name of a member that it could not write
NO_MEMBER = "no member behind it"


def handed(tree, archive):
    """How mkfs.dsfs gets an archive, one of several ways: (option, arguments of the run)."""
    way = tree.rng.choice(("file", "file", "pipe", "gzip", "xz"))
    if way == "file":
        return f"--tar={archive}", {}
    with open(archive, "rb") as f:
        data = f.read()
    if way == "gzip":
        data = gzip.compress(data, 1)
    elif way == "xz":
        data = lzma.compress(data, preset=0)
    return "--tar=-", {"input": data, "stdin": None}


def source_digest(tree, given, more):
    """What mkfs.dsfs -n says of a source without an image is what dump.dsfs says of that."""
    said = must(DSFS, "digest", "--full", given, **more)
    if said.split()[-1] != images.digest(tree.path("made")).split()[-1]:
        yield f"dsfs digest --full {given}: another digest than that of the image"


def archives(tree):
    """An archive of any writer is what its judges extract."""
    for writer in writers.present():
        archive = tree.path("a.tar")
        names = [b"."] if tree.rng.random() < 0.5 else top_names(tree)
        try:
            want = write(tree, writer, archive, names)
        except judges.Refused as e:
            tree.compared(f"{writer.name}: refused by its judge", 1)
            tree.notes.append(f"{writer.name}: {e}")
            continue

        try:
            given, more = handed(tree, archive)
            images.make(tree.path("made"), given, tree.path("made"), **more)
        except images.Failed as e:
            if writer.family == "bsd" and NO_MEMBER in str(e):
                tree.notes.append(f"{writer.name}: {e}")
            else:
                yield f"{writer.name}: {e}"
        else:
            yield from compare(tree, writer.name, want, lambda: images.view(tree.path("made")))
            yield from source_digest(tree, given, more)
        tree.clear("a.tar", "made")


def below(name, view):
    """@view in a directory, whose own attributes are not compared."""
    moved = {os.path.join(name, path): node for path, node in view.items() if path}
    moved = {path: node._replace(links=node.links and tuple(os.path.join(name, n)
                                                           for n in node.links))
             for path, node in moved.items()}
    return {name: nodes.Node("d"), **moved}


SHARDED = ("gnu tar, gnu", "gnu tar, ustar", "gnu tar, pax", "gnu tar, pax, sparse 1.0",
           "gnu tar, oldgnu, sparse", "python, pax", "python, gnu", "python, ustar", "bsdtar, pax",
           "bsdtar, ustar")
NO_HOLES = "hole"


def shards(tree):
    """Two shards: packed as directories, as one tree, and left in their place."""
    named = {w.name: w for w in writers.present()}
    writer = named[tree.rng.choice([name for name in SHARDED if name in named])]
    names = top_names(tree)
    tree.rng.shuffle(names)
    parts = {b"a": names[::2], b"b": names[1::2]}
    paths = {name: tree.path(f"{os.fsdecode(name)}.tar") for name in parts}
    try:
        wants = {name: write(tree, writer, paths[name], some) for name, some in parts.items()}
    except judges.Refused as e:
        tree.notes.append(f"shards, {writer.name}: {e}")
        return
    given = [f"--tar={path}" for path in paths.values()]
    apart = {b"": nodes.Node("d")}
    for name, want in wants.items():
        apart.update(below(name, want))

    def made(*options):
        images.make(tree.path("made"), *options, *given, tree.path("made"))
        return images.view(tree.path("made"))
    yield from compare(tree, f"--wds, {writer.name}", apart, lambda: made("--wds"))
    joined = {path: node for want in wants.values() for path, node in want.items()}
    yield from compare(tree, f"--wds=prefix, {writer.name}", joined, lambda: made("--wds=prefix"))
    yield from compare(tree, f"two --tar, {writer.name}", joined, made)
    yield from in_place(tree, writer, apart, paths, made)
    tree.clear("made", "a.tar", "b.tar")


def in_place(tree, writer, apart, paths, made):
    """--tar-index: the samples, and the archives byte for byte."""
    what = f"--tar-index, {writer.name}"
    try:
        got = made("--tar-index")
    except images.Failed as e:
        if "sparse" in writer.name and NO_HOLES in str(e):
            tree.compared("--tar-index: refused for a hole", 1)
        else:
            yield f"{what}: {e}"
        return
    tree.compared(what, len(got))
    samples = {path: node for path, node in got.items() if path.split(b"/")[0] != b"shards"}
    for line in nodes.differences(apart, samples):
        yield f"{what}: {line}"
    for name, path in paths.items():
        shard = f"/shards/{os.fsdecode(name)}.tar"
        with open(path, "rb") as f:
            if must(DSFS, "cat", tree.path("made"), shard) != f.read():
                yield f"{what}: {shard} is not the archive"


def by_hand(seed, work, count):
    """An archive written byte by byte: what GNU tar and Python agree on is in the image."""
    archive, made = work + "/a.tar", work + "/image"
    written.Archive(seed).write(archive)
    try:
        views = judges.gnu(archive, work + "/x"), judges.python(archive, None)
    except judges.Refused as e:
        count["written, refused by a judge"] = count.get("written, refused by a judge", 0) + 1
        yield from refused(archive, made, str(e))
        return
    images.make(made, f"--tar={archive}", made)
    got = images.view(made)
    want = judges.told(written.agreed(*views), views[1])
    count["written"] = count.get("written", 0) + len(want)
    for path in written.unknown(got, *views):
        yield f"{nodes.brief(path)}: from nowhere"
    yield from nodes.differences(want, {path: got[path] for path in want if path in got})
    for path in want.keys() - got.keys():
        yield f"{nodes.brief(path)}: lost"


def refused(archive, made, why):
    """What a judge refused may be refused, with a message, or be an image that is clean."""
    done = images.run(MKFS, "-q", "-f", f"--tar={archive}", made)
    if done.returncode == 0:
        must(images.FSCK, "-q", made)
    elif done.returncode != 1 or not done.stderr or os.path.lexists(made):
        yield f"{why}: mkfs.dsfs exits {done.returncode}: {nodes.brief(done.stderr)}"


ALL = image, in_pieces, compressed, small_chunks, manifest, extract, dumped, dumped_shards, archives, shards
