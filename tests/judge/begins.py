# SPDX-License-Identifier: GPL-2.0
"""
begins.py - archives compressed by every program and option, whole and damaged, judged by the
program that defines the format: what it does not decompress is no image, and of all else the
image is that of what it decompresses.
"""
import os
import random
import shutil
import subprocess

import images
from images import DSFS

# what decompresses, and the commands that compress: of $1, and of its halves $2 and $3
FORMATS = {
    "gzip": ["gzip -1c $1", "gzip -9nc $1", "gzip -c $2; gzip -c $3",
             "gzip -c $1; head -c 5000 /dev/zero", "pigz -c $1", "python3 -c 'import gzip, sys; "
             "sys.stdout.buffer.write(gzip.compress(open(sys.argv[1], \"rb\").read()))' $1",
             "gzip -c $2; gzip -c /dev/null; gzip -c $3"],
    "bzip2": ["bzip2 -1c $1", "bzip2 -9c $1", "bzip2 -c $2; bzip2 -c $3", "pbzip2 -c $1"],
    "xz": ["xz -0c $1", "xz -6ec $1", "xz -c --check=none $1", "xz -c --check=crc32 $1",
           "xz -c --check=sha256 $1", "xz -c $2; xz -c $3", "xz -0c --block-size=20000 $1",
           "xz -c $1; head -c 4 /dev/zero", "xz -c --x86 --lzma2 $1", "pixz -t <$1"],
    "zstd": ["zstd -qc $1", "zstd -qc --no-check $1", "zstd -qc -19 --long=27 $1", "zstd -qc <$1",
             "zstd -qc $2; zstd -qc $3", "pzstd -qc $1", "pzstd -qc -p 3 -1 $1",
             "printf '\\x5f\\x2a\\x4d\\x18\\x0\\x0\\x5\\x0'; head -c 327680 /dev/zero; zstd -qc $1",
             "zstd -qc $1; printf '\\x50\\x2a\\x4d\\x18\\x3\\x0\\x0\\x0abc'"],
    "lz4": ["lz4 -1qc $1", "lz4 -9qc -B4 $1", "lz4 -qc -BD $1", "lz4 -qc --no-frame-crc $1",
            "lz4 -qc --content-size $1", "lz4 -qc $2; lz4 -qc $3", "lz4 -qc -BX $1"],
    "lzip": ["lzip -0c $1", "lzip -9c $1", "lzip -c $2; lzip -c $3", "lzip -b 100000 -c $1",
             "plzip -n 2 -c $1"],
}


def damaged(rng, data):
    """Ways in which bytes get lost on their way."""
    at = rng.randrange(len(data))
    yield f"bit of byte {at}", data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
    at = rng.choice((rng.randrange(len(data)), len(data) - rng.randrange(1, 20)))
    yield f"cut off at byte {at}", data[:at]
    yield "more behind it", data + rng.randbytes(rng.choice((1, 5, 600)))


def compared(work, what, data, program):
    """What is wrong with what mkfs.dsfs makes of @data."""
    packed, plain, image = (os.path.join(work, n) for n in ("packed", "judged", "image"))
    with open(packed, "wb") as f:
        f.write(data)
    with open(plain, "wb") as out, open(packed, "rb") as f:
        judged = images.run(program, "-dc", *["-q"] * (program != "bzip2"), stdin=f, stdout=out)
    digests = [images.run(DSFS, "digest", "--full", f"--tar={path}") for path in (packed, plain)]
    got, want = digests
    # behind the last frame of lz4 libarchive takes anything
    refused = (judged.returncode and not (program == "lz4" and "more behind it" in what)) or \
        want.returncode
    if refused and not got.returncode:
        yield f"{what}: taken, and {program} says {judged.stderr.decode('utf-8', 'replace')}"
    elif not refused and not judged.returncode and (got.returncode or got.stdout.split()[-1] != want.stdout.split()[-1]):
        yield f"{what}: exit {got.returncode}: {got.stderr.decode('utf-8', 'replace')}"
    elif got.returncode and (got.returncode != 1 or not got.stderr or os.path.exists(image)):
        yield f"{what}: exit {got.returncode}, no message"


def judge(work, count, damages):
    """All formats; each archive is damaged @damages times."""
    rng = random.Random("begins")
    tree, tar = os.path.join(work, "tree"), os.path.join(work, "a.tar")
    os.mkdir(tree)
    for name, data in (("text", b"".join(b"%d\n" % i for i in range(30000))),
                       ("random", rng.randbytes(70000))):
        with open(os.path.join(tree, name), "wb") as f:
            f.write(data)
    images.must("tar", "-C", work, "-cf", tar, "tree")
    halves = [os.path.join(work, half) for half in "23"]
    with open(tar, "rb") as f:
        whole = f.read()
    for path, part in zip(halves, (whole[:99999], whole[99999:])):
        with open(path, "wb") as f:
            f.write(part)
    for program, commands in FORMATS.items():
        for command in commands if shutil.which(program) else ():
            if not shutil.which(command.split()[0]):
                continue
            done = subprocess.run(["bash", "-c", "set -e; " + command, "-", tar, *halves],
                                  capture_output=True, check=True)
            yield from compared(work, command, done.stdout, program)
            for _ in range(damages):
                for what, data in damaged(rng, done.stdout):
                    yield from compared(work, f"{command}: {what}", data, program)
            count["begins"] = count.get("begins", 0) + 1
