# SPDX-License-Identifier: GPL-2.0
"""The part of an epoch that one of several processes has."""
import random

from . import Sampler


class DistributedSampler(Sampler):
    def __init__(self, dataset, num_replicas, rank, seed=0):
        self.dataset, self.num_replicas, self.rank, self.seed = dataset, num_replicas, rank, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-len(self.dataset) // self.num_replicas)

    def __iter__(self):
        indices = list(range(len(self.dataset)))
        random.Random(self.seed + self.epoch).shuffle(indices)
        indices += indices[:len(self) * self.num_replicas - len(indices)]
        return iter(indices[self.rank::self.num_replicas])
