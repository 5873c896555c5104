# SPDX-License-Identifier: GPL-2.0
"""Jobs that are killed and resumed: each sample once an epoch, in the order of a job that was
not."""
import collections
import itertools
import json
import os
import random
import unittest

from torch.utils import data

import dsfs

LONG = os.environ.get("DSFS_LONG", "0") != "0"


class Numbers:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return index


def sampler_of(n, seed=3, **options):
    return dsfs.Sampler(None, dsfs.Shuffle(n, seed), paths=lambda i: None,
                        **dict({"window": 5}, **options))


class Drawn:
    """A DataLoader whose workers are two batches each ahead, and read nothing."""

    def __init__(self, sampler, batch, workers):
        self.batch_sampler = data.BatchSampler(sampler, batch, False)
        self.workers = workers

    def __len__(self):
        return len(self.batch_sampler)

    def __iter__(self):
        source, ahead = iter(self.batch_sampler), collections.deque()
        while True:
            for batch in itertools.islice(source, 2 * self.workers + 1 - len(ahead)):
                ahead.append(batch)
            if not ahead:
                return
            yield ahead.popleft()


def in_turn(batches):
    """What the ranks got in a step, in the order of all."""
    turns = itertools.chain(*itertools.zip_longest(*batches))
    return [sample for sample in turns if sample is not None]


class Job:
    """Ranks in step, a checkpoint now and then, and a history that a kill cuts."""

    EPOCHS = 3

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.n = self.random.choice((1, 7, 64, 257, 600))
        self.history, self.kept = [], 0
        self.state = json.dumps(dsfs.Shuffle(self.n, seed).state_dict())
        self.kills = 0

    def start(self):
        world, batch = self.random.randint(1, 8), self.random.randint(1, 8)
        ranks = []
        for rank in range(world):
            # Another seed than the job had: that of the state counts.
            sampler = sampler_of(self.n, 12345, rank=rank, world=world)
            ranks.append(dsfs.Resumable(Drawn(sampler, batch, self.random.randint(0, 3))))
            ranks[-1].load_state_dict(json.loads(self.state))
        return ranks

    def step(self, ranks, sources):
        batches = [next(source, None) for source in sources]
        self.history.append((ranks[0].epoch, in_turn([b for b in batches if b])))
        if self.random.random() < 0.2:
            # Whichever wrote it
            self.state = json.dumps(self.random.choice(ranks).state_dict())
            self.kept = len(self.history)
        return any(batches)

    def live(self):
        """True: it came to the end of its epochs."""
        ranks = self.start()
        left = self.random.randint(1, 60)
        while ranks[0].epoch < self.EPOCHS:
            sources = [iter(rank) for rank in ranks]
            while self.step(ranks, sources):
                left -= 1
                if not left:
                    return False
        return True

    def run(self):
        while not self.live():
            self.kills += 1
            del self.history[self.kept:]
        orders = collections.defaultdict(list)
        for epoch, samples in self.history:
            orders[epoch] += samples
        return orders


class Kills(unittest.TestCase):
    COUNT = 1000 if LONG else 80

    def test_by_a_seed_with_other_ranks_workers_and_batches(self):
        kills = 0
        for seed in itertools.count():
            job = Job(seed)
            orders = job.run()
            for epoch in range(Job.EPOCHS):
                self.assertEqual(orders[epoch], dsfs.Shuffle(job.n, seed, epoch)[:], seed)
            kills += job.kills
            if kills >= self.COUNT:
                return


class Loaders(unittest.TestCase):
    def loader(self, workers=0, batch=4, drop_last=False, n=50):
        return dsfs.Resumable(data.DataLoader(
            Numbers(n), batch_size=batch, sampler=sampler_of(n), num_workers=workers,
            collate_fn=list, drop_last=drop_last,
            multiprocessing_context="fork" if workers else None))

    def test_the_batch_in_hand_is_done(self):
        order = dsfs.Shuffle(50, 3)[:]
        for workers in 0, 2:
            loader = self.loader(workers)
            for i, batch in enumerate(loader):
                self.assertEqual(loader.state_dict(),
                                 dict(dsfs.Shuffle(50, 3).state_dict(),
                                      position=min(50, 4 * i + 4)))
                self.assertEqual(batch, order[4 * i:4 * i + 4])
            self.assertEqual(loader.state_dict(), dsfs.Shuffle(50, 3, 1).state_dict())

    def test_it_goes_on_there(self):
        for workers, batch in itertools.product((0, 2), (1, 3, 50)):
            loader = self.loader(workers, batch)
            loader.load_state_dict(dict(dsfs.Shuffle(50, 3, 6).state_dict(), position=20))
            loader.set_epoch(6)
            self.assertEqual(sum(loader, []), dsfs.Shuffle(50, 3, 6)[20:])
            self.assertEqual(sum(loader, []), dsfs.Shuffle(50, 3, 7)[:])

    def test_at_the_end_of_an_epoch_nothing_is_left_of_it(self):
        loader = self.loader()
        end = dict(dsfs.Shuffle(50, 3, 6).state_dict(), position=50)
        loader.load_state_dict(end)
        self.assertEqual((loader.epoch, list(loader)), (6, []))
        self.assertEqual(sum(loader, []), dsfs.Shuffle(50, 3, 7)[:])
        loader.load_state_dict(end)
        loader.set_epoch(7)
        self.assertEqual((loader.epoch, sum(loader, [])), (7, dsfs.Shuffle(50, 3, 7)[:]))

    def test_an_epoch_whose_end_is_not_read(self):
        # As Lightning does it: an iterator is made before the epoch is told, and is asked for
        # as many batches as there are.
        loader = self.loader()
        for epoch in range(3):
            source = iter(loader)
            loader.batch_sampler.sampler.set_epoch(epoch)
            self.assertEqual(loader.epoch, epoch)
            got = [next(source) for _ in range(len(loader))]
            self.assertEqual(sum(got, []), dsfs.Shuffle(50, 3, epoch)[:])
            self.assertEqual(loader.state_dict(),
                             dict(dsfs.Shuffle(50, 3, epoch).state_dict(), position=50))

    def test_what_is_dropped_is_not_of_the_next_epoch(self):
        loader = self.loader(drop_last=True)
        self.assertEqual(len(sum(loader, [])), 48)
        self.assertEqual(loader.state_dict(), dsfs.Shuffle(50, 3, 1).state_dict())
        self.assertEqual(len(loader), 12)

    def test_other_loaders_are_refused(self):
        loader = data.DataLoader(Numbers(5), collate_fn=list)
        self.assertRaisesRegex(TypeError, "DataLoader: its sampler is no dsfs.Shuffle",
                               dsfs.Resumable, loader)
        # Accelerate would give each process a part of one.
        self.assertNotIsInstance(self.loader(), data.DataLoader)
        loader = Drawn(sampler_of(5), 1, 0)
        loader.in_order = False
        self.assertRaisesRegex(ValueError, "in_order=False", dsfs.Resumable, loader)
        del loader.batch_sampler.batch_size
        loader.in_order = True
        self.assertRaisesRegex(TypeError, "BatchSampler: it has no batch_size", dsfs.Resumable,
                               loader)
