#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
shapes.py DIR [FILES SIZE] - trees with the names of data sets, FILES (1000) in each.  Each file has
bytes of its own, or is a hole of half to one and a half times SIZE, for mkfs.dsfs --dry-run.
"""
import os
import random
import sys

SHAPES = {
    "imagenet": lambda i: "n%08d/n%08d_%d.JPEG" % (1440764 + i // 1300, 1440764 + i // 1300,
                                                  random.randrange(20000) * 2 + i % 2),
    "laion": lambda i: "%05d/%09d.%s" % (i // 3000, i // 3, ("jpg", "json", "txt")[i % 3]),
    "librispeech": lambda i: "%d/%d/%d-%d-%04d.flac" % (
        84 + i // 400, 121123 + i // 100, 84 + i // 400, 121123 + i // 100, i % 100),
    "zarr": lambda i: "0/%d.%d.%d" % (i // 400, i // 20 % 20, i % 20),
    "coco": lambda i: "train2017/%012d.jpg" % (9 + 49 * i),
    "hex32": lambda i: "%032x" % random.getrandbits(128),
    "hex64": lambda i: "%064x" % random.getrandbits(256),
}

random.seed(1)
for shape, name in SHAPES.items():
    for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1000):
        path = os.path.join(sys.argv[1], shape, name(number))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            if len(sys.argv) > 3:
                f.truncate(random.randrange(int(sys.argv[3]) // 2, int(sys.argv[3]) * 3 // 2))
            else:
                f.write(random.randbytes(random.randrange(300, 9000)))
        os.utime(path, (1300000000 + number // 7, 1300000000 + number // 7))
