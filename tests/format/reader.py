#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
reader.py IMAGE                          - a line for each rule that does not hold
reader.py --list [--generation=N] IMAGE  - a line of JSON for each object
reader.py --flip COUNT SEED IMAGE...     - changes bytes, and compares with fsck.dsfs

Another reader of the format, made of Documentation/format.rst and nothing else of this
project: so the text is enough to write one, and what it says is what fsck.dsfs ($FSCK) does.

--flip changes a byte of metadata, makes the checksums above it right again, and tells each
change that one of the two calls clean and the other does not.
"""
import functools
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import traceback
from bisect import bisect, bisect_left
from pathlib import Path
from types import SimpleNamespace

TOP = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "tests/harness"))
from xxh64 import MASK, PRIME1, PRIME2, STRIPE, lanes, rotated

PRIME3, PRIME4, PRIME5 = 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
BLOCK, UNIT, MAX32 = 4096, 131072, 1 << 32
SLOTS = 1024, 66560
(BLOCKSUMS, DIRS, NAMES, INDEX, OWNERS, EXTRAS, SYMLINKS, XATTRS, EXTENTS, CHUNKSUMS, UNITS,
 HISTORY, NUMBERS, NOTE) = range(14)
RECORD = 4, 64, 1, 64, 8, 32, 1, 4, 16, 4, 4, 512, 4, 1068, 1, 1
HARDLINK, HOLES, HAS_XATTRS, ACL, SHARED, ZSTD, LZ4 = (1 << i for i in range(7))
TYPES = {1: "p", 2: "c", 4: "d", 6: "b", 8: "f", 10: "l", 12: "s"}
PREFIXES = {1: b"user.", 2: b"trusted.", 3: b"security.", 4: b"system.posix_acl_access",
            5: b"system.posix_acl_default"}
ARCHIVES, ERASING, COMPRESSED = 1, 2, 1
SUPER = struct.Struct("<IIHBBBBBBQQQq16s64sQQQQQQQQQ24sI28s256s")
SUPER_FIELDS = ("magic checksum version align_bits chunk_bits small_bits object_bits "
                "large_bits reserved1 compat incompat generation build_time uuid label image_bytes data_start data_end "
                "meta_start meta_bytes content_bytes stored_bytes files inodes root sums_checksum "
                "reserved regions").split()
DIR = struct.Struct("<IIIIQIIQBB22s")
DIR_FIELDS = ("self parent first count names name_blocks buckets first_bucket slot_bits "
              "block_bits reserved").split()
INODE_FIELDS = "mode flags nlink owner extra size start mtime checksum stored units".split()


class Broken(Exception):
    """A rule that does not hold."""


def must(good, rule, what=""):
    if not good:
        raise Broken(f"{rule} {what}".rstrip())


# --- checksums and codecs -----------------------------------------------------

def crc_table():
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        yield value


CRC = tuple(crc_table())


@functools.lru_cache(4096)
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@functools.lru_cache(16384)
def xxh64(data):
    value, at = PRIME5, len(data) // STRIPE * STRIPE
    if at:
        sums = lanes(data)
        value = sum(rotated(s, bits) for s, bits in zip(sums, (1, 7, 12, 18)))
        for lane in sums:
            value ^= rotated(lane * PRIME2 & MASK, 31) * PRIME1 & MASK
            value = (value * PRIME1 + PRIME4) & MASK
    value = value + len(data) & MASK
    while at + 8 <= len(data):
        word = int.from_bytes(data[at:at + 8], "little")
        value ^= rotated(word * PRIME2 & MASK, 31) * PRIME1 & MASK
        value, at = (rotated(value, 27) * PRIME1 + PRIME4) & MASK, at + 8
    if at + 4 <= len(data):
        value ^= int.from_bytes(data[at:at + 4], "little") * PRIME1 & MASK
        value, at = (rotated(value, 23) * PRIME2 + PRIME3) & MASK, at + 4
    for byte in data[at:]:
        value = rotated(value ^ byte * PRIME5 & MASK, 11) * PRIME1 & MASK
    value = (value ^ value >> 33) * PRIME2 & MASK
    value = (value ^ value >> 29) * PRIME3 & MASK
    return value ^ value >> 32


def unlz4(frame, size):
    """One block of lz4."""
    out, at = bytearray(), 0

    def length(value):
        nonlocal at
        more = 255 if value == 15 else 0
        while more == 255:
            more, at = frame[at], at + 1
            value += more
        return value
    while True:
        token, at = frame[at], at + 1
        literals = length(token >> 4)
        must(at + literals <= len(frame), "C9", "literals")
        out += frame[at:at + literals]
        at += literals
        if at == len(frame):
            return bytes(out)
        back, at = int.from_bytes(frame[at:at + 2], "little"), at + 2
        match = length(token & 15) + 4
        must(0 < back <= len(out) and len(out) + match <= size, "C9", "match")
        copy = out[-back:][:match]
        out += (copy * (match // len(copy) + 1))[:match]


def unzstd(frame, size):
    """One frame with its content size, as RFC 8878 has it; its blocks are left to zstd(1)."""
    must(frame[:4] == b"\x28\xb5\x2f\xfd", "C9", "magic")
    single, fcs = frame[4] >> 5 & 1, frame[4] >> 6
    at, width = 5 + (1 - single), (single, 2, 4, 8)[fcs]
    names = (0, 1, 2, 4)[frame[4] & 3]
    must(not any(frame[at:at + names]) and width, "C9", "dictionary, or no size")
    at += names
    must(int.from_bytes(frame[at:at + width], "little") + (256 if width == 2 else 0) == size,
         "C9", "content size")
    at, last = at + width, 0
    while not last:
        head, at = int.from_bytes(frame[at:at + 3], "little"), at + 3
        last = head & 1
        at += 1 if head >> 1 & 3 == 1 else head >> 3
        must(at <= len(frame), "C9", "block")
    must(at + (4 if frame[4] & 4 else 0) == len(frame), "C9", "end of the frame")
    done = subprocess.run(["zstd", "-dcq"], input=frame, capture_output=True, check=False)
    must(done.returncode == 0, "C9", "zstd")
    return done.stdout


@functools.lru_cache(1024)
def unpack(frame, size, flags):
    """The unit of a frame (C9)."""
    if len(frame) == size:
        return frame
    try:
        unit = (unzstd if flags & ZSTD else unlz4)(frame, size)
    except IndexError:
        raise Broken("C9 end of the frame") from None
    must(len(unit) == size, "C9", "length")
    return unit


# --- the superblock --------------------------------------------------------------

def superblock(data, at):
    """The superblock at @at (S0 to S32)."""
    must(at + 512 <= len(data), "S0")
    raw = bytes(data[at:at + 512])
    s = SimpleNamespace(at=at, raw=raw, **dict(zip(SUPER_FIELDS, SUPER.unpack(raw))))
    must(s.magic == 0x53465344, "S1")
    must(crc32c(raw[:4] + bytes(4) + raw[8:]) == s.checksum, "S2")
    must(s.version == 1, "S3")
    must(s.incompat & ~COMPRESSED == 0, "S4", hex(s.incompat))
    must(9 <= s.align_bits <= 21, "S5")
    must(not s.chunk_bits or 12 <= s.chunk_bits <= 20, "S6")
    must(not s.small_bits or s.chunk_bits and s.chunk_bits < s.small_bits <= 20, "S7")
    must(not s.large_bits or s.chunk_bits and 12 <= s.large_bits <= 20, "S7")
    must(not s.object_bits or 16 <= s.object_bits <= 30, "S8")
    must(s.generation, "S9")
    must(not s.reserved1 and not any(s.reserved), "S10")
    must(s.image_bytes < 1 << 48 and s.image_bytes % BLOCK == 0, "S11")
    must(BLOCK <= s.meta_bytes <= min(1 << 44, s.image_bytes) and s.meta_bytes % BLOCK == 0, "S12")
    must(s.meta_start % BLOCK == 0 and s.meta_start <= s.image_bytes - s.meta_bytes, "S13")
    must(s.data_end <= s.meta_start, "S14")
    must(69632 <= s.data_start <= s.data_end and s.data_start % BLOCK == 0, "S15")
    regions(s)
    length = [size for start, size in s.regions]
    must(length[BLOCKSUMS] // 4 == s.meta_bytes // BLOCK, "S23")
    must(length[NUMBERS] // 4 == -(-length[NAMES] // BLOCK), "S24")
    must(2 <= s.inodes < MAX32 and s.inodes <= 2 + length[NAMES], "S25")
    must(0 < length[DIRS] // 64 < s.inodes, "S26")
    must(length[OWNERS], "S27")
    must(s.chunk_bits or not length[CHUNKSUMS], "S28")
    must(length[HISTORY] in (0, 512), "S29")
    must(s.incompat & COMPRESSED or not length[UNITS], "S30")
    must(s.image_bytes <= len(data), "S31")
    must(length[NOTE] in (0, 1068), "S32")
    return s


def regions(s):
    """S16 to S22"""
    most = {DIRS: MAX32 - 2, OWNERS: MAX32 - 1, EXTRAS: MAX32 - 1, EXTENTS: MAX32 - 1,
            CHUNKSUMS: MAX32, UNITS: MAX32, HISTORY: 1, NOTE: 1}
    s.regions = list(struct.iter_unpack("<QQ", s.regions))
    end = 0
    for i, (start, size) in enumerate(s.regions):
        must(size or not start, "S16", i)
        must(not size or i < 14, "S17", i)
        must(size <= (most[i] * RECORD[i] if i in most else 1 << 44), "S18", i)
        must(size % RECORD[i] == 0, "S19", i)
        must(start % BLOCK == 0 and start <= s.meta_bytes, "S20", i)
        must(start + size <= s.meta_bytes, "S21", i)
    for start, size in sorted(r for r in s.regions if r[1]):
        must(start >= end, "S22")
        end = start + size


def slots(data):
    """The superblock in use, and what is to be said of the slots (H1 to H6, G22)."""
    valid, found = [], []
    for at in SLOTS:
        try:
            valid.append(superblock(data, at))
        except Broken as bad:
            found.append(f"G22 slot at {at}: {bad}")
    must(valid, "H1", found)
    if len(valid) == 2 and valid[0].raw != valid[1].raw:
        found.append("G22 the slots differ")
    newest = max(valid, key=lambda s: s.generation)
    if newest.compat & ERASING:
        found.append("G30")
    return newest, found


# --- names -------------------------------------------------------------------------

class Names:
    """A name block and its rows, at @at of NAMES (N1 to N14 but for the directory's, R1 to R4)."""

    def __init__(self, region, at):
        limit = min(at // BLOCK * BLOCK + BLOCK, len(region))
        must(at + 12 <= limit, "N1")
        self.at = at
        (self.first, self.count, end, form, prefix, suffix,
         width) = struct.unpack_from("<IHHBBBB", region, at)
        must(at + end <= limit, "N2")
        must(self.count, "N3")
        must(form >> 4 <= 2 and (form >> 4 or not form and not width), "N11")
        behind = 12 + (2 * self.count, 0, 16)[form >> 4]
        must(behind + prefix + suffix <= end, "N4")
        block, middles = region[at:limit], behind + prefix + suffix
        head, tail = block[behind:behind + prefix], block[behind + prefix:middles]
        if form >> 4:
            must(middles + self.count * width == end, "N12")
            must(prefix + suffix + width * (form >> 4) <= 255, "N13")
            must(width or self.count == 1, "N14")
            starts, self.types = range(middles, end + 1, width or 1), [form & 15] * self.count
        else:
            parts = struct.unpack_from(f"<{self.count}H", block, 12)
            starts, self.types = [p & 0xFFF for p in parts], [p >> 12 for p in parts]
            must(starts[0] == middles, "G1")
        must(all(t in TYPES or t == 15 for t in self.types), "N6")
        ends = [*starts[1:], end] if not form >> 4 else [p + width for p in starts]
        self.names = []
        for a, b in zip(starts[:self.count], ends):
            must(middles <= a <= b <= end and prefix + suffix + b - a <= 255, "N5")
            middle = block[a:b]
            if form >> 4 == 2:
                middle = bytes(block[12 + n] for c in middle for n in (c & 15, c >> 4))
                middle = middle.rstrip(b"\0")
            self.names.append(head + middle + tail)
            must(self.names[-1] not in (b"", b".", b"..") and
                 not set(self.names[-1]) & {0, 47}, "N10", self.names[-1])
        self.rows(block, end)

    def rows(self, block, end):
        """R1 to R4"""
        must(end + 80 <= len(block), "R1")
        widths, shifts = block[end:end + 8], block[end + 8:end + 16]
        must(max(widths) <= 8, "R2")
        must(all(s <= 63 for i, s in enumerate(shifts) if i != 4), "R3")
        bases = struct.unpack_from("<8Q", block, end + 16)
        at = end + 80
        self.end = self.at + at + self.count * sum(widths)
        must(at + self.count * sum(widths) <= len(block), "R1")
        units = [1] * 4 + [1000 ** (shifts[4] >> 6)] + [1] * 3
        self.inodes = []
        for _ in range(self.count):
            row = []
            for width, shift, base, unit in zip(widths, shifts, bases, units):
                value = int.from_bytes(block[at:at + width], "little") << (shift & 63)
                row.append(base + value * unit & MASK)
                at += width
            must(max(row[5:]) < MAX32 and max(row[2:4]) < 1 << 48, "R4")
            row[4] -= (row[4] >> 63) << 64
            self.inodes.append(inode(row[0] & 0xFFFF, row[0] >> 16 & 0xFFFF, row[0] >> 32,
                                     row[1] & 0xFFFFFFFF, row[1] >> 32, *row[2:]))


def inode(*values):
    i = SimpleNamespace(**dict(zip(INODE_FIELDS, values)))
    i.type, i.length, i.extents, i.frames, i.xattrs, i.target = i.mode >> 12, 0, [], [], [], b""
    return i


def block_at(d, i):
    """Where name block @i of a directory is in NAMES."""
    return d.names // BLOCK * BLOCK + i * BLOCK if i else d.names


def entry_of(d, e):
    """Slot and name block of an index entry."""
    return (e & (1 << d.slot_bits) - 1) - 1, e >> d.slot_bits & (1 << d.block_bits) - 1


def acl_valid(value):
    """Whether an ACL is valid (G21)."""
    if len(value) < 4 or len(value) % 8 != 4 or value[:4] != b"\2\0\0\0":
        return False
    entries = list(struct.iter_unpack("<HHI", value[4:]))
    tags = [tag for tag, _, _ in entries]
    named = bool({2, 8} & set(tags))
    return (tags == sorted(tags) and set(tags) <= {1, 2, 4, 8, 16, 32} and
            all(tags.count(t) == 1 for t in (1, 4, 32)) and named <= tags.count(16) <= 1 and
            all(perm <= 7 and (tag not in (2, 8) or who != MAX32 - 1)
                for tag, perm, who in entries))


# --- a generation ------------------------------------------------------------------

class Generation:
    """All that one superblock refers to.  What is broken is in @found."""

    def __init__(self, data, s, newest):
        self.data, self.s, self.found = data, s, []
        self.newest = s is newest
        self.inodes, self.dirs, self.sets, self.places = {}, {}, {}, {}
        self.used = {NAMES: [], SYMLINKS: [], XATTRS: []}
        self.region = [bytes(data[s.meta_start + start:s.meta_start + start + size])
                       for start, size in s.regions]
        self.extras = list(struct.iter_unpack("<QQII8s", self.region[EXTRAS]))
        self.owners = list(struct.iter_unpack("<II", self.region[OWNERS]))
        self.numbers = [n for n, in struct.iter_unpack("<I", self.region[NUMBERS])]
        self.checks("metadata", self.sums)
        self.checks("root", self.tree)

    def checks(self, where, function, *args):
        """Runs a part of the check; what it raises is of @where."""
        try:
            return function(*args)
        except Broken as bad:
            self.found.append(f"{bad}: generation {self.s.generation}: {where}")
        return None

    def sums(self):
        """B1, B2, G26"""
        s, (start, size) = self.s, self.s.regions[BLOCKSUMS]
        blocks = -(-size // BLOCK) * BLOCK
        must(crc32c(bytes(self.data[s.meta_start + start:][:blocks])) == s.sums_checksum, "B1")
        for i, (want,) in enumerate(struct.iter_unpack("<I", self.region[BLOCKSUMS])):
            if start <= i * BLOCK < start + blocks:
                must(not want, "G26")
            else:
                at = s.meta_start + i * BLOCK
                must(crc32c(bytes(self.data[at:at + BLOCK])) == want, "B2", f"block {i}")

    # --- inodes ---

    def check_inode(self, number, i):
        """I2 to I24; what the inode refers to."""
        flags, named = i.flags, i.flags & (HOLES | HAS_XATTRS)
        if flags & HARDLINK:
            must(flags == HARDLINK, "I2")
            must(i.type in TYPES and i.type != 4 and not i.mode & 0xFFF, "I3")
            must(1 < i.start < self.s.inodes and i.start != number, "I4")
            must(not (i.nlink or i.owner or i.extra or i.size or i.mtime or i.checksum or
                      i.stored or i.units), "I5")
            return
        must(flags < 128, "I6", hex(flags))
        must(i.type in TYPES, "I13")
        must(i.type == 8 or not flags & (HOLES | SHARED | ZSTD | LZ4), "I7")
        must(flags & HAS_XATTRS or not flags & ACL, "I8")
        must(bool(i.extra) == bool(named), "I9")
        must(i.extra <= len(self.extras), "I10")
        must(i.owner < len(self.owners), "I11")
        must(i.nlink, "I12")
        must(flags & (ZSTD | LZ4) or not (i.stored or i.units), "I24")
        if i.type == 8:
            self.check_file(i)
        elif i.type == 4:
            must(not i.size, "I15")
            must(i.start < len(self.region[DIRS]) // 64, "I16")
        elif i.type == 10:
            self.check_symlink(i)
        else:
            device = i.type in (2, 6)
            must(i.size < (MAX32 if device else 1), "I21" if device else "I22")
            must(not i.start, "I23")
        if i.extra:
            self.check_extra(i, *self.extras[i.extra - 1])
        must(i.length or not i.checksum, "G17")
        if i.length:
            self.check_place(i)
        must(bool(flags & ACL) == any(x[0] > 3 for x in i.xattrs), "G21", "flag")

    def check_symlink(self, i):
        """I17 to I20"""
        must(0 < i.size <= 4095, "I17")
        must(i.start + i.size <= len(self.region[SYMLINKS]), "I18")
        must(i.start // BLOCK == (i.start + i.size - 1) // BLOCK, "I19")
        i.target = self.region[SYMLINKS][i.start:i.start + i.size]
        must(0 not in i.target, "I20")
        self.used[SYMLINKS].append((i.start, i.start + i.size))

    def check_file(self, i):
        """I14, C1 to C8"""
        must(i.size or not i.start, "I14")
        i.length = i.size
        if i.flags & (ZSTD | LZ4):
            must(self.s.incompat & COMPRESSED, "C1")
            must(not (i.flags & ZSTD and i.flags & LZ4), "C2")
            must(not i.flags & HOLES, "C3")
            must(0 < i.stored < i.size, "C4")
            i.length, units = i.stored, -(-i.size // UNIT)
            must(units > 1 or not i.units, "C5")
            must(units == 1 or i.units + units <= len(self.region[UNITS]) // 4, "C5")
            ends = [i.stored] if units == 1 else struct.unpack_from(
                f"<{units}I", self.region[UNITS], i.units * 4)
            for n, (a, b) in enumerate(zip((0, *ends), ends)):
                unit = min(UNIT, i.size - n * UNIT)
                must(a < b <= i.stored and ends[-1] == i.stored, "C6")
                must(b - a <= unit, "C7")
                must(unit <= 256 * (b - a), "C8")
                i.frames.append((a, b, unit))

    def check_extra(self, i, xattrs, stored, first, count, reserved):
        """X1 to X7, G21, G27"""
        must(not any(reserved), "X1")
        must(xattrs % 4 == 0 and xattrs < len(self.region[XATTRS]) if i.flags & HAS_XATTRS
             else not xattrs, "X2")
        if i.flags & HAS_XATTRS:
            if xattrs not in self.sets:
                self.sets[xattrs] = self.xattr_set(xattrs)
            i.xattrs = self.sets[xattrs]
            must(i.type in (4, 8) or all(x[0] != 1 for x in i.xattrs), "G27")
            must(all(x[0] < 5 or i.type == 4 for x in i.xattrs), "G21", "default ACL")
            must(i.type != 10 or all(x[0] < 4 for x in i.xattrs), "G21", "symlink")
        must(i.flags & HOLES or not (stored or first or count), "X3")
        if i.flags & HOLES:
            must(bool(stored) == bool(count), "X4")
            must(stored < i.size, "X5")
            must(count or not (i.start or first), "X6")
            must(first + count <= len(self.region[EXTENTS]) // 16, "X7")
            i.length = stored
            self.check_extents(i, list(struct.iter_unpack(
                "<QQ", self.region[EXTENTS][first * 16:(first + count) * 16])))

    def check_extents(self, i, records):
        """K4 to K8, G25"""
        must(not any(a % BLOCK or b % BLOCK for a, b in records) and
             not (records and records[0][1]), "K4")
        end = 0
        for n, (logical, stored) in enumerate(records):
            size = (records[n + 1][1] if n + 1 < len(records) else i.length) - stored
            must(size > 0 and stored + size <= i.length, "K5")
            must(logical + size <= i.size, "K6")
            must(size % BLOCK == 0 or logical + size == i.size, "K7")
            must(logical >= end, "K8")
            end = logical + size
            i.extents.append((logical, stored, size))
        must(sum(e[2] for e in i.extents) == i.length, "G25")

    def check_place(self, i):
        """K1 to K3, K9"""
        s = self.s
        must(s.data_start <= i.start < s.data_end, "K1")
        must(i.start + i.length <= s.data_end, "K2")
        crosses = i.start // BLOCK != (i.start + i.length - 1) // BLOCK
        must(i.start % (1 << s.align_bits) == 0 or not crosses, "K3")
        i.sums = []
        if s.chunk_bits:
            chunk = 1 << (s.small_bits if i.length <= 1 << s.small_bits and s.small_bits
                          else s.large_bits if i.length > 1 << 20 and s.large_bits
                          else s.chunk_bits)
            i.chunk, chunks = chunk, -(-i.length // chunk)
            if chunks == 1:
                i.sums = [i.checksum]
            else:
                must(i.checksum + chunks <= len(self.region[CHUNKSUMS]) // 4, "K9")
                i.sums = list(struct.unpack_from(f"<{chunks}I", self.region[CHUNKSUMS],
                                                 i.checksum * 4))
        self.places.setdefault((i.start, i.length), []).append(i)

    def xattr_set(self, at):
        """A1 to A10, G16, G20, G21"""
        region = self.region[XATTRS]
        must(at + 8 <= len(region), "A2")
        size, count, reserved = struct.unpack_from("<IHH", region, at)
        must(8 < size <= 1 << 20 and size % 4 == 0, "A1")
        must(at + size <= len(region), "A2")
        must(at % BLOCK == 0 if size > BLOCK else at // BLOCK == (at + size - 1) // BLOCK, "A3")
        must(count and not reserved, "A4")
        found, end = [], at + size
        self.used[XATTRS].append((at, end))
        at += 8
        while at < end:
            must(at + 8 <= end, "A5")
            prefix, name_len, reserved, value_len = struct.unpack_from("<BBHI", region, at)
            must(prefix in PREFIXES and not reserved, "A6")
            must((name_len == 0) == (prefix > 3) and
                 len(PREFIXES[prefix]) + name_len <= 255, "A7")
            must(value_len <= 65536, "A8")
            name, value = at + 8, at + 8 + name_len
            at = value + value_len
            must(at <= end, "A9")
            found.append((prefix, region[name:value], region[value:at]))
            must(0 not in found[-1][1], "A10")
            must(prefix < 4 or acl_valid(found[-1][2]), "G21", "ACL")
            must(not any(region[at:at + -at % 4]), "G16", "after an xattr")
            at += -at % 4
        must(sum(len(PREFIXES[p] + n) + 1 for p, n, _ in found) <= 65536, "G31")
        keys = [x[:2] for x in found]
        must(count == len(found) and keys == sorted(set(keys)), "G20")
        return found

    # --- directories ---

    def tree(self):
        """All directories in the order of their numbers, then what holds for all of it."""
        mode, flags, nlink, owner, extra, mtime = struct.unpack("<HHIIIq", self.s.root)
        root = inode(mode, flags, nlink, owner, extra, 0, 0, mtime, 0, 0, 0)
        must(root.type == 4 and not flags & HARDLINK, "M6")
        self.check_inode(1, root)
        self.inodes[1], queue, self.next = root, [(1, 1, b"/")], 2
        for number, parent, path in queue:
            self.checks(path, self.directory, number, parent, path, queue)
        must(self.next == self.s.inodes, "G2", "numbers of no directory")
        must(len(self.dirs) == len(self.region[DIRS]) // 64, "G3")
        for function in (self.links, self.paddings, self.sharing, self.contents):
            self.checks(function.__name__, function)

    def directory(self, number, parent, path, queue):
        """A directory and what is in it: D2 to D12, M5, G2, G11; D1, G4 follow."""
        s = self.s
        d = SimpleNamespace(**dict(zip(DIR_FIELDS, DIR.unpack_from(
            self.region[DIRS], self.inodes[number].start * 64))))
        d.blocks, d.subdirs = [], 0
        must(d.self == number, "D2")
        must(d.parent == 1 if number == 1 else 1 <= d.parent < d.self, "D3")
        must(d.parent == parent, "M5")
        must(bool(d.count) == bool(d.name_blocks) and d.name_blocks <= d.count, "D4")
        must(not any(d.reserved), "D12")
        if not d.count:
            must(not (d.first or d.names or d.buckets or d.first_bucket or d.slot_bits or
                      d.block_bits), "D5")
        else:
            must(d.first > d.self and d.first + d.count <= s.inodes, "D6")
            must(d.names % 4 == 0, "D7")
            must(block_at(d, d.name_blocks - 1) < len(self.region[NAMES]), "D8")
            must(d.buckets or not (d.first_bucket or d.slot_bits or d.block_bits), "D9")
            must(d.first_bucket + d.buckets <= len(self.region[INDEX]) // 64, "D10")
            must(not d.buckets or 0 < d.slot_bits <= 12 and d.slot_bits + d.block_bits <= 28,
                 "D11")
            must(d.first == self.next, "G2", "ranges")
        self.next += d.count
        self.dirs[number] = d
        self.entries(d)
        for n, (name, kind, i) in enumerate(d.entries, d.first):
            self.checks(path + name, self.entry, d, n, kind, i)
            if n in self.inodes and i.type == 4:
                queue.append((n, number, path + name + b"/"))
        must(self.inodes[number].nlink == 2 + d.subdirs, "G11")
        self.checks(path, self.index, d)

    def entries(self, d):
        """The name blocks of a directory."""
        d.entries = []
        for i in range(d.name_blocks):
            block = self.names_at(block_at(d, i))
            must(block.first == len(d.entries), "N8")
            must(block.first + block.count <= d.count, "N3")
            self.used[NAMES].append((block.at, block.end))
            for slot, n in enumerate(range(d.first + block.first,
                                           d.first + block.first + block.count)):
                must(self.row(n) == (block.at, slot), "G2", f"way to inode {n}")
            d.blocks.append(block)
            d.entries += zip(block.names, block.types, block.inodes)
        must(len(d.entries) == d.count, "N9")
        names = [e[0] for e in d.entries]
        must(all(a < b for a, b in zip(names, names[1:])), "G5")

    @functools.lru_cache(1 << 20)
    def row(self, number):
        """The place of an inode's row: its name block and its slot (R5, R6)."""
        must(1 < number < self.s.inodes, "I1")
        must(self.numbers and self.numbers[0] <= number, "R5")
        block = bisect(self.numbers, number) - 1
        must(block >= 0, "R6")
        at, first = block * BLOCK, self.numbers[block]
        while at // BLOCK == block:
            try:
                names = self.names_at(at)
            except Broken as bad:
                raise Broken(f"R6 {bad}") from None
            if number < first + names.count:
                return at, number - first
            first, at = first + names.count, names.end + -names.end % 4
        raise Broken("R6")

    @functools.lru_cache(1 << 16)
    def names_at(self, at):
        return Names(self.region[NAMES], at)

    def entry(self, d, number, kind, i):
        """M1 to M3: the row of a name"""
        self.check_inode(number, i)
        link = bool(i.flags & HARDLINK)
        must(not (kind == 15 and not link), "M2")
        must(link == (kind == 15), "M3")
        must(link or kind == i.type, "M1")
        self.inodes[number] = i
        d.subdirs += i.type == 4

    def index(self, d):
        """G8; and each name is found, by the index and without it."""
        count = 0
        for n in range(d.buckets * 16):
            e, = struct.unpack_from("<I", self.region[INDEX], d.first_bucket * 64 + n * 4)
            if not e:
                continue
            slot, block = entry_of(d, e)
            must(slot >= 0 and block < len(d.blocks), "L1")
            must(slot < d.blocks[block].count, "N7")
            count += 1
        must(count == d.count or not d.buckets, "G8", "number of entries")
        for position, (name, _, _) in enumerate(d.entries):
            must(self.search(d, name) == position, "G5", "binary search")
            must(not d.buckets or self.lookup(d, name) == [position], "G8", name)

    def lookup(self, d, name):
        """The positions of a name by the index: one, or the index is wrong."""
        value = xxh64(name)
        low, high, bits = value & MAX32 - 1, value >> 32, d.slot_bits + d.block_bits
        found = []
        for bucket in {low * d.buckets >> 32, high * d.buckets >> 32}:
            for e in struct.unpack_from("<16I", self.region[INDEX],
                                        (d.first_bucket + bucket) * 64):
                if e and e >> bits == (low << bits & MAX32 - 1) >> bits:
                    slot, block = entry_of(d, e)
                    if d.blocks[block].names[slot] == name:
                        found.append(d.blocks[block].first + slot)
        return found

    @staticmethod
    def search(d, name):
        """The position of a name without the index."""
        block = d.blocks[max(0, bisect(d.blocks, name, key=lambda b: b.names[0]) - 1)]
        slot = bisect_left(block.names, name)
        return block.first + slot if block.names[slot:slot + 1] == [name] else None

    # --- what holds for the whole ---

    def links(self):
        """G10, G12, M3, M4"""
        names = {}
        for number, i in self.inodes.items():
            if i.flags & HARDLINK:
                target = self.inodes.get(i.start)
                must(target and not target.flags & HARDLINK, "M3")
                must(target.type == i.type and i.type != 4, "M4")
                must(number > i.start, "G10")
                names[i.start] = names.get(i.start, 1) + 1
        for number, i in self.inodes.items():
            must(i.type == 4 or i.flags & HARDLINK or i.nlink == names.get(number, 1), "G12")

    def paddings(self):
        """G7, G16, G23"""
        s, names = self.s, self.s.label.split(b"\0")[0]
        must(not any(s.label[len(names):]), "G23")
        for kind, ranges in self.used.items():
            end = 0
            for a, b in sorted(ranges):
                must(kind == SYMLINKS or a >= end, "G7")
                must(not any(self.region[kind][end:a]), "G16", f"region {kind}")
                end = max(end, b)
            must(not any(self.region[kind][end:]), "G16", f"region {kind}")
        for start, size in s.regions:
            must(not any(self.data[s.meta_start + start + size:
                                   s.meta_start + start + size + -size % BLOCK]), "G16", "region")
        end, fresh = s.data_start, 0
        if s.regions[HISTORY][1]:
            fresh, = struct.unpack_from("<Q", self.region[HISTORY], 128)
        for start, size in sorted([*self.places, (s.data_end, 0)]) if self.newest else ():
            stop = start if s.generation == 1 else min(start, end + -end % BLOCK)
            must(end < fresh or not any(self.data[end:stop]), "G16", "data")
            end = max(end, start + size)

    def sharing(self):
        """G13, G14, G15, G19"""
        s, outer, inner_end, stored, blocks = self.s, (0, 0), 0, 0, {}
        for start, size in sorted(self.places, key=lambda p: (p[0], -p[1])):
            if start < sum(outer):
                must(s.compat & ARCHIVES and start > outer[0] and start + size <= sum(outer) and
                     start >= inner_end, "G13")
                inner_end = start + size
            else:
                outer, inner_end, stored = (start, size), 0, stored + size
                must(size > BLOCK or start // BLOCK == (start + size - 1) // BLOCK, "G14")
            for block in range(start // BLOCK, (start + size - 1) // BLOCK + 1):
                blocks[block] = blocks.get(block, 0) + 1
        for (start, size), files in self.places.items():
            shared = any(blocks[b] > 1 for b in range(start // BLOCK,
                                                      (start + size - 1) // BLOCK + 1))
            must(all(bool(i.flags & SHARED) == shared for i in files), "G15")
            must(all(i.sums == files[0].sums for i in files), "G13", "checksums")
            packed = [(i.size, i.flags & (ZSTD | LZ4), i.frames) for i in files if i.frames]
            must(all(p == packed[0] for p in packed), "G29", "same data")
        files = [i for i in self.inodes.values() if i.type == 8 and not i.flags & HARDLINK]
        must(not any(i.flags & SHARED and not i.length for i in files), "G15", "no data")
        must(s.content_bytes == sum(i.size for i in files), "G19", "content_bytes")
        must(s.stored_bytes == stored, "G19", "stored_bytes")
        must(s.files == len(files), "G19", "files")

    def contents(self):
        """G18, G29"""
        for files in self.places.values():
            i = files[0]
            raw = bytes(self.data[i.start:i.start + i.length])
            for n, want in enumerate(i.sums):
                must(xxh64(raw[n * i.chunk:(n + 1) * i.chunk]) & MAX32 - 1 == want, "G18")
            for packed in files:
                for a, b, unit in packed.frames:
                    unpack(raw[a:b], unit, packed.flags)

    def content(self, i):
        raw = bytes(self.data[i.start:i.start + i.length])
        if i.frames:
            return b"".join(unpack(raw[a:b], unit, i.flags) for a, b, unit in i.frames)
        if not i.flags & HOLES:
            return raw
        out = bytearray(i.size)
        for logical, stored, size in i.extents:
            out[logical:logical + size] = raw[stored:stored + size]
        return bytes(out)

    def objects(self, number=1, path=b"/", first=None):
        """A dict for each object, a directory before its entries."""
        first = {} if first is None else first
        real = self.inodes[number].start if self.inodes[number].flags & HARDLINK else number
        i = self.inodes[real]
        link = first.setdefault(real, path)
        told = {"path": path, "type": TYPES[i.type], "mode": i.mode & 0o7777,
                "uid": self.owners[i.owner][0], "gid": self.owners[i.owner][1],
                "mtime": i.mtime, "size": i.size if i.type in (8, 10) else 0, "start": i.start,
                "nlink": i.nlink,
                "link": link if link != path else None,
                "target": i.target if i.type == 10 else None,
                "device": [i.size >> 20, i.size & 0xFFFFF] if i.type in (2, 6) else None,
                "sha256": hashlib.sha256(self.content(i)).hexdigest() if i.type == 8 else None,
                "xattrs": {os.fsdecode(PREFIXES[p] + n): v.hex() for p, n, v in i.xattrs}}
        yield {k: os.fsdecode(v) if isinstance(v, bytes) else v for k, v in told.items()}
        if i.type == 4:
            d = self.dirs[number]
            for n, (name, _, _) in enumerate(d.entries, d.first):
                yield from self.objects(n, path.rstrip(b"/") + b"/" + name, first)


# --- an image ------------------------------------------------------------------------

def note(raw):
    """T1 to T6"""
    kind, size, length = struct.unpack_from("<BBH", raw)
    must(kind <= 2, "T1")
    must(size == (32 if kind else 0), "T2")
    must(kind or not any(raw[12:44]), "T3")
    must(length <= 1024, "T4")
    must(0 not in raw[44:44 + length], "T5")
    must(not any(raw[44 + length:]) and not raw[7], "T6")


def image(data):
    """The generations of an image, the newest first, and what is broken in it."""
    generations, found = [], []
    try:
        s, found = slots(data)
        while s:
            generations.append(Generation(data, s, generations[0].s if generations else s))
            if s.regions[NOTE][1]:
                generations[-1].checks("note", note, generations[-1].region[NOTE])
            found += generations[-1].found
            s = previous(data, s) if s.regions[HISTORY][1] else None
    except Broken as bad:
        found.append(str(bad))
    return generations, found


def previous(data, later):
    """The generation in HISTORY (P1 to P3)."""
    try:
        s = superblock(data, later.meta_start + later.regions[HISTORY][0])
    except Broken as bad:
        raise Broken(f"P1 {bad}") from None
    must(s.generation < later.generation, "P2")
    must(s.image_bytes <= later.data_end or s.meta_start == later.meta_start, "P3")
    return s


# --- changes -------------------------------------------------------------------------

def repaired(data, chain, at):
    """Makes right what sums up the byte at @at: chain has the superblocks, the newest first."""
    touched = {at}
    for s in reversed(chain):
        start, size = s.regions[BLOCKSUMS]
        sums, blocks = s.meta_start + start, -(-size // BLOCK) * BLOCK
        for i in {(p - s.meta_start) // BLOCK for p in touched
                  if 0 <= p - s.meta_start < s.meta_bytes}:
            if not start <= i * BLOCK < start + blocks:
                block = bytes(data[s.meta_start + i * BLOCK:][:BLOCK])
                struct.pack_into("<I", data, sums + i * 4, crc32c(block))
                touched.add(sums + i * 4)
        if any(sums <= p < sums + blocks for p in touched):
            struct.pack_into("<I", data, s.at + 224, crc32c(bytes(data[sums:sums + blocks])))
            touched.add(s.at)
        if any(s.at <= p < s.at + 512 for p in touched):
            raw = bytes(data[s.at:s.at + 512])
            struct.pack_into("<I", data, s.at + 4, crc32c(raw[:4] + bytes(4) + raw[8:]))
    data[SLOTS[1]:SLOTS[1] + 512] = data[SLOTS[0]:SLOTS[0] + 512]


def place(rand, chain):
    """A byte: of the superblock, or of a region of the newest or another generation."""
    s = chain[0] if rand.random() < .7 else rand.choice(chain)
    if rand.random() < .15:
        return s.at + rand.randrange(512), "superblock"
    kinds = [k for k, (_, size) in enumerate(s.regions) if size]
    kind = NAMES if s.regions[NAMES][1] and rand.random() < .4 else rand.choice(kinds)
    start, size = s.regions[kind]
    room = size if rand.random() < .95 else -(-size // BLOCK) * BLOCK
    return s.meta_start + start + rand.randrange(room), f"region {kind} of {s.generation}"


def changed(rand, data, chain):
    """An image with a byte of another value or a record of another place, and what was done."""
    while True:
        new, size = bytearray(data), rand.choice((1, 1, 1, 1, 2, 4, 8, 16))
        at, what = place(rand, chain)
        old, at = new[at], at - at % size
        if size > 1:        # what is a few records further
            other = at + size * rand.randrange(-20, 20)
            new[at:at + size] = data[other:other + size]
        else:
            new[at] = rand.choice((0, 255, old + 1 & 255, old - 1 & 255,
                                   old ^ 1 << rand.randrange(8), rand.randrange(256)))
        repaired(new, chain, at)
        if new != data:
            return new, f"{at} ({what}): {data[at:at + size].hex()} to {new[at:at + size].hex()}"


def judged(new):
    """What the reader says of an image."""
    try:
        return "; ".join(image(new)[1][:3])
    except Exception:  # pylint: disable=broad-except
        return "exception: " + traceback.format_exc()


def flip(count, seed, paths):
    """Changes; tells those of which reader and fsck.dsfs do not say the same."""
    rand, fsck = random.Random(seed), os.environ.get("FSCK", TOP / "build/fsck.dsfs")
    images = [(path, bytearray(Path(path).read_bytes())) for path in paths]
    images = [(path, data, [g.s for g in image(data)[0]]) for path, data in images]
    temp, bad, clean = Path(f"/dev/shm/reader.{os.getpid()}.dsfs"), 0, 0
    for number in range(count):
        path, data, chain = rand.choice(images)
        new, what = changed(rand, data, chain)
        temp.write_bytes(new)
        said = judged(new)
        done = subprocess.run([fsck, "-q", "--threads=1", temp], capture_output=True, check=False)
        clean += not said
        if (done.returncode == 0) == bool(said) or said.startswith("exception") or \
           done.returncode not in (0, 4, 8):
            bad += 1
            print(f"{path}: change {number}: byte {what}\n  reader: {said or 'clean'}\n"
                  f"  fsck {done.returncode}: {done.stderr.decode(errors='replace')[:300]}",
                  flush=True)
    temp.unlink(missing_ok=True)
    print(f"{count} changes, {clean} of them clean, {bad} disagreements", file=sys.stderr)
    return bad


def main(args):
    if args[0] == "--flip":
        return flip(int(args[1]), int(args[2]), args[3:])
    generations, found = image(Path(args[-1]).read_bytes())
    if args[0] == "--list":
        wanted = int(args[1].removeprefix("--generation=")) if len(args) > 2 else 0
        for g in [g for g in generations if wanted in (0, g.s.generation)][:1]:
            for told in g.objects():
                print(json.dumps(told))
    for line in found:
        print(line, file=sys.stderr if args[0] == "--list" else sys.stdout)
    return found


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
