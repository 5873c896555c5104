# SPDX-License-Identifier: GPL-2.0
"""Jobs that are killed and resumed: each sample once an epoch, in the order of a job that was
not."""
import collections
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from torch.utils import data

import dsfs
from images import TOP
from resume_job import Numbers
from trainers import accelerate_1_15, lightning_2_6, torchdata_0_12

LONG = os.environ.get("DSFS_LONG", "0") != "0"


class Named(unittest.TestCase):
    def shortDescription(self):
        return f"resume: {type(self).__name__}: " + self._testMethodName[5:].replace("_", " ")


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


class Kills(Named):
    COUNT = 1000 if LONG else 80
    REAL = 60 if LONG else 4

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

    def life(self, job):
        """Start all ranks, and wait until they have ended."""
        path = os.pathsep.join(p for p in sys.path if p)
        ranks = [subprocess.Popen([sys.executable, str(TOP / "tests/python/resume_job.py"),
                                   json.dumps(dict(job, rank=rank))], start_new_session=True,
                                  env=dict(os.environ, PYTHONPATH=path))
                 for rank in range(job["world"])]
        return {rank.wait() for rank in ranks}

    def steps(self, job):
        """What its ranks got, as (epoch, samples), for each step."""
        logs = []
        for rank in range(job["world"]):
            with open(f"{job['dir']}/{job['life']}.{rank}", encoding="ascii") as f:
                logs.append([json.loads(line) for line in f])
        for ranks in itertools.zip_longest(*logs):
            there = [rank for rank in ranks if rank]
            yield there[0][1], in_turn([batch for _step, _epoch, batch in there])

    def test_of_real_processes(self):
        top = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, top)
        draw = random.Random(1)
        job = {"dir": top, "n": 20 * (self.REAL + 2), "epochs": 2, "every": 3, "state": None}
        history = []
        for job["life"] in range(self.REAL + 1):
            job.update(world=draw.randint(1, 3), workers=draw.randint(0, 2),
                       batch=draw.randint(1, 4), die=draw.randint(3, 9))
            if job["life"] == self.REAL:
                job["die"] = 0
            self.assertEqual(self.life(job), {-signal.SIGKILL if job["die"] else 0})
            steps = list(self.steps(job))
            if job["die"]:
                steps = steps[:job["die"] // job["every"] * job["every"]]
                with open(f"{top}/state", encoding="ascii") as f:
                    job["state"] = json.load(f)
            history += steps
        for epoch in range(job["epochs"]):
            self.assertEqual(sum((samples for e, samples in history if e == epoch), []),
                             dsfs.Shuffle(job["n"], 11, epoch)[:])


class Loaders(Named):
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

    def test_what_is_dropped_is_not_of_the_next_epoch(self):
        loader = self.loader(drop_last=True)
        self.assertEqual(len(sum(loader, [])), 48)
        self.assertEqual(loader.state_dict(), dsfs.Shuffle(50, 3, 1).state_dict())
        self.assertEqual(len(loader), 12)

    def test_other_loaders_are_refused(self):
        loader = data.DataLoader(Numbers(5), collate_fn=list)
        self.assertRaisesRegex(TypeError, "DataLoader: its sampler is no dsfs.Shuffle",
                               dsfs.Resumable, loader)
        loader = Drawn(sampler_of(5), 1, 0)
        loader.in_order = False
        self.assertRaisesRegex(ValueError, "in_order=False", dsfs.Resumable, loader)
        del loader.batch_sampler.batch_size
        loader.in_order = True
        self.assertRaisesRegex(TypeError, "BatchSampler: it has no batch_size", dsfs.Resumable,
                               loader)


class Torchdata(Named):
    """StatefulDataLoader, which asks the sampler and its iterator for a state."""

    N, BATCH = 50, 4

    def loader(self, workers, rank=0, world=1, drop_last=False):
        return torchdata_0_12.StatefulDataLoader(
            Numbers(self.N), self.BATCH, num_workers=workers, drop_last=drop_last,
            sampler=sampler_of(self.N, rank=rank, world=world))

    def test_within_an_epoch_and_between_two(self):
        for workers, drop in itertools.product((0, 2), (False, True)):
            reference = self.loader(workers, drop_last=drop)
            epochs = [list(reference) for _ in range(3)]
            for stop in range(len(epochs[1]) + 1):
                loader = self.loader(workers, drop_last=drop)
                self.assertEqual(list(loader), epochs[0])
                source = iter(loader)
                begun = [next(source) for _ in range(stop)]
                state = json.loads(json.dumps(loader.state_dict()))
                again = self.loader(workers, drop_last=drop)
                again.load_state_dict(state)
                self.assertEqual(begun + list(again), epochs[1], (workers, stop))
                self.assertEqual(list(again), epochs[2])

    def test_of_an_epoch_that_has_ended(self):
        for workers, drop, told in itertools.product((0, 2), (False, True), (False, True)):
            loader = self.loader(workers, drop_last=drop)
            epochs = [list(loader) for _ in range(2)]
            again = self.loader(workers, drop_last=drop)
            loader = self.loader(workers, drop_last=drop)
            self.assertEqual(list(loader), epochs[0])
            again.load_state_dict(json.loads(json.dumps(loader.state_dict())))
            if told:
                again.sampler.set_epoch(1)
            self.assertEqual(list(again), epochs[1])

    def test_the_state_of_one_rank_is_that_of_all(self):
        for workers, world in itertools.product((0, 2), (2, 3)):
            ranks = [self.loader(workers, rank, 2) for rank in range(2)]
            sources = [iter(rank) for rank in ranks]
            begun = sum((in_turn([next(source) for source in sources]) for _ in range(3)), [])
            state = ranks[1].state_dict()
            ranks = [self.loader(workers, rank, world) for rank in range(world)]
            for rank in ranks:
                rank.load_state_dict(state)
            rest = sum((in_turn([b for b in step if b])
                        for step in itertools.zip_longest(*ranks)), [])
            self.assertEqual(begun + rest, dsfs.Shuffle(self.N, 3)[:])


class Accelerate(Named):
    """Its issues 2016, 3996, 4195 and 4204: the right number of batches of a wrong order."""

    N, BATCH, DONE = 64, 4, 3

    def prepared(self, processes, stateful, workers=0, sampler=None):
        """The accelerators and loaders of a fresh job."""
        for process in range(processes):
            accelerator = accelerate_1_15.Accelerator(processes, process, stateful)
            loader = data.DataLoader(Numbers(self.N), batch_size=self.BATCH, collate_fn=list,
                                     sampler=(sampler or sampler_of)(self.N))
            loader.num_workers = workers
            yield accelerator, accelerator.prepare(loader)

    def interrupted(self, job):
        """In the second epoch, after some batches: the checkpoint, and what was to come."""
        saved, rest = None, []
        for accelerator, loader in job:
            list(loader)
            source = iter(loader)
            for _ in range(self.DONE):
                next(source)
            saved = saved or accelerator.save_state()
            rest.append(list(source))
        return saved, rest

    def resumed(self, saved, job, epoch=None, skip=0):
        got = []
        for accelerator, loader in job:
            accelerator.load_state(saved)
            if epoch is not None:
                loader.set_epoch(epoch)
            got.append(list(accelerate_1_15.skip_first_batches(loader, skip) if skip
                            else loader))
        return got

    def test_the_issue_is_one(self):
        # PyTorch's RandomSampler with a seed: order and state are what 4195 shows.
        class Seeded(data.RandomSampler):
            draw = random.Random(5)

            def __iter__(self):
                return iter(self.draw.sample(range(len(self.data_source)),
                                             len(self.data_source)))

        def fresh():
            return self.prepared(1, True, sampler=lambda n: Seeded(Numbers(n)))
        saved, rest = self.interrupted(fresh())
        Seeded.draw = random.Random(5)
        got = self.resumed(saved, fresh(), epoch=1)
        self.assertEqual([len(x) for x in got], [len(x) for x in rest])
        self.assertNotEqual(got, rest)

    def test_a_prepared_loader_that_is_told_its_epoch(self):
        for processes, workers in itertools.product((1, 2, 4), (0, 2)):
            saved, rest = self.interrupted(self.prepared(processes, True, workers))
            got = self.resumed(saved, self.prepared(processes, True, workers), epoch=1)
            self.assertEqual(got, rest, (processes, workers))

    def test_the_first_batches_skipped(self):
        for processes in 1, 2, 4:
            saved, rest = self.interrupted(self.prepared(processes, False))
            got = self.resumed(saved, self.prepared(processes, False), 1, self.DONE)
            self.assertEqual(got, rest, processes)

    def test_ranks_agree_in_the_first_epoch(self):
        for workers in 0, 2:
            got = [sum(loader, []) for _, loader in self.prepared(4, True, workers)]
            self.assertEqual(sorted(sum(got, [])), list(range(self.N)))

    def resumable(self, world, workers=0):
        """As the documentation says: not sharded by prepare(), but registered."""
        for rank in range(world):
            accelerator = accelerate_1_15.Accelerator(world, rank)
            loader = dsfs.Resumable(Drawn(sampler_of(self.N, rank=rank, world=world),
                                          self.BATCH, workers))
            self.assertIs(accelerator.prepare(loader), loader)
            accelerator.register_for_checkpointing(loader)
            yield accelerator, loader

    def test_a_resumable_need_not_be_told_and_may_have_other_ranks(self):
        for world, workers in itertools.product((1, 2, 3), (0, 3)):
            saved, rest = self.interrupted(self.resumable(2, 1))
            got = self.resumed(saved, self.resumable(world, workers))
            self.assertEqual(*(sum((in_turn([b for b in step if b])
                                    for step in itertools.zip_longest(*ranks)), [])
                               for ranks in (got, rest)), (world, workers))


class Lightning(Named):
    """Its issue 21938: a resumed job that begins with the order of epoch 0."""

    N, BATCH = 50, 4

    def loaders(self):
        for workers in 0, 3:
            yield lambda: dsfs.Resumable(Drawn(sampler_of(self.N), self.BATCH, workers))
        yield lambda: torchdata_0_12.StatefulDataLoader(Numbers(self.N), self.BATCH,
                                                        sampler=sampler_of(self.N))

    def test_any_checkpoint(self):
        for make in self.loaders():
            trainer = lightning_2_6.Trainer(make())
            expected = list(trainer.batches(3))
            for epoch in range(3):
                self.assertEqual(sum((b for e, b in expected if e == epoch), []),
                                 dsfs.Shuffle(self.N, 3, epoch)[:])
            for stop in range(1, len(expected)):
                trainer = lightning_2_6.Trainer(make())
                begun = list(itertools.islice(trainer.batches(3), stop))
                again = lightning_2_6.Trainer(make(), trainer.checkpoint())
                self.assertEqual(begun + list(again.batches(3)), expected, stop)
