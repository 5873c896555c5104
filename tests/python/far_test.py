# SPDX-License-Identifier: GPL-2.0
"""A DataLoader over an image on a server: what is asked for, when, and how often."""
import importlib.util
import os
import pickle
import random
from pathlib import Path
from unittest import mock

from torch.utils import data

import dsfs
from dsfs import Image
from dsfs.coming import Coming
from dsfs.torch import ImageFolder
from images import ImageCase, write

SERVER = Path(__file__).resolve().parents[1] / "http/server.py"
COUNT, BATCH, WINDOW = 60, 4, 10


def server_of(path):
    spec = importlib.util.spec_from_file_location("server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Server({"/set": Path(path).read_bytes()})


class FromAServer(ImageCase):
    @staticmethod
    def fill(root):
        draw = random.Random(1)
        for i in range(COUNT):
            write(f"{root}/{i % 3}/{i:03}.jpg", draw.randbytes(20000))

    def setUp(self):
        self.server = server_of(self.image)
        self.folder = ImageFolder(self.server.url("/set"), loader=bytes)
        # Another object reads them: the one that is tested has nothing in memory.
        other = ImageFolder(self.server.url("/set"), loader=bytes)
        self.expected = [other[i] for i in range(COUNT)]

    def requests(self, function):
        before = self.server.count()
        function()
        return self.server.count() - before

    def loader(self, sampler=None, dataset=None, **options):
        dataset = dataset or self.folder
        sampler = sampler or dsfs.Sampler(dataset, range(len(dataset)), window=WINDOW)
        return data.DataLoader(dataset, BATCH, sampler=sampler, collate_fn=list, **options)

    def recorded(self):
        """What the data set asks for ahead."""
        real, paths = Image.will_need, []

        def record(image, some):
            paths.extend(some)
            real(image, some)
        return mock.patch.object(Image, "will_need", record), paths

    def all_of(self, loader):
        self.assertEqual(sum(loader, []), self.expected)

    def test_a_window_is_asked_for_when_a_batch_is_read(self):
        patch, paths = self.recorded()
        with patch:
            for i, _batch in enumerate(self.loader()):
                told = min((i + 1) * BATCH + WINDOW, COUNT)
                self.assertEqual(paths, [path for path, _ in self.folder.samples[:told]])

    def test_so_it_is_by_a_shuffle_and_a_batch_sampler(self):
        order = dsfs.Shuffle(COUNT, 3)
        batches = data.BatchSampler(order, BATCH, False)
        patch, paths = self.recorded()
        with patch:
            next(iter(self.loader(dsfs.Sampler(self.folder, order, window=WINDOW))))
            order.set_epoch(0)
            next(iter(data.DataLoader(self.folder, collate_fn=list, batch_sampler=dsfs.BatchSampler(
                self.folder, batches, window=2 * BATCH))))
        self.assertEqual(paths, [self.folder.samples[i][0] for i in
                                 order[:BATCH + WINDOW] + order[:3 * BATCH]])

    def test_each_sample_is_one_request_and_none_is_left(self):
        for _epoch in range(2):
            self.assertEqual(self.requests(lambda: self.all_of(self.loader())), COUNT)

    def test_workers_ask_for_their_batches_and_the_sampler_for_nothing(self):
        for method in "fork", "spawn":
            loader = self.loader(num_workers=2, multiprocessing_context=method)
            patch, paths = self.recorded()
            with patch:
                self.all_of(loader)
                # A look at a sample here is not the job's.
                self.assertEqual((self.folder[7], paths), (self.expected[7], []))

    def test_forked_workers_ask_once(self):
        before = self.requests(lambda: self.all_of(self.loader(num_workers=1)))
        opened = self.requests(lambda: ImageFolder(self.server.url("/set"), loader=bytes))
        self.assertLessEqual(before, COUNT + opened)

    def test_what_the_last_epoch_was_told_is_void(self):
        source = iter(self.loader())
        next(source)
        patch, paths = self.recorded()
        with patch:
            next(iter(self.loader(dsfs.Sampler(self.folder, range(COUNT - 1, -1, -1),
                                               window=1))))
        self.assertEqual(paths, [path for path, _ in self.folder.samples[:-BATCH - 2:-1]])

    def test_subsets_and_concatenations(self):
        subset = data.Subset(self.folder, range(0, COUNT, 2))
        both = data.ConcatDataset([subset, self.folder])
        patch, paths = self.recorded()
        with patch:
            next(iter(self.loader(dataset=both)))
        self.assertIn(self.folder.samples[2 * (BATCH + WINDOW - 1)][0], paths)

    def test_a_path_that_is_not_there_is_the_readers_error(self):
        self.folder.samples[WINDOW] = ("gone", 0)
        source = iter(self.loader())
        for _ in range(WINDOW // BATCH):
            next(source)
        self.assertRaises(FileNotFoundError, next, source)

    def test_it_may_be_off(self):
        patch, paths = self.recorded()
        with patch, mock.patch.dict(os.environ, DSFS_PREFETCH="off"):
            self.all_of(self.loader())
        self.assertEqual(paths, [])

    def test_an_image_that_is_here_is_left_to_batches(self):
        here = ImageFolder(self.image, loader=bytes)
        self.assertIsNone(here.coming)
        self.all_of(self.loader(dataset=here))

    def test_a_copy_knows_of_nothing(self):
        coming = self.folder.coming
        coming.tell("0/000.jpg")
        again = pickle.loads(pickle.dumps(coming))
        self.assertIsInstance(again, Coming)
        patch, paths = self.recorded()
        with patch:
            again.reading("0/000.jpg")
            coming.reading("0/006.jpg")
            self.assertEqual(paths, [])
            coming.reading("0/000.jpg")
        self.assertEqual(paths, ["0/000.jpg"])
