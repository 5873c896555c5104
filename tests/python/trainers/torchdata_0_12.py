# SPDX-License-Identifier: GPL-2.0
"""StatefulDataLoader of torchdata 0.12: a DataLoader with a state."""
import collections
import itertools
from typing import Any, Protocol, runtime_checkable

from torch.utils import data


@runtime_checkable
class Stateful(Protocol):
    def state_dict(self) -> Any: ...

    def load_state_dict(self, state: Any) -> None: ...


def state_of(thing):
    return thing.state_dict() if isinstance(thing, Stateful) else None


class BatchIterator:
    """Its state has that of the sampler, and of the sampler's iterator."""

    def __init__(self, sampler, batch_size, drop_last):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last
        self.source = iter(sampler)
        self.samples = 0

    def __iter__(self):
        return self

    def __next__(self):
        batch = list(itertools.islice(self.source, self.batch_size))
        self.samples += len(batch)
        if not batch or len(batch) < self.batch_size and self.drop_last:
            raise StopIteration
        return batch

    def state_dict(self):
        return {"samples": self.samples, "sampler": state_of(self.sampler),
                "iterator": state_of(self.source)}

    def load_state_dict(self, state):
        self.samples = state["samples"]
        if state["sampler"] is not None:
            self.sampler.load_state_dict(state["sampler"])
        self.source = iter(self.sampler)
        if state["iterator"] is not None:
            self.source.load_state_dict(state["iterator"])
        elif state["sampler"] is None:
            collections.deque(itertools.islice(self.source, self.samples), maxlen=0)


class BatchSampler(data.BatchSampler):
    def __iter__(self):
        return BatchIterator(self.sampler, self.batch_size, self.drop_last)


class LoaderIterator:
    """Of the main process, as the workers see it: two batches a worker are drawn ahead, each
    with the state of then, which counts when its batch is yielded."""

    def __init__(self, loader, state):
        self.loader = loader
        self.batches = loader.batch_sampler
        self.source = iter(self.batches)
        self.drawn = 0
        self.finished = False
        self.ahead = collections.deque()
        if state is not None:
            self.restore(state)
        self.snapshot = self.main_state()
        self.fill()

    def main_state(self):
        return {"workers": self.loader.num_workers, "batches": state_of(self.batches),
                "source": state_of(self.source), "drawn": self.drawn}

    def restore(self, state):
        main = state["main"]
        assert main["workers"] == self.loader.num_workers
        self.drawn = main["drawn"]
        if isinstance(self.batches, Stateful) or isinstance(self.source, Stateful):
            if isinstance(self.batches, Stateful):
                self.batches.load_state_dict(main["batches"])
            self.source = iter(self.batches)
            if main["source"] is not None:
                self.source.load_state_dict(main["source"])
        else:
            self.source = itertools.islice(self.batches, self.drawn, None)
        self.finished = state["finished"]

    def draw(self):
        indices = next(self.source)
        self.drawn += 1
        self.ahead.append((indices, self.main_state()))

    def fill(self):
        try:
            while len(self.ahead) < 2 * self.loader.num_workers:
                self.draw()
        except StopIteration:
            pass

    def __iter__(self):
        return self

    def __next__(self):
        try:
            if not self.ahead:
                self.draw()
            indices, self.snapshot = self.ahead.popleft()
        except StopIteration:
            if not self.loader.num_workers:
                self.snapshot = self.main_state()
            self.finished = True
            raise
        self.fill()
        return self.loader.collate_fn([self.loader.dataset[i] for i in indices])

    def state_dict(self):
        return {"main": self.snapshot, "finished": self.finished}


class StatefulDataLoader(data.DataLoader):
    def __init__(self, dataset, batch_size=1, sampler=None, batch_sampler=None, num_workers=0,
                 drop_last=False, collate_fn=list):
        batch_sampler = batch_sampler or BatchSampler(sampler, batch_size, drop_last)
        # Not PyTorch's own, which has workers that read: only attributes are of use.
        self.__dict__.update(dataset=dataset, batch_sampler=batch_sampler,
                             sampler=getattr(batch_sampler, "sampler", None),
                             batch_size=batch_size, num_workers=num_workers,
                             drop_last=drop_last, collate_fn=collate_fn)
        self.__dict__.update(iterator=None, to_load=None, asked=False)

    def __len__(self):
        return len(self.batch_sampler)

    def new_iterator(self):
        state, self.to_load = self.to_load, None
        return LoaderIterator(self, state)

    def __iter__(self):
        if not self.asked:
            self.iterator = self.new_iterator()
        self.asked = False
        if self.iterator.finished:
            self.iterator = self.new_iterator()
        return self.iterator

    def state_dict(self):
        # Before the first batch, too, an iterator is made, and its workers begin.
        if self.iterator is None:
            self.iterator, self.asked = self.new_iterator(), True
        return self.iterator.state_dict()

    def load_state_dict(self, state):
        self.iterator, self.asked, self.to_load = None, False, state
