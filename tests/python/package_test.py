# SPDX-License-Identifier: GPL-2.0
"""The package as a whole: its examples, its types, and that it calls the library as dsfs.h
declares it."""
import ctypes
import doctest
import importlib
import importlib.util
import os
import pkgutil
import re
import subprocess
import sys
import unittest

import dsfs
from dsfs import library
from images import TOP, ImageCase, build, write

HERE = TOP / "userspace/python"
# What their docstrings need
NEEDS = {"dsfs.fsspec": "fsspec"}


def modules():
    for found in pkgutil.walk_packages(dsfs.__path__, "dsfs."):
        if importlib.util.find_spec(NEEDS.get(found.name, "dsfs")):
            yield importlib.import_module(found.name)


def run_module(*args, **more):
    return subprocess.run([sys.executable, "-m", *args], cwd=HERE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)


class Package(ImageCase):
    @staticmethod
    def fill(root):
        for name, text in (("rose/1.jpg", b"a red rose"), ("rose/2.jpg", b"a pink rose"),
                           ("tulip/1.jpg", b"a white tulip")):
            write(f"{root}/{name}", text)
        os.symlink("rose/1.jpg", f"{root}/favourite")
        os.setxattr(f"{root}/rose/1.jpg", "user.colour", b"red")

    def test_examples_are_right(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.top)
        os.rename("tree", "flowers")
        self.addCleanup(os.rename, f"{self.top}/flowers", self.root)
        subprocess.run([TOP / "build/mkfs.dsfs", "-q", "-L", "flowers", "flowers.dsfs", "flowers"],
                       check=True)
        tried = 0
        for module in modules():
            with dsfs.Image("flowers.dsfs") as image:
                failed, count = doctest.testmod(module, verbose=False,
                                                extraglobs={"dsfs": dsfs, "image": image})
            self.assertEqual(failed, 0, module.__name__)
            tried += count
        self.assertGreater(tried, 20)

    def test_types_are_right(self):
        if not importlib.util.find_spec("mypy"):
            self.skipTest("no mypy")
        # What it knows of the libraries is kept: to find that out takes it longest.
        mypy = "mypy", "--strict", "--cache-dir", str(TOP / "build/tests/mypy")
        done = run_module(*mypy, "-p", "dsfs")
        self.assertEqual(done.returncode, 0, done.stdout)
        write(f"{self.top}/use.py", b'import dsfs\nreveal_type(dsfs.Image("x")["y"])\n')
        done = run_module(*mypy, f"{self.top}/use.py")
        self.assertIn('Revealed type is "builtins.bytes"', done.stdout)

    @unittest.skipUnless(importlib.util.find_spec("pip"), "no pip")
    def test_pip_installs_it_without_an_index(self):
        site = f"{self.top}/site"
        done = run_module("pip", "--isolated", "install", "--quiet", "--no-index", "--target", site, ".")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual({name for name in os.listdir(f"{site}/dsfs") if "." in name},
                         {name for name in os.listdir(HERE / "dsfs") if "." in name})

    def test_the_tables_of_the_pages_are_what_the_code_says(self):
        done = subprocess.run([TOP / "scripts/python-tables", "--check"], text=True, check=False,
                              stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_names_are_used_and_known(self):
        if not importlib.util.find_spec("pyflakes"):
            self.skipTest("no pyflakes")
        done = run_module("pyflakes", "dsfs", str(TOP / "tests/python"))
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Declarations(unittest.TestCase):
    STRUCTURES = {"dsfs_error": library.Error, "dsfs_open_options": library.OpenOptions,
                  "dsfs_info": library.Info, "dsfs_stat": library.Stat,
                  "dsfs_dirent": library.Dirent}
    CONSTANTS = {"DSFS_ROOT_INO": library.ROOT_INO, "DSFS_SYMLINK_MAX": library.SYMLINK_MAX,
                 "DSFS_FOLLOW": library.FOLLOW, "DSFS_UNCHECKED": library.UNCHECKED,
                 "DSFS_VERIFY_DATA": library.VERIFY_DATA}

    def asserts(self):
        """What a C compiler has to agree with."""
        for name, structure in self.STRUCTURES.items():
            yield f"sizeof(struct {name}) == {ctypes.sizeof(structure)}"
            for field, *_ in structure._fields_:
                place = getattr(structure, field)
                yield f"offsetof(struct {name}, {field}) == {place.offset}"
                yield f"sizeof(((struct {name} *)0)->{field}) == {place.size}"
        for name, value in self.CONSTANTS.items():
            yield f"{name} == {value}"

    def test_structures_and_constants_are_those_of_dsfs_h(self):
        source = "#include \"dsfs.h\"\n" + "".join(
            f"_Static_assert({text}, \"\");\n" for text in self.asserts())
        done = subprocess.run(["cc", "-I", TOP / "userspace/lib", "-fsyntax-only", "-x", "c",
                               "-"], input=source, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_functions_are_those_of_dsfs_h(self):
        kinds = {"int": ctypes.c_int, "unsigned int": ctypes.c_uint32, "void": None,
                 "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t,
                 "ssize_t": ctypes.c_ssize_t}
        plain = set(kinds.values())

        def of(text):
            return "pointer" if "*" in text else kinds[" ".join(text.split())]

        def called(kind):
            return kind if kind in plain else "pointer"
        header = (TOP / "userspace/lib/dsfs.h").read_text()
        declared = {}
        for result, name, arguments in re.findall(r"^(\w.*?)(dsfs_\w+)\(([^)]*)\);", header,
                                                  re.MULTILINE):
            arguments = [re.sub(r"\w+$", "", text) for text in arguments.split(",")]
            declared[name] = of(result), [of(text) for text in arguments if text.strip()]
        for name, (result, arguments) in library._FUNCTIONS.items():
            self.assertEqual(declared[name], (called(result), [called(a) for a in arguments]),
                             name)

    def test_the_library_has_them(self):
        build()
        self.assertTrue(library.load())
