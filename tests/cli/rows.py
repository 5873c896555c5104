#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
rows.py IMAGE - a line for each inode but the root: its number, kind, size, start and mtime.

It is read without any code of DSFS: all that is known of the format here is in the offsets below.
"""
import struct
import sys

BLOCK = 4096
DIRS, NAMES = 1, 2
COLUMNS = 8                 # kind, owner and extra, size, start, mtime, checksum, stored, units
HEADER = 80                 # struct dsfs_rows
MTIME = 4


class Image:
    """Regions of the newest generation, by number."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        sb = self.bytes[1024:1024 + 512]
        assert sb[:4] == b"DSFS"
        self.start, = struct.unpack_from("<Q", sb, 152)
        self.regions = [struct.unpack_from("<QQ", sb, 256 + 16 * i) for i in range(16)]

    def region(self, number):
        start, length = self.regions[number]
        at = self.start + start
        return self.bytes[at:at + length]

    def inodes(self):
        """Behind the names of each directory, but for the root."""
        dirs, names = self.region(DIRS), self.region(NAMES)
        for at in range(0, len(dirs), 64):
            number, _, place, blocks = struct.unpack_from("<IIQI", dirs, at + 8)
            for i in range(blocks):
                for row in rows(names, place if not i else (place // BLOCK + i) * BLOCK):
                    yield number, row
                    number += 1


def rows(names, at):
    """The rows behind the names of a block."""
    _, count, end = struct.unpack_from("<IHH", names, at)
    head = struct.unpack_from("<8B8B8Q", names, at + end)
    width, shift, base = head[:8], head[8:16], head[16:]
    row = at + end + HEADER
    for _ in range(count):
        values = []
        for c in range(COLUMNS):
            value = int.from_bytes(names[row:row + width[c]], "little")
            row += width[c]
            value <<= shift[c] & 63
            value *= 1000 ** (shift[c] >> 6) if c == MTIME else 1
            values.append((base[c] + value) & (1 << 64) - 1)
        yield values


for inode, (kind, _, size, start, mtime, *_) in Image(sys.argv[1]).inodes():
    seconds, rest = divmod(mtime - (mtime >> 63 << 64), 10 ** 9)
    print(inode, kind, size, start, f"{seconds}.{rest:09}")
