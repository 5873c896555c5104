# SPDX-License-Identifier: GPL-2.0
"""Data sets of small files, and a record of what is prefetched of them."""
import contextlib
import os
import shutil
import tempfile
import threading
import unittest
from unittest import mock

from dsfs import filesystem, prefetch


def name_of(path):
    return int(os.path.basename(path))


def prefetchers():
    return [t for t in threading.enumerate() if t.name == "dsfs-prefetch"]


def no_threads():
    for thread in prefetchers():
        thread.join(60)


class Folder:
    """As torchvision's ImageFolder: .samples, and a file is read when it is asked for."""

    def __init__(self, root, count):
        self.samples = [(os.path.join(root, str(i % 3), str(i)), i % 3) for i in range(count)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, _ = self.samples[index]
        with open(path, "rb") as f:
            return int(f.read())


class Many(Folder):
    """One that gives a batch at once."""

    def __getitems__(self, indices):
        return [Folder.__getitem__(self, index) for index in indices]

    def __getitem__(self, index):
        raise AssertionError("asked for one")


class Case(unittest.TestCase):
    COUNT = 60

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        # Else the threads of one test would tell the next one what they ask for.
        self.addCleanup(no_threads)
        for i in range(self.COUNT):
            path = os.path.join(self.root, str(i % 3), str(i))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as f:
                f.write(str(i))
        self.on_dsfs(True)

    def on_dsfs(self, is_so):
        """Have all paths be on a DSFS mount, or none."""
        if hasattr(self, "patch"):
            self.patch.stop()
        self.patch = mock.patch.object(filesystem, "is_dsfs", lambda path: is_so)
        self.patch.start()
        self.addCleanup(mock.patch.stopall)

    def environment(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    @contextlib.contextmanager
    def recorded(self):
        """A list of what is prefetched, by the number of the file, which is read, too."""
        numbers = []
        real = prefetch.will_need

        def record(path):
            numbers.append(name_of(path))
            return real(path)
        with mock.patch.object(prefetch, "will_need", record):
            yield numbers
