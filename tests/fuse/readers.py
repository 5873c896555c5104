#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""readers - what reads a mount in the tests of dsfs-fuse.

  readers.py make DIR			2,000 files of up to 1 MiB, and one with a hole
  readers.py epoch REF DIR [BYTES]	each file once, in random order, BYTES a call
  readers.py many REF DIR N		N processes, each in its own way, a quarter of the files
					of its own, with DSFS_LONG=1 all
  readers.py chunk REF FILE POS LEN ERRNO
					reads of POS..POS+LEN give ERRNO, others the bytes

What is read is compared with REF, the tree that was packed.
"""
import errno
import mmap
import multiprocessing
import os
import random
import sys


SHARE = 1 if os.environ.get("DSFS_LONG", "0") != "0" else 4


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
    found = []
    for folder, _, files in os.walk(top):
        found += [os.path.relpath(os.path.join(folder, f), top) for f in files
                  if os.path.isfile(os.path.join(folder, f))
                  and not os.path.islink(os.path.join(folder, f))]
    return sorted(found)


def by_calls(path, size):
    """Read a file in pieces of size bytes, or at once."""
    fd = os.open(path, os.O_RDONLY)
    try:
        size = size or os.fstat(fd).st_size + 1
        parts = []
        while part := os.read(fd, size):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def backwards(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        parts = []
        end = os.fstat(fd).st_size
        while end > 0:
            start = max(0, end - 70001)
            parts.append(os.pread(fd, end - start, start))
            end = start
        return b"".join(reversed(parts))
    finally:
        os.close(fd)


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


def reader(ref, top, number):
    files = names(ref)
    random.Random(number).shuffle(files)
    files = files[:len(files) // SHARE]
    read_all(ref, top, files, WAYS[number % len(WAYS)])


def epoch(ref, top, size="0"):
    files = names(ref)
    random.Random(1).shuffle(files)
    read_all(ref, top, files, lambda p: by_calls(p, int(size)))


def many(ref, top, count):
    procs = [multiprocessing.Process(target=reader, args=(ref, top, i))
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


if __name__ == "__main__":
    {"make": make, "epoch": epoch, "many": many, "chunk": chunk}[sys.argv[1]](*sys.argv[2:])
