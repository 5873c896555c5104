# SPDX-License-Identifier: GPL-2.0
"""Accelerate 1.15: prepare() of a loader, checkpoints of it, and skip_first_batches().

A loader that is prepared gives each process its turn of the batches, reads one batch ahead,
counts its epochs itself, from 0 in each job, and tells the sampler, where it finds one.
A checkpoint is written by the first process, and read by all.
"""
import copy
import itertools

from torch.utils import data

from .torchdata_0_12 import StatefulDataLoader


class BatchSamplerShard:
    """Each processes-th batch, if a round of them is whole."""

    def __init__(self, batch_sampler, processes, process):
        self.batch_sampler, self.processes, self.process = batch_sampler, processes, process
        self.batch_size = batch_sampler.batch_size

    def __len__(self):
        return len(self.batch_sampler) // self.processes

    def __iter__(self):
        rounds = iter(self.batch_sampler)
        for batches in iter(lambda: list(itertools.islice(rounds, self.processes)), []):
            if len(batches) == self.processes and len(batches[-1]) == self.batch_size:
                yield batches[self.process]


class SkipBatchSampler:
    def __init__(self, batch_sampler, skip):
        self.batch_sampler, self.skip = batch_sampler, skip

    def __iter__(self):
        return itertools.islice(self.batch_sampler, self.skip, None)

    def __len__(self):
        return len(self.batch_sampler) - self.skip


class DataLoaderShard:
    def __init__(self, base, iteration=0):
        self.base = base
        self.iteration = iteration
        # At once, as it does, which has workers begin
        self.state = base.state_dict() if hasattr(base, "state_dict") else None

    @property
    def batch_sampler(self):
        return self.base.batch_sampler

    def set_epoch(self, epoch):
        self.iteration = epoch
        batches = self.batch_sampler
        within = getattr(getattr(batches, "batch_sampler", None), "sampler", None)
        for told in (batches, getattr(batches, "sampler", None), within):
            if hasattr(told, "set_epoch"):
                told.set_epoch(epoch)

    def update(self, at_end):
        if self.state is not None:
            self.state = copy.deepcopy(self.base.state_dict())
            self.state["finished"] = at_end

    def __iter__(self):
        self.set_epoch(self.iteration)
        source = iter(self.base)
        end = object()
        batch = next(source, end)
        while batch is not end:
            self.update(False)
            following = next(source, end)
            if following is end:
                self.update(True)
            yield batch
            batch = following
        self.iteration += 1


def new_loader(like, batch_sampler, stateful):
    if stateful:
        return StatefulDataLoader(like.dataset, batch_sampler=batch_sampler,
                                  num_workers=like.num_workers, collate_fn=like.collate_fn)
    return data.DataLoader(like.dataset, batch_sampler=batch_sampler,
                           num_workers=like.num_workers, collate_fn=like.collate_fn)


def skip_first_batches(loader, skip):
    return DataLoaderShard(new_loader(loader.base, SkipBatchSampler(loader.batch_sampler, skip),
                                      False), loader.iteration)


class Accelerator:
    def __init__(self, processes=1, process=0, stateful=False):
        self.processes, self.process, self.stateful = processes, process, stateful
        self.loaders, self.custom = [], []

    def prepare(self, loader):
        if not isinstance(loader, data.DataLoader):
            return loader
        batches = loader.batch_sampler
        if self.processes > 1:
            batches = BatchSamplerShard(batches, self.processes, self.process)
        self.loaders.append(DataLoaderShard(new_loader(loader, batches, self.stateful)))
        return self.loaders[-1]

    def register_for_checkpointing(self, thing):
        assert hasattr(thing, "state_dict") and hasattr(thing, "load_state_dict")
        self.custom.append(thing)

    def save_state(self):
        return copy.deepcopy(([loader.state for loader in self.loaders],
                              [thing.state_dict() for thing in self.custom]))

    def load_state(self, saved):
        loaders, custom = copy.deepcopy(saved)
        for loader, state in zip(self.loaders, loaders):
            if state is not None:
                loader.base.load_state_dict(state)
        for thing, state in zip(self.custom, custom):
            thing.load_state_dict(state)
