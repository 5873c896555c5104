# SPDX-License-Identifier: GPL-2.0
"""What the tests need of torch.utils.data, so that they need no PyTorch.

Samplers, Subset and a DataLoader that behaves as PyTorch's does in what counts here: the
main process asks the sampler, two batches a worker ahead of what it returns, and workers,
by fork or spawn, get indices over queues.  tests/python/run --torch runs the same tests
with the real one.
"""
import multiprocessing
import random


class Dataset:
    pass


class Sampler:
    def __init__(self, data_source=None):
        pass


class SequentialSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(SequentialSampler):
    def __iter__(self):
        return iter(random.sample(range(len(self)), len(self)))


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        return (len(self.sampler) if self.drop_last else
                len(self.sampler) + self.batch_size - 1) // self.batch_size


class Subset:
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


class ConcatDataset:
    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.cumulative_sizes = []
        for dataset in self.datasets:
            self.cumulative_sizes.append(sum(self.cumulative_sizes[-1:]) + len(dataset))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)
        raise IndexError(index)


def fetch(dataset, indices):
    if hasattr(dataset, "__getitems__"):
        return list(dataset.__getitems__(indices))
    return [dataset[index] for index in indices]


def work(dataset, requests, results):
    for number, indices in iter(requests.get, None):
        results.put((number, fetch(dataset, indices)))


class Workers:
    def __init__(self, loader):
        context = multiprocessing.get_context(loader.multiprocessing_context)
        self.results = context.Queue()
        self.queues = [context.Queue() for _ in range(loader.num_workers)]
        self.processes = [context.Process(target=work, daemon=True,
                                          args=(loader.dataset, q, self.results))
                          for q in self.queues]
        for process in self.processes:
            process.start()

    def stop(self):
        for q in self.queues:
            q.put(None)
        for process in self.processes:
            process.join()


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None,
                 num_workers=0, collate_fn=None, multiprocessing_context=None,
                 persistent_workers=False, drop_last=False):
        self.dataset = dataset
        if sampler is None and batch_sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
        self.batch_sampler = batch_sampler or BatchSampler(sampler, batch_size, drop_last)
        self.collate_fn = collate_fn or (lambda batch: batch)
        self.num_workers = num_workers
        self.multiprocessing_context = multiprocessing_context
        self.persistent_workers = persistent_workers
        self.workers = None

    def __len__(self):
        return len(self.batch_sampler)

    def __iter__(self):
        source = iter(self.batch_sampler)
        if not self.num_workers:
            return (self.collate_fn(fetch(self.dataset, indices)) for indices in source)
        workers = self.workers or Workers(self)
        if self.persistent_workers:
            self.workers = workers
        return self.from_workers(source, workers)

    def from_workers(self, source, workers):
        sent, got, done = 0, 0, {}

        def send():
            nonlocal sent
            indices = next(source, None)
            if indices is not None:
                workers.queues[sent % len(workers.queues)].put((sent, indices))
                sent += 1
        for _ in range(2 * len(workers.queues)):
            send()
        while got < sent:
            while got not in done:
                number, samples = workers.results.get()
                done[number] = samples
            samples = done.pop(got)
            got += 1
            send()
            yield self.collate_fn(samples)
        if workers is not self.workers:
            workers.stop()
