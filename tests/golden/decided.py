#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
decided.py join|erase IMAGE - make what format.rst has decided of images that no tool writes.

join: no HISTORY, though there is data of older generations: what an image of parts looks like
erase: an erase that was cut off
"""
import struct
import sys

SLOTS = 1024, 66560
HISTORY = 256 + 16 * 11
ERASING = 2


def crc32c(data, crc=0xFFFFFFFF):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 & -(crc & 1)
    return crc ^ 0xFFFFFFFF


def main(what, path):
    with open(path, "rb") as f:
        image = bytearray(f.read())
    sb = image[SLOTS[0]:SLOTS[0] + 512]
    if what == "join":
        sb[HISTORY:HISTORY + 16] = bytes(16)
    else:
        sb[16] |= ERASING
    sb[4:8] = bytes(4)
    struct.pack_into("<I", sb, 4, crc32c(sb))
    for slot in SLOTS:
        image[slot:slot + 512] = sb
    with open(path, "wb") as f:
        f.write(image)


main(*sys.argv[1:])
