#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
rows.py - inodes of an image, read without any code of DSFS: what rows of name blocks say, compared
with the table of another image of the same tree.

    rows.py same TABLE ROWS [moved] whether both say the same of every inode; moved: but for the
                                    places of files, which updates put behind other metadata
    rows.py inodes IMAGE            a line an inode

All that is known of the format here is in the offsets below. Besides what a row says, `same` checks
what the writer promises: the least base and width, the largest shift, and full blocks.
"""
import struct
import sys

BLOCK = 4096
ROWS = 1 << 3               # incompat
DIRS, NAMES, INODES, FILESUMS = 2, 3, 1, 10
COLUMNS = "kind", "extra", "size", "start", "mtime", "sum"
HEADER = 64                 # struct dsfs_rows


def signed(v):
    return (v & (1 << 64) - 1 ^ 1 << 63) - (1 << 63)


class Image:
    """Regions of the newest generation, by number."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        sb = self.bytes[1024:1024 + 512]
        assert sb[:4] == b"DSFS"
        self.incompat, = struct.unpack_from("<Q", sb, 24)
        self.start, = struct.unpack_from("<Q", sb, 152)
        self.count, = struct.unpack_from("<Q", sb, 200)
        self.regions = [struct.unpack_from("<IIQ", sb, 256 + 16 * i) for i in range(16)]

    def region(self, number):
        block, _, length = self.regions[number]
        at = self.start + block * BLOCK
        return self.bytes[at:at + length]


class Table(Image):
    """Inodes of INODES, and checksums of FILESUMS: a tuple of the columns by number."""

    def inodes(self):
        raw, sums = self.region(INODES), self.region(FILESUMS)
        assert not self.incompat & ROWS and not self.count
        for ino in range(1, len(raw) // 32):
            yield ino, record(raw, ino, sums)


def record(raw, ino, sums=b""):
    kind, extra, size_hi, start_hi, size, start, mtime = struct.unpack_from("<QIHHIIq", raw,
                                                                           ino * 32)
    total, = struct.unpack_from("<I", sums, ino * 4) if sums else (0,)
    return kind, extra, size_hi << 32 | size, start_hi << 32 | start, mtime, total


class Rows(Image):
    def __init__(self, path):
        super().__init__(path)
        self.faults = []
        assert self.incompat & ROWS
        assert len(self.region(INODES)) == 64 and not self.region(FILESUMS)

    def inodes(self):
        """The root has a record; the others follow the names of each directory."""
        yield 1, record(self.region(INODES), 1)
        dirs, names, free = self.region(DIRS), self.region(NAMES), 2
        for at in range(0, len(dirs), 64):
            first, count, place, blocks = struct.unpack_from("<IIQI", dirs, at + 8)
            self.fault(first != free, f"directory {at // 64}: first {first}, expected {free}")
            free = first + count
            position = 0
            for i in range(blocks):
                block = place if not i else (place // BLOCK + i) * BLOCK
                rows = self.block(names, block, position)
                for row in rows:
                    yield first + position, row
                    position += 1
            self.fault(position != count, f"directory {at // 64}: {position} rows, {count} names")
        self.fault(free != self.count, f"{free} inodes, the superblock says {self.count}")

    def fault(self, wrong, what):
        if wrong:
            self.faults.append(what)

    def block(self, names, at, position):
        first, count, end = struct.unpack_from("<IHH", names, at)
        self.fault(first != position, f"block {at}: position {first}, expected {position}")
        head = struct.unpack_from("<6Q6B6BI", names, at + end)
        base, width, shift, reserved = head[:6], head[6:12], head[12:18], head[18]
        self.fault(reserved, f"block {at}: reserved {reserved}")
        out, row = [], at + end + HEADER
        for _ in range(count):
            values = []
            for c in range(6):
                v = int.from_bytes(names[row:row + width[c]], "little")
                row += width[c]
                v = (base[c] + (v << shift[c])) & (1 << 64) - 1
                values.append(signed(v) if COLUMNS[c] == "mtime" else v)
            out.append(tuple(values))
        self.fault(row > len(names) or (row - 1) // BLOCK != at // BLOCK,
                   f"block {at}: rows end at {row}")
        self.tight(at, out, list(zip(base, width, shift)))
        return out

    def tight(self, at, rows, heads):
        """Each column is as narrow as its values allow."""
        for c, (values, head) in enumerate(zip(zip(*rows), heads)):
            want = column(values)
            self.fault(head != want, f"block {at}: {COLUMNS[c]}: base, width, shift are {head}, "
                                     f"not {want}")


def column(values):
    """Base, width and shift of a column."""
    least = min(values)
    differ = [v - least for v in values]
    shift = 0
    while any(differ) and not any(v >> shift & 1 for v in differ):
        shift += 1
    return least & (1 << 64) - 1, (max(differ).bit_length() - shift + 7) // 8 if any(differ) else 0, \
        shift


def full(image, table):
    """Whether no block but the last one of a directory has room for the next name."""
    dirs, names = image.region(DIRS), image.region(NAMES)
    for at in range(0, len(dirs), 64):
        first, _, place, blocks = struct.unpack_from("<IIQI", dirs, at + 8)
        for i in range(blocks - 1):
            block = place if not i else (place // BLOCK + i) * BLOCK
            after = (place // BLOCK + i + 1) * BLOCK
            position, count, end = struct.unpack_from("<IHH", names, block)
            here = [table[first + position + k] for k in range(count + 1)]
            row = sum(column(v)[1] for v in zip(*here))
            end += 2 + first_name(names, after) + HEADER + (count + 1) * row
            if block + end <= after:
                image.faults.append(f"block {block}: there is room for one name more")


def first_name(names, at):
    """Bytes of the first name of a block."""
    _, count, end, start, then = struct.unpack_from("<IHHHH", names, at)
    return (then & 4095 if count > 1 else end) - (start & 4095)


def placeless(inodes):
    """Without the start of regular files."""
    start = COLUMNS.index("start")
    return {n: v[:start] + v[start + 1:] if v[0] >> 12 & 15 == 8 and not v[0] >> 48 & 1 else v
            for n, v in inodes.items()}


def same(table, rows, moved=""):
    all_rows, image = dict(Table(table).inodes()), Rows(rows)
    want, got = all_rows, dict(image.inodes())
    if moved:
        want, got, all_rows = placeless(want), placeless(got), got
    faults = [f"inode {n}: {got.get(n)}, expected {want.get(n)}"
              for n in sorted(want.keys() | got.keys()) if got.get(n) != want.get(n)]
    if not faults:
        full(image, all_rows)
    for fault in (faults + image.faults)[:20]:
        print(fault)
    return not faults and not image.faults


def main():
    if sys.argv[1] == "inodes":
        image = Image(sys.argv[2])
        image = (Rows if image.incompat & ROWS else Table)(sys.argv[2])
        for ino, columns in image.inodes():
            print(ino, *columns)
        return 0
    return 0 if same(*sys.argv[2:]) else 1


if __name__ == "__main__":
    sys.exit(main())
