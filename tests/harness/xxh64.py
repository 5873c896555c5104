# SPDX-License-Identifier: GPL-2.0
"""Contents that differ and have the same XXH64.

It is no signature: four sums take words of 8 bytes in turn, and a word can lead its sum
from anywhere to anywhere.  So 32 bytes lead all four to where they are in another content.
"""
import struct

MASK = (1 << 64) - 1
PRIME1 = 0x9E3779B185EBCA87
PRIME2 = 0xC2B2AE3D27D4EB4F
STRIPE = 32


def rotated(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def lanes(data, start=None):
    """The four sums behind the data, which begin at start: those of a content's first byte."""
    sums = list(start or ((PRIME1 + PRIME2) & MASK, PRIME2, 0, -PRIME1 & MASK))
    for at in range(0, len(data) // STRIPE * STRIPE, STRIPE):
        for i, word in enumerate(struct.unpack_from("<4Q", data, at)):
            sums[i] = rotated((sums[i] + word * PRIME2) & MASK, 31) * PRIME1 & MASK
    return sums


def settle(have, want):
    """The 32 bytes that lead the sums from have to want."""
    back = pow(PRIME1, -1, 1 << 64), pow(PRIME2, -1, 1 << 64)
    return struct.pack("<4Q", *((rotated(w * back[0] & MASK, 33) - h) * back[1] & MASK
                                for h, w in zip(have, want)))
