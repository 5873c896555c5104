# SPDX-License-Identifier: GPL-2.0
"""Images as a file system of fsspec's, and pandas through it."""
import datetime
import importlib.util
import io
import os
import pickle
import subprocess
import sys
import unittest
import zipfile
from unittest import mock

from images import ODD, TOP, ImageCase, make_image, pattern, write

HAVE = importlib.util.find_spec("fsspec") is not None
if HAVE:
    import fsspec
    from dsfs.fsspec import DSFSFileSystem


@unittest.skipUnless(HAVE, "no fsspec")
class FSSpec(ImageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fsspec.register_implementation("dsfs", DSFSFileSystem, clobber=True)
        cls.addClassCleanup(DSFSFileSystem.clear_instance_cache)

    def setUp(self):
        self.fs = fsspec.filesystem("dsfs", fo=self.image)

    def test_names_are_those_of_the_tree(self):
        local = fsspec.filesystem("file")
        # What the walk of either follows: no links to directories.
        for path in "", "deep", "deep/a/b":
            real = local.find(os.path.join(self.root, path))
            real = sorted(os.path.relpath(name, self.root) for name in real)
            self.assertEqual(sorted(self.fs.find(path)), real)
        self.assertEqual(self.fs.ls("/deep/", detail=False), ["deep/a"])
        self.assertEqual([info["name"] for info in self.fs.ls("dsfs://deep/a")],
                         ["deep/a/b", "deep/a/z"])
        self.assertEqual(self.fs.ls("deep/a/z", detail=False), ["deep/a/z"])
        self.assertEqual(self.fs.glob("sizes/3*"), ["sizes/300000", "sizes/32767", "sizes/32768",
                                                    "sizes/32769"])

    def test_what_is_told_of_a_name(self):
        local = fsspec.filesystem("file")
        for path in "deep", "deep/a/z", "holes", "file-link", "dir-link", "pipe":
            ours, real = self.fs.info(path), local.info(os.path.join(self.root, path))
            self.assertEqual(ours["name"], path)
            names = ["type", "islink", "mode", "uid", "gid", "mtime", "nlink", "destination"]
            names += [] if real["type"] == "directory" else ["size"]
            for name in names:
                self.assertEqual(ours.get(name), real.get(name), (path, name))
        self.assertEqual([(info["name"], info["type"], info["size"]) for info in self.fs.ls("")
                          if info["islink"]],
                         [("broken-link", "other", 0), ("dir-link", "other", 0),
                          ("file-link", "file", 3), ("loop-link", "other", 0)])
        self.assertEqual(self.fs.info("")["type"], "directory")
        self.assertTrue(self.fs.isdir("dir-link") and self.fs.isfile("file-link"))
        self.assertFalse(self.fs.exists("gone"))
        self.assertEqual(self.fs.modified("deep/a/z"),
                         datetime.datetime(1969, 12, 31, 23, 59, 58, 500000,
                                           datetime.timezone.utc))
        self.assertRaises(FileNotFoundError, self.fs.info, "gone")
        self.assertRaises(FileNotFoundError, self.fs.ls, "gone")

    def test_contents_and_parts_of_them(self):
        data = pattern(300000, 300000 & 255)
        for start, end in ((None, None), (5, None), (None, 5), (-5, None), (None, -5), (7, 9),
                           (9, 7), (-400000, 3), (299990, 400000), (400000, None)):
            self.assertEqual(self.fs.cat_file("sizes/300000", start, end), data[start:end])
        self.assertEqual(self.fs.cat("many/0003"), b"3")
        self.assertEqual(self.fs.cat(["many/0003", "/deep/a/b/" + os.fsdecode(ODD)]),
                         {"many/0003": b"3", "deep/a/b/" + os.fsdecode(ODD): b"odd"})
        self.assertEqual(self.fs.cat("many", recursive=True),
                         {f"many/{i:04}": b"%d" % i for i in range(1500)})

    def test_ranges_are_asked_for_before_one_is_waited_for(self):
        paths = [f"many/{i:04}" for i in range(64)]
        events = []

        def pread(_file, length, position):
            events.append(("pread", length, position))
            return b"x" * length
        with mock.patch("dsfs.handle.File.readahead", lambda *args: events.append(args)), \
                mock.patch("dsfs.handle.File.pread", pread):
            found = self.fs.cat_ranges(paths, 0, [1] * 64)
        self.assertEqual(found, [b"x"] * 64)
        self.assertEqual([event[0] == "pread" for event in events], [False] * 64 + [True] * 64)
        self.assertEqual({event[1:] for event in events[:64]}, {(1, 0)})

    def test_errors_of_ranges(self):
        found = self.fs.cat_ranges(["sizes/4096", "gone", "deep"], [1, 0, 0], [3, None, None])
        self.assertEqual(found[0], pattern(4096, 0)[1:3])
        self.assertIsInstance(found[1], FileNotFoundError)
        self.assertIsInstance(found[2], IsADirectoryError)
        self.assertRaises(FileNotFoundError, self.fs.cat_ranges, ["gone"], 0, 1,
                          on_error="raise")
        self.assertRaises(ValueError, self.fs.cat_ranges, ["gone"], [0, 1], 1)
        self.assertRaises(TypeError, self.fs.cat_ranges, "gone", 0, 1)
        self.assertEqual(self.fs.cat(["gone", "many/0003"], on_error="omit"),
                         {"many/0003": b"3"})
        self.assertIsInstance(self.fs.cat(["gone"], on_error="return")["gone"],
                              FileNotFoundError)

    def test_files_are_opened(self):
        with self.fs.open("sizes/300000") as file:
            self.assertEqual((file.size, file.seek(10), file.read(5)),
                             (300000, 10, pattern(15, 300000 & 255)[10:]))
        with self.fs.open("many/0007", "r") as file:
            self.assertIsInstance(file, io.TextIOWrapper)
            self.assertEqual(file.read(), "7")
        for mode in "wb", "ab", "w":
            with self.assertRaisesRegex(OSError, "read-only"):
                self.fs.open("many/0007", mode)

    def test_urls_are_chained(self):
        with fsspec.open(f"dsfs://many/0007::{self.image}") as file:
            self.assertEqual(file.read(), b"7")
        with fsspec.open(f"dsfs://many/0007::file://{self.image}", "rt") as file:
            self.assertEqual(file.read(), "7")
        files = fsspec.open_files(f"dsfs://many/000*::{self.image}")
        self.assertEqual(len(files), 10)
        cache = f"{self.top}/cache"
        with fsspec.open(f"dsfs://many/0007::simplecache::file://{self.image}",
                         simplecache={"cache_storage": cache}) as file:
            self.assertEqual(file.read(), b"7")
        self.assertEqual(len(os.listdir(cache)), 1)
        with fsspec.open("memory://image.dsfs", "wb") as file:
            file.write(b"x")
        with self.assertRaisesRegex(ValueError, "simplecache::"):
            fsspec.open("dsfs://many/0007::memory://image.dsfs").open()
        self.assertRaises(FileNotFoundError, fsspec.open, "dsfs://many/0007::/gone")

    def test_one_image_is_opened_once(self):
        self.assertIs(fsspec.filesystem("dsfs", fo=self.image), self.fs)
        again = pickle.loads(pickle.dumps(self.fs))
        self.assertEqual(again.cat("many/0003"), b"3")

    def test_an_older_generation(self):
        path = self.copy()
        os.mkdir(f"{self.top}/new")
        write(f"{self.top}/new/file", b"second")
        keys = [fsspec.filesystem("dsfs", fo=path).ukey("deep")]
        make_image(path, f"{self.top}/new", "--force", tool=("dsfs", "update"))
        new = fsspec.filesystem("dsfs", fo=path, skip_instance_cache=True)
        self.assertEqual(new.ls("", detail=False), ["file"])
        self.assertNotEqual(new.ukey("deep"), keys[0])
        with fsspec.open(f"dsfs://many/0007::{path}", dsfs={"generation": 1}) as file:
            self.assertEqual(file.read(), b"7")

    def test_it_is_registered_where_the_package_is_installed(self):
        site = f"{self.top}/site"
        build = "import build_wheel, sys; print(build_wheel.build_wheel(sys.argv[1]))"
        wheel = subprocess.run([sys.executable, "-B", "-c", build, self.top], check=True,
                               capture_output=True, text=True, cwd=TOP / "userspace/python").stdout
        zipfile.ZipFile(f"{self.top}/{wheel.strip()}").extractall(site)
        script = "import fsspec, sys; print(fsspec.open(sys.argv[1]).open().read())"
        done = subprocess.run([sys.executable, "-c", script, f"dsfs://many/0007::{self.image}"],
                              check=True, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": site})
        self.assertEqual(done.stdout, "b'7'\n")


@unittest.skipUnless(HAVE and importlib.util.find_spec("pandas"), "no pandas")
class Pandas(ImageCase):
    @staticmethod
    def fill(root):
        write(f"{root}/labels.csv", b"name,label\ncat.jpg,1\ndog.jpg,2\n")

    def test_it_reads_a_table(self):
        import pandas
        fsspec.register_implementation("dsfs", DSFSFileSystem, clobber=True)
        self.addCleanup(DSFSFileSystem.clear_instance_cache)
        table = pandas.read_csv(f"dsfs://labels.csv::{self.image}")
        self.assertEqual(table["label"].sum(), 3)
