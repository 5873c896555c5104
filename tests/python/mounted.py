#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
mounted.py DIR - userspace/python on a real mount, as root: what is hinted at is brought in.

Nothing reads the files: mincore(2) says whether they are in memory.
"""
import ctypes
import mmap
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parents[1] / "userspace/python"), str(HERE.parent / "harness")]

# pylint: disable=wrong-import-position
import cases
import dsfs
from dsfs import filesystem

LIBC = ctypes.CDLL(None, use_errno=True)
FILES = 100
LIMIT = 20


def files_of(root):
    """Small ones of it, and of its directories: the tree of the tests is a deep one."""
    found = []
    for pattern in "*", "*/*":
        found += [p for p in Path(root).glob(pattern) if p.is_file() and not p.is_symlink()]
    return [str(p) for p in sorted(found) if 0 < p.stat().st_size <= 1 << 20][:FILES]


def in_memory(path):
    """Are all of its pages?"""
    with open(path, "rb", buffering=0) as f:
        size = os.fstat(f.fileno()).st_size
        # Writable, as ctypes wants it; nothing is written.
        pages = mmap.mmap(f.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        first = ctypes.c_char.from_buffer(pages)
        there = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
        failed = LIBC.mincore(ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(size),
                              there)
        del first
        pages.close()
        if failed:
            raise OSError(ctypes.get_errno(), "mincore", path)
        return all(byte & 1 for byte in there)


def come(paths):
    end = time.monotonic() + LIMIT
    left = list(paths)
    while left and time.monotonic() < end:
        left = [path for path in left if not in_memory(path)]
    return left


def main():
    paths = files_of(sys.argv[1])
    cases.prefix("python, mounted")
    cases.result(filesystem.is_dsfs(sys.argv[1]), "the mount is found to be DSFS")
    for thread in False, True:
        Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")
        cold = [path for path in paths if not in_memory(path)]
        cases.result(bool(paths) and cold == paths,
                     f"{len(paths)} files are not in memory at first")
        for _ in dsfs.ahead(paths, thread=thread):
            pass
        left = come(paths)
        cases.result(not left, f"they come, {'with' if thread else 'without'} a thread",
                     *left[:5])
    cases.finish()


main()
