# SPDX-License-Identifier: GPL-2.0
"""dsfs.edit: an image is changed by all operations of a with statement, or by none."""
import os
import subprocess

import dsfs
from images import ODD, TOP, ImageCase, build, write


class Edits(ImageCase):
    @staticmethod
    def fill(root):
        for name in "cat/1.jpg", "cat/2.jpg", "dog/1.jpg":
            write(f"{root}/{name}", name.encode())
        write(os.fsencode(root) + b"/cat/" + ODD, b"odd")

    def setUp(self):
        build()
        subprocess.run(["make", "-s", "build/dsfs"], cwd=TOP, check=True)
        os.environ["DSFS_COMMAND"] = str(TOP / "build/dsfs")
        self.path = self.copy()

    def contents(self):
        with dsfs.Image(self.path) as image:
            return {os.fsdecode(path): image[path] for path in image}

    def test_all_operations_are_one_generation(self):
        before = self.contents()
        write(f"{self.top}/new/5.jpg", b"new")
        with dsfs.edit(self.path, message="all", touch=True) as changes:
            changes.remove("dog", recursive=True)
            changes.move("/cat/1.jpg", "cat/9.jpg")
            changes.move(b"cat/" + ODD, b"odd\xfe")
            changes.add(f"{self.top}/new", "new/more")
            changes.add(f"{self.top}/new/5.jpg", "cat/2.jpg", replace=True)
            changes.set("cat/9.jpg", mode=0o640, mtime_ns=-1500000000,
                        xattrs={"user.a": b"\0\xff"})
            self.assertEqual(len(changes), 6)
            self.assertEqual(self.contents(), before)
        self.assertEqual(self.contents(), {"cat/2.jpg": b"new", "cat/9.jpg": b"cat/1.jpg",
                                           "new/more/5.jpg": b"new", os.fsdecode(b"odd\xfe"): b"odd"})
        with dsfs.Image(self.path) as image:
            stat = image.stat("cat/9.jpg")
            self.assertEqual((stat.st_mode & 0o7777, stat.st_mtime_ns), (0o640, -1500000000))
            self.assertEqual(image.getxattr("cat/9.jpg", "user.a"), b"\0\xff")
            self.assertEqual(image.info.generation, 2)

    def test_an_exception_leaves_the_image_as_it_was(self):
        before = self.contents()
        with self.assertRaises(KeyError):
            with dsfs.edit(self.path) as changes:
                changes.remove("cat/1.jpg")
                raise KeyError
        self.assertEqual(self.contents(), before)

    def test_a_wrong_operation_is_told_and_none_is_done(self):
        before = self.contents()
        with self.assertRaisesRegex(OSError, "line 2: nothing: is not there"):
            with dsfs.edit(self.path) as changes:
                changes.remove("cat/1.jpg")
                changes.remove("nothing")
        self.assertEqual(self.contents(), before)

    def test_nothing_is_no_generation(self):
        with dsfs.edit(self.path):
            pass
        with dsfs.Image(self.path) as image:
            self.assertEqual(image.info.generation, 1)
