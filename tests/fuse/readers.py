#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""readers - what reads a mount in the tests of dsfs-fuse.

  readers.py make DIR			2,000 files of up to 1 MiB, and one with a hole
  readers.py epoch REF DIR [BYTES]	each file once, in random order, BYTES a call
  readers.py order REF DIR		the same in the order of the image, whole
  readers.py many REF DIR N		N processes, each in its own way: a sixth of the files,
					with DSFS_LONG=1 all
  readers.py chunk REF FILE POS LEN ERRNO
					reads of POS..POS+LEN give ERRNO, others the bytes
  readers.py seeks FILE N		the I-th of N extents has the byte at I * 131072

What is read is compared with REF, the tree that was packed.
"""
import errno
import mmap
import multiprocessing
import os
import random
import sys


SHARE = 1 if os.environ.get("DSFS_LONG", "0") != "0" else 6


def make(top):
    rng = random.Random(17)
    blob = rng.randbytes(3 << 20)
    for i in range(2000):
        size = rng.randrange(131073, 1048577) if i % 40 == 0 else rng.randrange(0, 40000)
        folder = os.path.join(top, f"class-{i % 25}")
        os.makedirs(folder, exist_ok=True)
        start = rng.randrange(0, 2 << 20)
        with open(os.path.join(folder, f"{i}.bin"), "wb") as f:
            f.write(blob[start:start + size])
    with open(os.path.join(top, "holes"), "wb") as f:
        f.seek(204800)
        f.write(blob[:4096])


def names(top):
    return sorted(os.path.relpath(os.path.join(folder, name), top)
                  for folder, _, files in os.walk(top) for name in files)


def pieces(path, spans):
    """The spans of a file, (length, offset), by a call each"""
    fd = os.open(path, os.O_RDONLY)
    try:
        return [os.pread(fd, *span) for span in spans]
    finally:
        os.close(fd)


def by_calls(path, size):
    """Read a file in pieces of size bytes, or at once, and once more behind its end."""
    end = os.path.getsize(path)
    size = size or end + 1
    return b"".join(pieces(path, [(size, at) for at in range(0, end + size, size)]))


def backwards(path):
    end, size = os.path.getsize(path), 70001
    spans = [(min(size, at), max(0, at - size)) for at in range(end, 0, -size)]
    return b"".join(reversed(pieces(path, spans)))


def mapped(path):
    if not os.path.getsize(path):
        return b""
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as m:
        return m[:]


def by_direct(path):
    """Past the page cache."""
    size = os.path.getsize(path)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    buf = mmap.mmap(-1, (size + 4096) // 4096 * 4096)
    try:
        done = os.preadv(fd, [buf], 0)
        return buf[:done]
    finally:
        os.close(fd)


def content(path):
    with open(path, "rb") as f:
        return f.read()


WAYS = [lambda p: by_calls(p, 0), lambda p: by_calls(p, 4096), lambda p: by_calls(p, 100000),
        backwards, mapped, by_direct]


def read_all(ref, top, files, way):
    for name in files:
        if way(os.path.join(top, name)) != content(os.path.join(ref, name)):
            sys.exit(f"# {name}: other bytes")


def reader(ref, top, files, number):
    files = random.Random(number).sample(files, len(files) // SHARE)
    read_all(ref, top, files, WAYS[number % len(WAYS)])


def epoch(ref, top, size="0"):
    files = names(ref)
    random.Random(1).shuffle(files)
    read_all(ref, top, files, lambda p: by_calls(p, int(size)))


def order(ref, top):
    read_all(ref, top, names(ref), lambda p: by_calls(p, 0))


def many(ref, top, count):
    files = names(ref)
    procs = [multiprocessing.Process(target=reader, args=(ref, top, files, i))
             for i in range(int(count))]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    if any(p.exitcode for p in procs):
        sys.exit(1)


def chunk(ref, path, pos, length, name):
    want = content(ref)
    pos, length, bad = int(pos), int(length), 0
    fd = os.open(path, os.O_RDONLY)
    for at in range(0, len(want), 4096):
        inside = pos <= at < pos + length
        try:
            got = os.pread(fd, 4096, at)
        except OSError as e:
            got = errno.errorcode[e.errno]
        if got != (name if inside else want[at:at + 4096]):
            print(f"# at {at}: {got if isinstance(got, str) else 'bytes'}, "
                  f"{'inside' if inside else 'outside'}")
            bad = 1
    os.close(fd)
    sys.exit(bad)


def seeks(path, count):
    fd, end = os.open(path, os.O_RDONLY), 0
    for i in range(1, int(count) + 1):
        start = os.lseek(fd, end, os.SEEK_DATA)
        end = os.lseek(fd, start, os.SEEK_HOLE)
        if not start <= i << 17 < end:
            sys.exit(f"# extent {i}: {start} to {end}")


if __name__ == "__main__":
    {"make": make, "epoch": epoch, "order": order, "many": many, "chunk": chunk,
     "seeks": seeks}[sys.argv[1]](*sys.argv[2:])
