# SPDX-License-Identifier: GPL-2.0
"""Images of a tree with what matters to the package, by the library and mkfs of build/."""
import functools
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
os.environ["DSFS_LIBRARY"] = str(TOP / "build/libdsfs.so.0")

# No UTF-8, and a newline
ODD = b"odd\xff\n"
CLASSES = ("cat", "dog", "eel")


@functools.lru_cache(maxsize=None)
def build():
    # It may be called by a make that has others for its jobs.
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MAKELEVEL")}
    subprocess.run(["make", "-s", "lib", "build/mkfs.dsfs", "build/dump.dsfs", "build/tests/mkcorrupt"], cwd=TOP, check=True,
                   env=environment)


def make_image(image, tree, *options, tool=("mkfs.dsfs",)):
    build()
    subprocess.run([TOP / "build" / tool[0], *tool[1:], "--quiet", *options, image, tree], check=True)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def pattern(size, seed):
    return bytes((i * 7 + (i >> 8) * 13 + seed) & 255 for i in range(size))


def make_tree(root):
    """Files of sizes around a chunk, holes, odd names, links of all kinds and xattrs."""
    root = os.fsencode(root)
    for size in (0, 1, 4095, 4096, 32767, 32768, 32769, 300000):
        write(root + b"/sizes/%d" % size, pattern(size, size & 255))
    for i in range(1500):
        write(root + b"/many/%04d" % i, b"%d" % i)
    write(root + b"/deep/a/b/" + ODD, b"odd")
    write(root + b"/deep/a/z", b"last")
    os.mkdir(root + b"/empty")
    with open(root + b"/holes", "wb") as file:
        for position in 40000, 200000, 500000:
            file.seek(position)
            file.write(b"data" * 2000)
        file.truncate(700000)
    os.link(root + b"/holes", root + b"/zhard")
    os.symlink(b"deep/a/b/" + ODD, root + b"/file-link")
    os.symlink(b"deep/a", root + b"/dir-link")
    os.symlink(b"nowhere", root + b"/broken-link")
    os.symlink(b"loop-link", root + b"/loop-link")
    os.mkfifo(root + b"/pipe")
    os.utime(root + b"/deep/a/z", ns=(0, -1500000000))
    os.chmod(root + b"/deep/a/z", 0o4751)
    os.setxattr(root + b"/deep/a/z", b"user.colour", b"blue\0green")
    os.setxattr(root + b"/deep/a/z", b"user.empty", b"")
    os.setxattr(root + b"/deep", b"user." + ODD, b"odd")


def regular_files(root):
    """Paths in root, in bytes, depth first."""
    for name in sorted(os.listdir(root)):
        path = os.path.join(root, name)
        if os.path.islink(path):
            continue
        if os.path.isdir(path):
            yield from (os.path.join(name, below) for below in regular_files(path))
        elif os.path.isfile(path):
            yield name


def folders_of(root, count):
    """A data set with a class for each folder."""
    for i in range(count):
        write(f"{root}/{CLASSES[i % 3]}/{i:03}.jpg", b"%d" % i)
    write(f"{root}/cat/notes.txt", b"no image")


class ImageCase(unittest.TestCase):
    """self.root is a tree, self.image the path of an image of it, both of the class."""

    options = ()

    @staticmethod
    def fill(root):
        make_tree(root)

    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.top)
        cls.root = os.path.join(cls.top, "tree")
        cls.image = os.path.join(cls.top, "image.dsfs")
        os.mkdir(cls.root)
        cls.fill(cls.root)
        make_image(cls.image, cls.root, *cls.options)

    def copy(self):
        """A copy of the image that may be spoilt."""
        handle, path = tempfile.mkstemp(dir=self.top)
        os.close(handle)
        shutil.copyfile(self.image, path)
        return path
