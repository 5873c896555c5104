#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
rows.py IMAGE - a line for each entry: its number, kind, size, start, mtime and path.

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

    def entries(self):
        """Of each directory; their own numbers ascend, so that a path is known before it is used."""
        dirs, names = self.region(DIRS), self.region(NAMES)
        paths = {1: b""}
        for at in range(0, len(dirs), 64):
            self_, _, number, _, place, blocks = struct.unpack_from("<IIIIQI", dirs, at)
            for i in range(blocks):
                block = place if not i else (place // BLOCK + i) * BLOCK
                for name, row in zip(block_names(names, block), rows(names, block)):
                    paths[number] = paths[self_] + b"/" + name
                    yield number, row, paths[number]
                    number += 1


def block_names(names, at):
    """The names of a block: what they begin with, what differs, what they end with."""
    _, count, end, form, head, tail, width = struct.unpack_from("<IHHBBBB", names, at)
    where = at + 12 + (2 * count, 0, 16)[form >> 4]
    begin, finish = names[where:where + head], names[where + head:where + head + tail]
    if form >> 4 == 0:
        slots = [slot & 4095 for slot in struct.unpack_from("<%dH" % count, names, at + 12)]
        middles = [names[at + a:at + b] for a, b in zip(slots, slots[1:] + [end])]
    else:
        where += head + tail
        middles = [names[where + width * i:where + width * (i + 1)] for i in range(count)]
    if form >> 4 == 2:
        symbols = names[at + 12:at + 28]
        middles = [bytes(symbols[n] for byte in m for n in (byte & 15, byte >> 4)).rstrip(b"\0")
                   for m in middles]
    return [begin + m + finish for m in middles]


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


for inode, (kind, _, size, start, mtime, *_), path in Image(sys.argv[1]).entries():
    seconds, rest = divmod(mtime - (mtime >> 63 << 64), 10 ** 9)
    print(inode, kind, size, start, f"{seconds}.{rest:09}", path.decode(errors="surrogateescape"))
