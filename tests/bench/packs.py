#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
packs.py make FORM TREE OUT - the files of a tree in another form, in a folder OUT.
packs.py read FORM DIR SUBJECT SAMPLES - the rows of tests/bench/packs: so many of the files whose
names standard input has, from DIR, on the device /dev/b-SUBJECT.

Each form is read as its makers advise: an index is read at once, and bytes are copied once.  Of
WebDataset's shards 100 samples each are read in order, as a stream, and come out of a buffer that
shuffles them.
"""
import ctypes
import io
import itertools
import os
import random
import sys
import tarfile
import time
import zipfile
from pathlib import Path

SHARD = 100     # samples
AHEAD = 64


def walk(tree):
    for path in sorted(p for p in Path(tree).rglob("*") if p.is_file()):
        yield str(path.relative_to(tree)), path.read_bytes()


class Tree:
    """Files, by open(2) and read(2)"""
    def __init__(self, where):
        self.where = where

    def file(self, name):
        return open(f"{self.where}/{name}", "rb", buffering=0)

    def raw(self, name):
        with self.file(name) as f:
            return f.readall()

    def hint(self, name):
        fd = os.open(f"{self.where}/{name}", os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)
        os.close(fd)

    def samples(self, names):
        yield from names


class Packed(Tree):
    """What gives the bytes of a sample, and asks for none before"""
    hint = None

    def file(self, name):
        return io.BytesIO(self.raw(name))


class Pack(Packed):
    """One file, and an index of it"""
    def __init__(self, where):
        super().__init__(where)
        self.fd = os.open(where + "/data", os.O_RDONLY)
        os.posix_fadvise(self.fd, 0, 0, os.POSIX_FADV_RANDOM)
        with open(where + "/index", encoding="ascii") as index:
            fields = map(str.split, index)
            self.at = {name: (int(size), int(at)) for name, size, at in fields}

    def raw(self, name):
        return os.pread(self.fd, *self.at[name])

    def hint(self, name):
        size, at = self.at[name]
        os.posix_fadvise(self.fd, at, size, os.POSIX_FADV_WILLNEED)

    @staticmethod
    def make(tree, out):
        at = 0
        with open(out + "/data", "wb") as data, open(out + "/index", "w", encoding="ascii") as index:
            for name, content in walk(tree):
                data.write(content)
                print(name, len(content), at, file=index)
                at += len(content)


class Lmdb(Packed):
    def __init__(self, where):
        super().__init__(where)
        import lmdb
        self.get = lmdb.open(where + "/lmdb", subdir=False, readonly=True, lock=False).begin().get

    def raw(self, name):
        return self.get(name.encode())

    @staticmethod
    def make(tree, out):
        import lmdb
        with lmdb.open(out + "/lmdb", subdir=False, lock=False, map_size=1 << 32) as db:
            with db.begin(write=True) as to:
                for name, content in walk(tree):
                    to.put(name.encode(), content, append=True)


class Hdf5(Packed):
    def __init__(self, where):
        super().__init__(where)
        import h5py
        self.store = h5py.File(where + "/h5", "r")
        self.data, ends = self.store["data"], self.store["ends"][:].tolist()
        names = self.store["names"][()].decode().split("\n")
        self.at = dict(zip(names, zip([0] + ends, ends)))

    def raw(self, name):
        start, end = self.at[name]
        return self.data[start:end].tobytes()

    @staticmethod
    def make(tree, out):
        import h5py
        import numpy
        names, contents = zip(*walk(tree))
        with h5py.File(out + "/h5", "w") as to:
            to["data"] = numpy.frombuffer(b"".join(contents), dtype="u1")
            to["ends"] = list(itertools.accumulate(map(len, contents)))
            to["names"] = "\n".join(names)


class Zip(Packed):
    def __init__(self, where):
        super().__init__(where)
        self.raw = zipfile.ZipFile(where + "/zip").read

    @staticmethod
    def make(tree, out):
        with zipfile.ZipFile(out + "/zip", "w") as to:
            for name, content in walk(tree):
                to.writestr(name, content)


class Wds(Packed):
    content = b""

    def raw(self, name):
        return self.content

    def samples(self, names):
        """Of so many shards as the names are samples"""
        rng, buffer = random.Random(1), []
        shards = sorted(os.listdir(self.where))
        for shard in rng.sample([s for s in shards if s.endswith(".tar")], len(names) // SHARD):
            with tarfile.open(f"{self.where}/{shard}", "r|") as archive:
                for member in archive:
                    if member.name.endswith(".cls"):
                        continue
                    buffer.append((member.name, archive.extractfile(member).read()))
        rng.shuffle(buffer)
        for name, self.content in buffer:
            yield name

    @staticmethod
    def make(tree, out):
        samples = list(walk(tree))
        random.Random(1).shuffle(samples)
        for i in range(0, len(samples), SHARD):
            with tarfile.open(f"{out}/{i // SHARD:04d}.tar", "w") as to:
                for name, content in samples[i:i + SHARD]:
                    for suffix, value in ("", content), (".cls", name.encode()):
                        member = tarfile.TarInfo(name.replace("/", "_") + suffix)
                        member.size = len(value)
                        to.addfile(member, io.BytesIO(value))


class Loop:
    """An image of ext4 that is a file"""
    @staticmethod
    def make(image, out):
        os.link(image, out + "/image")


FORMS = {"tree": Tree, "pack": Pack, "lmdb": Lmdb, "hdf5": Hdf5, "zip": Zip, "wds": Wds}


def raw(form, name):
    return len(form.raw(name))


def pil(form, name):
    size = 0
    with form.file(name) as f:
        for piece in itertools.chain((4096, 61440), itertools.repeat(65536)):
            got = len(f.read(piece))
            size += got
            if got < piece:
                return size


def counts(subject):
    fields = Path(f"/sys/block/b-{subject}/stat").read_text(encoding="ascii").split()
    return time.monotonic_ns(), int(fields[0]), int(fields[2]) * 512


def ahead(reader, names):
    """The names, each of which was asked for AHEAD names before"""
    hints = iter(names)
    for name in itertools.islice(hints, AHEAD):
        reader.hint(name)
    for name in names:
        for coming in itertools.islice(hints, 1):
            reader.hint(coming)
        yield name


def drop_caches():
    Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")


def measure(what, subject, reader, one, names, count):
    before = counts(subject)
    size = sum(one(reader, name) for name in names)
    wall, requests, got = (b - a for a, b in zip(before, counts(subject)))
    row = f"row\t{what}\t{subject}"
    print(f"{row}\t{count * 1e9 / wall:.4g}\tsamples a second")
    if "cold" in what:
        print(f"{row}\t{requests / count:.3f}\trequests a sample")
        print(f"{row}\t{got / size:.3f}\tbytes read a byte", flush=True)


def read(form, where, subject, count):
    names = sys.stdin.read().split()[:count]
    raw(FORMS[form](where), names[0])
    # Else Python's own pages would be dropped, and come from the host, which the clock cannot count.
    ctypes.CDLL(None).mlockall(1)
    for how, one in ("raw", raw), ("PIL", pil):
        # What is mapped stays in memory.
        reader = None
        drop_caches()
        opened = counts(subject)
        reader = FORMS[form](where)
        print(f"# {subject}: opened by {counts(subject)[1] - opened[1]} requests")
        for state in "cold, 1 ms", "warm":
            measure(f"{how}, {state}", subject, reader, one, reader.samples(names), count)
    if reader.hint:
        drop_caches()
        measure(f"raw, cold, 1 ms, {AHEAD} ahead", subject, reader, raw, ahead(reader, names), count)


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "make":
        os.mkdir(sys.argv[4])
        {**FORMS, "loop": Loop}[sys.argv[2]].make(*sys.argv[3:])
    elif len(sys.argv) == 6 and sys.argv[1] == "read":
        read(*sys.argv[2:5], int(sys.argv[5]))
    else:
        sys.exit(__doc__.strip())


main()
