# SPDX-License-Identifier: GPL-2.0
"""dsfs.pack: parts by an executor, whose one image has the digest of one machine's."""
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import dsfs
from images import TOP, ImageCase, build, write


class Flaky(ThreadPoolExecutor):
    """An engine whose workers do each call twice, as after a loss."""

    def submit(self, fn, /, *args):
        return super().submit(lambda: [fn(*args), fn(*args)][1])


class Packs(ImageCase):
    def setUp(self):
        build()
        subprocess.run(["make", "-s", "build/dsfs"], cwd=TOP, check=True)
        os.environ["DSFS_COMMAND"] = str(TOP / "build/dsfs")
        own = f"{self.top}/{self.id()}"
        self.source, self.target = f"{own}/tree", f"{own}/packed.dsfs"
        for i in range(40):
            write(f"{self.source}/{i % 3}/{i}.jpg", b"%d" % i * 999)
        os.link(f"{self.source}/0/3.jpg", f"{self.source}/1/again.jpg")

    def digest(self, image):
        return subprocess.run([TOP / "build/dsfs", "digest", "--full", image], check=True,
                              capture_output=True).stdout

    def test_a_pool_of_processes_packs_what_one_machine_does(self):
        done = []
        dsfs.pack(self.source, self.target, parts=3, message="of three",
                  progress=lambda *at: done.append(at))
        self.assertEqual(done, [(1, 3), (2, 3), (3, 3)])
        self.assertEqual(self.digest(self.target), self.digest(self.source))
        with dsfs.Image(self.target) as image:
            self.assertEqual(len(list(image)), 41)

    def test_any_executor_does_and_a_part_may_be_made_twice(self):
        with Flaky(2) as executor:
            dsfs.pack(self.source, self.target, executor, 5, room=1 << 20,
                      options=["--align=512,object=64K"])
        self.assertEqual(self.digest(self.target), self.digest(self.source))

    def test_what_a_part_says_is_the_error_and_there_is_no_image(self):
        with self.assertRaisesRegex(OSError, "room of the part too small"):
            dsfs.pack(self.source, self.target, parts=2, room=65536)
        with self.assertRaises(OSError):
            dsfs.Image(self.target)
        dsfs.pack(self.source, self.target, parts=2)
        with self.assertRaisesRegex(OSError, "lies in an image"):
            dsfs.pack(self.source, self.target, parts=2)
