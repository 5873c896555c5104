# SPDX-License-Identifier: GPL-2.0
"""The prefetcher alone."""
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from unittest import mock

from dsfs import Prefetcher, ahead, filesystem, prefetch
from samples import Case, name_of, prefetchers

TOP = Path(__file__).resolve().parents[2]


class WillNeed(Case):
    def path(self, name):
        return os.path.join(self.root, name)

    def test_advises_all_of_an_open_file_and_closes_it(self):
        asked = []

        def advise(fd, *args):
            asked.append((os.readlink(f"/proc/self/fd/{fd}"), fd) + args)
        with mock.patch.object(os, "posix_fadvise", advise):
            self.assertTrue(prefetch.will_need(self.path("0/0")))
        (path, fd, *args), = asked
        self.assertEqual(path, self.path("0/0"))
        self.assertEqual(args, [0, 0, os.POSIX_FADV_WILLNEED])
        self.assertRaises(OSError, os.fstat, fd)

    def test_what_cannot_be_read_is_no_error(self):
        os.mkfifo(self.path("fifo"))
        os.symlink("loop", self.path("loop"))
        for name in ("gone", "0", "fifo", "loop", "0/0/0", "nul\0", "long" * 100):
            self.assertFalse(prefetch.will_need(self.path(name)), name)

    def test_a_large_file_is_left_alone(self):
        for more, wanted in (0, True), (1, False):
            with open(self.path("large"), "wb") as f:
                f.truncate(prefetch.FILE_MAX + more)
            self.assertEqual(prefetch.will_need(self.path("large")), wanted)

    def test_no_descriptor_is_left_behind(self):
        def fail(*_args):
            raise OSError(22, "no advice here")
        before = os.listdir("/proc/self/fd")
        with mock.patch.object(os, "posix_fadvise", fail):
            self.assertFalse(prefetch.will_need(self.path("0/0")))
        prefetch.will_need(self.path("0"))
        self.assertEqual(os.listdir("/proc/self/fd"), before)


class FileSystem(Case):
    def test_the_magic_number_is_that_of_the_format(self):
        text = (TOP / "fs/format/dsfs_fs.h").read_text()
        magic = re.search(r"define DSFS_SUPER_MAGIC\s+(\w+)", text).group(1)
        self.assertEqual(filesystem.SUPER_MAGIC, int(magic, 16))

    def test_the_kernel_tells_types(self):
        # PROC_SUPER_MAGIC of linux/magic.h
        self.assertEqual(filesystem.magic_of("/proc"), 0x9fa0)
        self.assertIsNone(filesystem.magic_of(self.root + "/gone"))
        self.patch.stop()
        self.assertFalse(filesystem.is_dsfs("/proc"))
        with mock.patch.object(filesystem, "SUPER_MAGIC", 0x9fa0):
            self.assertTrue(filesystem.is_dsfs("/proc"))

    def test_without_statfs_nothing_is_dsfs(self):
        self.patch.stop()
        with mock.patch.object(filesystem, "_statfs", None):
            self.assertFalse(filesystem.is_dsfs("/proc"))

    def test_on_another_one_nothing_is_opened(self):
        self.on_dsfs(False)
        paths = [os.path.join(self.root, "0/0"), os.path.join(self.root, "gone/1")]
        with mock.patch.object(os, "open", side_effect=AssertionError):
            self.assertEqual(list(ahead(paths, thread=False)), paths)

    def test_each_directory_is_asked_once(self):
        asked = []
        with mock.patch.object(filesystem, "is_dsfs", lambda p: asked.append(p) or False), \
             Prefetcher(thread=False) as prefetcher:
            for i in range(self.COUNT):
                prefetcher.add(os.path.join(self.root, str(i % 3), str(i)))
            prefetcher.add(b"bytes")
            prefetcher.add(Path("a/path"))
        self.assertEqual(sorted(map(os.fsdecode, asked)),
                         sorted([".", "a"] + [f"{self.root}/{i}" for i in range(3)]))


class Environment(Case):
    def prefetched(self, **variables):
        self.environment(**variables)
        paths = [os.path.join(self.root, "0/0")]
        with self.recorded() as numbers:
            self.assertEqual(list(ahead(paths, thread=False)), paths)
        return numbers

    def test_off_is_never(self):
        self.assertEqual(self.prefetched(DSFS_PREFETCH="off"), [])

    def test_auto_is_on_dsfs_alone(self):
        self.assertEqual(self.prefetched(DSFS_PREFETCH="auto"), [0])
        self.on_dsfs(False)
        self.assertEqual(self.prefetched(DSFS_PREFETCH="auto"), [])

    def test_always_is_on_any(self):
        self.on_dsfs(False)
        self.assertEqual(self.prefetched(DSFS_PREFETCH="always"), [0])

    def test_a_window_of_none_is_no_prefetch(self):
        self.assertEqual(self.prefetched(DSFS_PREFETCH_WINDOW="0"), [])

    def test_values_that_are_none_are_named(self):
        self.environment(DSFS_PREFETCH_WINDOW="-3")
        self.assertRaisesRegex(ValueError, "DSFS_PREFETCH_WINDOW: '-3'", ahead, [])
        self.environment(DSFS_PREFETCH_WINDOW="many")
        self.assertRaisesRegex(ValueError, "'many'", ahead, [])
        self.assertRaisesRegex(ValueError, "window: -1", ahead, [], -1)
        self.environment(DSFS_PREFETCH="yes")
        self.assertRaisesRegex(ValueError, "DSFS_PREFETCH: 'yes'", Prefetcher)

    def test_where_there_is_no_fadvise_nothing_happens(self):
        with mock.patch.object(os, "posix_fadvise"):
            del os.posix_fadvise
            self.assertEqual(self.prefetched(DSFS_PREFETCH="always"), [])


