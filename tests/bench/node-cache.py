#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
node-cache.py IMAGE ROUNDS - samples a second of an image on the node and of the same by a cache.

For tests/bench/node-cache.  An nginx serves the image's folder.  A first run fills the cache.
Then both files leave the page cache and come back by the same reads, so that neither has it
in larger pieces than the other.  Prints a line a round, "round HERE FAR", then "first N" and
"requests N": of the first run, and of all rounds of the second, which opens the image by one
more.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/http"))
from nginx import Nginx


def forget(path):
    """Have a file leave the page cache."""
    with open(path, "rb") as file:
        os.fsync(file)
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main(image, rounds):
    image = Path(image).resolve()
    with tempfile.TemporaryDirectory(dir=image.parent) as work:
        server = Nginx(image.parent, f"{work}/nginx")
        arguments = [image, server.url(f"/{image.name}"), f"cache-dir={work}/cache"]
        try:
            server.requests()
            subprocess.run([TOP / "build/tests/samples", "0", *arguments], check=True)
            print("first", len(server.requests()))
            for path in image, *Path(f"{work}/cache").iterdir():
                forget(path)
            done = subprocess.run([TOP / "build/tests/samples", rounds, *arguments], check=True,
                                  stdout=subprocess.PIPE, text=True)
            for line in done.stdout.splitlines():
                print("round", line)
            print("requests", len(server.requests()) - 1)
        finally:
            server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
