# SPDX-License-Identifier: GPL-2.0
"""An image, what is in it, and the tools."""
import os
import random
import subprocess
from pathlib import Path

import cases

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
# Nothing waits long here, and a lost request is noticed soon.
QUICK = "backoff=1,timeout=2"


class World:
    def __init__(self, work):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("MAKEFLAGS", "MAKELEVEL")}
        subprocess.run(["make", "-s", "lib", "tools"], cwd=TOP, check=True, env=environment)
        self.work = Path(work)
        self.folder = self.work / "served"
        self.tree = self.work / "tree"
        self.image = self.folder / "set.dsfs"
        self.folder.mkdir()
        self.make_tree()
        subprocess.run([BUILD / "mkfs.dsfs", "--quiet", "--digest", self.image, self.tree],
                       check=True)
        self.bytes = self.image.read_bytes()

    def make_tree(self):
        """Samples of a cat's and a dog's size, holes, and a large one."""
        self.files = {}
        draw = random.Random(27)
        for i in range(400):
            size = draw.choice((3, 900, 4096, 30000, 32768, 65537, 110000))
            # No two are the same: they would be one request.
            self.files[f"class-{i % 4}/{i}.bin"] = b"%03d" % i + draw.randbytes(size - 3)
        self.files["twins/1"] = self.files["twins/2"] = draw.randbytes(20000)
        self.files["large"] = draw.randbytes(3 << 20)
        self.files["holes"] = bytes(100000) + b"data" * 5000 + bytes(300000) + b"end"
        for path, data in self.files.items():
            target = self.tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def tool(self, name, *args, source=None, **options):
        """What a tool wrote to both outputs, and how it ended"""
        more = ["--source", source] if source else []
        done = subprocess.run([BUILD / name, *more, *args], capture_output=True, check=False,
                              **options)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace")

    def open(self, url, source=QUICK, **options):
        import dsfs
        return dsfs.Image(url, source=source, **options)


def error_of(function, *args, **options):
    """The text of the OSError that a call raises; None if it raises none."""
    try:
        function(*args, **options)
    except OSError as error:
        return str(error)
    return None


def has(name, text, *words):
    """A case: a text holds all words."""
    missing = [word for word in words if word not in (text or "")]
    return cases.result(not missing, name, f"text: {text}", f"missing: {missing}")