class Ahead(Case):
    def paths(self):
        return [os.path.join(self.root, str(i % 3), str(i)) for i in range(self.COUNT)]

    def test_a_window_of_paths_is_prefetched_when_one_is_given(self):
        for window in 1, 7, self.COUNT, 2 * self.COUNT:
            with self.recorded() as numbers:
                for i, path in enumerate(ahead(self.paths(), window, thread=False)):
                    self.assertEqual(name_of(path), i)
                    self.assertEqual(numbers, list(range(min(i + window + 1, self.COUNT))))

    def test_the_environment_says_how_many_if_nobody_does(self):
        self.environment(DSFS_PREFETCH_WINDOW="5")
        with self.recorded() as numbers:
            next(ahead(self.paths(), thread=False))
        self.assertEqual(numbers, list(range(6)))

    def test_a_file_that_went_is_nobodys_business_but_the_readers(self):
        paths = self.paths()
        os.unlink(paths[3])
        self.assertEqual(list(ahead(paths, 4, thread=False)), paths)

    def test_an_endless_source_is_no_trouble(self):
        def endless():
            while True:
                yield from self.paths()
        with self.recorded():
            for _, path in zip(range(200), ahead(endless(), 10)):
                self.assertTrue(path)

    def test_the_thread_does_the_same_in_order(self):
        done = threading.Event()
        real = prefetch.will_need
        numbers = []

        def record(path):
            real(path)
            numbers.append(name_of(path))
            if len(numbers) == 21:
                done.set()
        with mock.patch.object(prefetch, "will_need", record):
            source = ahead(self.paths(), 20)
            next(source)
            self.assertTrue(done.wait(60))
            source.close()
        self.assertEqual(numbers, list(range(21)))

    def test_no_thread_is_left_at_the_end_or_by_a_break(self):
        for count in 1, self.COUNT:
            source = ahead(self.paths(), 10)
            next(source)
            thread, = prefetchers()
            for _ in range(count - 1):
                next(source)
            source.close()
            thread.join(60)
            self.assertFalse(thread.is_alive())

    def test_the_last_ones_are_prefetched_after_the_end(self):
        asked, go = [], threading.Event()

        def block(path):
            go.wait(60)
            asked.append(name_of(path))
        with mock.patch.object(prefetch, "will_need", block):
            source = ahead(self.paths(), 10)
            next(source)
            thread, = prefetchers()
            self.assertEqual(len(list(source)), self.COUNT - 1)
            go.set()
            thread.join(60)
        self.assertEqual(asked, list(range(self.COUNT)))

    def test_what_was_not_asked_for_yet_is_forgotten_at_the_close(self):
        started, go, asked = threading.Event(), threading.Event(), []

        def block(path):
            asked.append(path)
            started.set()
            go.wait(60)
        prefetcher = Prefetcher()
        with mock.patch.object(prefetch, "will_need", block):
            with mock.patch.object(threading.Thread, "join", lambda *a, **k: go.set()):
                for path in "abc":
                    prefetcher.add(path)
                started.wait(60)
                thread, = prefetchers()
                prefetcher.close()
            thread.join()
            prefetcher.add("d")
        self.assertEqual(asked, ["a"])


class NoTorch(Case):
    def test_it_works_and_is_not_loaded(self):
        code = ("import sys; sys.modules['torch'] = None\n"
                "import dsfs\n"
                "class Files: samples = [('/proc/self/stat', 0)] * 3\n"
                "s = dsfs.BatchSampler(Files(), [[0, 1], [2]])\n"
                "assert list(s) == [[0, 1], [2]] and len(s) == 2\n"
                "assert list(dsfs.Sampler(Files(), range(3))) == [0, 1, 2]\n"
                "assert list(dsfs.ahead(['/proc/self/stat'])) == ['/proc/self/stat']\n"
                "assert not hasattr(dsfs, 'nothing')\n")
        subprocess.run([sys.executable, "-B", "-c", code], check=True,
                       env=dict(os.environ, PYTHONPATH=str(TOP / "userspace/python"),
                                DSFS_PREFETCH="always"))
        code = "import sys, dsfs; sys.exit('torch' in sys.modules)"
        subprocess.run([sys.executable, "-B", "-c", code], check=True,
                       env=dict(os.environ, PYTHONPATH=":".join(sys.path)))
