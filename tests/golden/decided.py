#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
decided.py relabel|join|erase IMAGE - make what format.rst has decided of images that no tool writes.

relabel: a generation with another label, UUID and message and the same tree
join: no HISTORY, though there is data of older generations: what an image of parts looks like
erase: an erase that was cut off
"""
import struct
import sys

BLOCK, SLOTS = 4096, (1024, 66560)
HISTORY, NOTE, SUMS = 11, 13, 0
ERASING = 2


def crc32c(data, crc=0xFFFFFFFF):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 & -(crc & 1)
    return crc ^ 0xFFFFFFFF


def get(sb, form, at):
    return struct.unpack_from(form, sb, at)[0]


def region(sb, number, value=None):
    if value:
        struct.pack_into("<QQ", sb, 256 + 16 * number, *value)
    return struct.unpack_from("<QQ", sb, 256 + 16 * number)


def relabel(image, sb):
    """HISTORY, NOTE and BLOCKSUMS anew, behind the metadata area, which they make longer."""
    start, length = get(sb, "<Q", 152), get(sb, "<Q", 160)
    at, size = region(sb, SUMS)
    sums = bytearray(image[start + at:start + at + size])
    for block in range(at // BLOCK, (at + size - 1) // BLOCK + 1):
        struct.pack_into("<I", sums, 4 * block,
                         crc32c(image[start + BLOCK * block:start + BLOCK * (block + 1)]))
    message = b"the same tree"
    note = bytes(2) + struct.pack("<H", len(message)) + bytes(40) + message
    area = bytes(sb).ljust(BLOCK, b"\0") + note.ljust(BLOCK, b"\0")
    sums += struct.pack("<II", crc32c(area[:BLOCK]), crc32c(area[BLOCK:]))
    region(sb, HISTORY, (length, 512))
    region(sb, NOTE, (length + BLOCK, 1068))
    region(sb, SUMS, (length + 2 * BLOCK, len(sums) + 4))
    area += bytes(sums).ljust(BLOCK, b"\0")
    assert len(sums) < BLOCK
    struct.pack_into("<Q", sb, 32, get(sb, "<Q", 32) + 1)
    sb[48:64], sb[64:128] = bytes(range(16)), b"another".ljust(64, b"\0")
    struct.pack_into("<Q", sb, 128, start + length + len(area))
    struct.pack_into("<Q", sb, 160, length + len(area))
    struct.pack_into("<I", sb, 224, crc32c(area[2 * BLOCK:]))
    image[start + length:] = area


def main(what, path):
    with open(path, "rb") as f:
        image = bytearray(f.read())
    sb = image[SLOTS[0]:SLOTS[0] + 512]
    if what == "relabel":
        relabel(image, sb)
    elif what == "join":
        region(sb, HISTORY, (0, 0))
    else:
        struct.pack_into("<Q", sb, 16, get(sb, "<Q", 16) | ERASING)
    sb[4:8] = bytes(4)
    struct.pack_into("<I", sb, 4, crc32c(sb))
    for slot in SLOTS:
        image[slot:slot + 512] = sb
    with open(path, "wb") as f:
        f.write(image)


main(*sys.argv[1:])
