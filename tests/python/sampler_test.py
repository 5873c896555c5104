# SPDX-License-Identifier: GPL-2.0
"""The samplers, with a DataLoader and its workers."""
import copy
import os
import pickle

from torch.utils import data
from torch.utils.data.distributed import DistributedSampler

import dsfs
from samples import Case, Folder, Many, prefetchers

WINDOW = 10


class Order(Case):
    def setUp(self):
        super().setUp()
        self.folder = Folder(self.root, self.COUNT)

    def test_it_is_that_of_the_sampler(self):
        order = [(i * 7) % self.COUNT for i in range(self.COUNT)]
        self.assertEqual(list(dsfs.Sampler(self.folder, order, window=4)), order)
        self.assertEqual(len(dsfs.Sampler(self.folder, order)), self.COUNT)

    def test_without_a_sampler_it_is_random(self):
        sampler = dsfs.Sampler(self.folder)
        first, second = list(sampler), list(sampler)
        self.assertEqual(sorted(first), list(range(self.COUNT)))
        self.assertNotEqual(first, second)

    def test_the_samples_behind_are_prefetched_when_one_is_told(self):
        order = [(i * 7) % self.COUNT for i in range(self.COUNT)]
        sampler = dsfs.Sampler(self.folder, order, window=WINDOW, thread=False)
        with self.recorded() as numbers:
            for i, _ in enumerate(sampler):
                self.assertEqual(numbers, order[:i + WINDOW + 1])

    def test_so_are_those_of_a_shuffle(self):
        for rank in 0, 1:
            order = dsfs.Shuffle(self.COUNT, 4)[rank::2]
            sampler = dsfs.Sampler(self.folder, dsfs.Shuffle(self.COUNT, 4), window=WINDOW,
                                   thread=False, rank=rank, world=2)
            with self.recorded() as numbers:
                for i, index in enumerate(sampler):
                    self.assertEqual(index, order[i])
                    self.assertEqual(numbers, order[:i + WINDOW + 1])
                    self.assertEqual(sampler.state_dict()["position"], 2 * i + 2)

    def test_of_batches_a_window_of_samples(self):
        batches = [list(range(i, i + 4)) for i in range(0, self.COUNT, 4)]
        for window, far in (1, 1), (4, 1), (5, 2), (10, 3):
            sampler = dsfs.BatchSampler(self.folder, batches, window=window, thread=False)
            with self.recorded() as numbers:
                for i, batch in enumerate(sampler):
                    self.assertEqual(batch, batches[i])
                    self.assertEqual(numbers, sum(batches[:i + 1 + far], []))

    def test_an_epoch_is_set_through_it(self):
        inner = DistributedSampler(self.folder, 2, 1)
        sampler = dsfs.Sampler(self.folder, inner)
        batches = dsfs.BatchSampler(self.folder, data.BatchSampler(inner, 4, False))
        for epoch in 3, 4:
            for outer in sampler, batches:
                inner.set_epoch(0)
                outer.set_epoch(epoch)
                self.assertEqual(inner.epoch, epoch)
            self.assertEqual(list(sampler), list(inner))
            self.assertEqual(len(sampler), self.COUNT // 2)
        dsfs.Sampler(self.folder).set_epoch(1)

    def test_what_else_the_sampler_has_is_seen(self):
        inner = data.BatchSampler(data.SequentialSampler(self.folder), 7, True)
        inner.state_dict = inner.__deepcopy__ = dict
        outer = dsfs.BatchSampler(self.folder, inner)
        self.assertEqual((outer.batch_size, outer.drop_last, outer.sampler),
                         (7, True, inner.sampler))
        # A state that is a window ahead would be wrong.
        self.assertFalse(hasattr(outer, "state_dict"))
        self.assertFalse(hasattr(outer, "__deepcopy__"))
        self.assertIsInstance(outer, data.BatchSampler)
        self.assertIsInstance(dsfs.Sampler(self.folder, range(3)), data.Sampler)

    def test_it_can_be_copied_and_pickled(self):
        sampler = dsfs.Sampler(Folder(self.root, 3), [2, 0, 1], paths=["a", "b", "c"])
        self.assertEqual(list(copy.copy(sampler)), [2, 0, 1])
        sampler = dsfs.Sampler(Folder(self.root, 3), dsfs.Shuffle(3, 1))
        for again in copy.copy(sampler), copy.deepcopy(sampler), pickle.loads(
                pickle.dumps(sampler)):
            self.assertEqual((list(again), again.world), (dsfs.Shuffle(3, 1)[:], 1))
            sampler.set_epoch(0)
        sampler = dsfs.Sampler(Folder(self.root, 3), [2, 0, 1])
        self.assertEqual(list(pickle.loads(pickle.dumps(sampler))), [2, 0, 1])


class DataSets(Case):
    def prefetched(self, dataset, order, paths=None):
        with self.recorded() as numbers:
            self.assertEqual(list(dsfs.Sampler(dataset, order, paths=paths, thread=False)),
                             order)
        return numbers

    def test_folders_by_imgs(self):
        folder = Folder(self.root, 9)
        folder.imgs = folder.samples
        del folder.samples
        self.assertEqual(self.prefetched(folder, [4, 8]), [4, 8])

    def test_subsets_of_subsets(self):
        subset = data.Subset(data.Subset(Folder(self.root, 9), [8, 6, 4, 2]), [3, 0])
        self.assertEqual(self.prefetched(subset, [0, 1]), [2, 8])

    def test_concatenations(self):
        folder = Folder(self.root, 9)
        both = data.ConcatDataset([data.Subset(folder, [5, 6]), folder])
        self.assertEqual(self.prefetched(both, [0, 1, 2, 10, -1]), [5, 6, 0, 8, 8])

    def test_of_others_the_caller_says_it(self):
        names = [p for p, _ in Folder(self.root, 9).samples]
        self.assertEqual(self.prefetched(object(), [3, 1], names), [3, 1])
        self.assertEqual(self.prefetched(object(), [3], lambda i: names[i:i + 2]), [3, 4])
        self.assertEqual(self.prefetched(object(), [3], lambda i: None), [])
        self.assertEqual(self.prefetched(object(), [3, 99, 4], names), [3, 4])
        self.assertRaisesRegex(TypeError, "object: which files .*paths=",
                               dsfs.Sampler, object(), [1])

    def test_samples_without_files_are_not_hoarded(self):
        source = iter(range(10 ** 9))
        sampler = dsfs.Sampler(object(), source, paths=lambda i: None, window=5)
        self.assertEqual(next(iter(sampler)), 0)
        self.assertEqual(next(source), 6)


class Loader(Case):
    """Two epochs with DataLoaders of all kinds: the same samples as without, and what is
    prefetched is what is read, in that order."""

    def epochs(self, dataset=None, batches=False, **options):
        dataset = dataset or Folder(self.root, self.COUNT)
        inner = DistributedSampler(dataset, 2, 0)
        if batches:
            options["batch_sampler"] = dsfs.BatchSampler(
                dataset, data.BatchSampler(inner, 4, False), window=WINDOW)
        else:
            options.update(batch_size=4, sampler=dsfs.Sampler(dataset, inner, window=WINDOW))
        loader = data.DataLoader(dataset, collate_fn=list, **options)
        for epoch in range(2):
            inner.set_epoch(epoch)
            with self.recorded() as numbers:
                batches = iter(loader)
                got = list(next(batches))
                threads = prefetchers()
                for batch in batches:
                    got += batch
                for thread in threads:
                    thread.join(60)
            self.assertEqual(len(loader), -(-self.COUNT // 2 // 4))
            self.assertEqual(got, list(inner))
            self.assertEqual(numbers, got)
            self.assertFalse(prefetchers())

    def test_data_sets_that_give_batches(self):
        if hasattr(data, "fetch") or "__getitems__" in data._utils.fetch._MapDatasetFetcher \
                .fetch.__code__.co_consts:
            self.epochs(Many(self.root, self.COUNT))
            self.epochs(Many(self.root, self.COUNT), num_workers=2, batches=True)
        else:
            self.skipTest("this PyTorch asks for one sample at a time")

    def test_on_another_file_system(self):
        self.on_dsfs(False)
        folder = Folder(self.root, self.COUNT)
        with self.recorded() as numbers:
            loader = data.DataLoader(folder, 4, sampler=dsfs.Sampler(folder, range(self.COUNT)),
                                     collate_fn=list)
            self.assertEqual(sum(loader, []), list(range(self.COUNT)))
        self.assertEqual(numbers, [])

    def test_a_file_that_went_is_the_data_sets_error(self):
        folder = Folder(self.root, self.COUNT)
        os.unlink(folder.samples[6][0])
        loader = data.DataLoader(folder, 4, sampler=dsfs.Sampler(folder, range(self.COUNT)),
                                 collate_fn=list)
        with self.assertRaises(FileNotFoundError) as caught:
            list(loader)
        self.assertEqual(caught.exception.filename, folder.samples[6][0])


FORK = {"num_workers": 2, "multiprocessing_context": "fork"}
SPAWN = {"num_workers": 2, "multiprocessing_context": "spawn"}
WAYS = {
    "without_workers": {},
    "without_workers_in_batches": {"batches": True},
    "forked_workers": FORK,
    "forked_workers_in_batches": {**FORK, "batches": True},
    "spawned_workers": SPAWN,
    "workers_that_stay": {**FORK, "persistent_workers": True},
    "spawned_workers_that_stay_in_batches": {**SPAWN, "persistent_workers": True,
                                             "batches": True},
}
for name, options in WAYS.items():
    setattr(Loader, f"test_{name}", lambda self, options=options: self.epochs(**options))
