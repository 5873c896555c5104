# SPDX-License-Identifier: GPL-2.0
"""Lightning 2.6: the loop of Trainer.fit(), and its checkpoints.

The iterator of the first epoch is made before the epoch is told, and is the one that is used;
it is asked for as many batches as the loader has, so that the end of an epoch is not read.
Loaders that have a state are in the checkpoint, which the first process writes.
"""
import copy

from .torchdata_0_12 import Stateful


def set_sampler_epoch(loader, epoch):
    samplers = {id(sampler): sampler
                for sampler in (getattr(loader, "sampler", None),
                                getattr(getattr(loader, "batch_sampler", None), "sampler", None))
                if hasattr(sampler, "set_epoch")}
    for sampler in samplers.values():
        sampler.set_epoch(epoch)


class Trainer:
    def __init__(self, loader, checkpoint=None):
        self.loader = loader
        self.epoch, self.ready = 0, 0
        if checkpoint is not None:
            checkpoint = copy.deepcopy(checkpoint)
            self.epoch, self.ready = checkpoint["epoch"], checkpoint["ready"]
            if checkpoint["loader"] is not None:
                loader.load_state_dict(checkpoint["loader"])
        self.source = iter(loader)

    def checkpoint(self):
        state = self.loader.state_dict() if isinstance(self.loader, Stateful) else None
        return copy.deepcopy({"epoch": self.epoch, "ready": self.ready, "loader": state})

    def batches(self, epochs):
        """Each batch, in the place of training_step(), and nothing in that of
        on_train_epoch_end(); checkpoint() is of after it."""
        while self.epoch < epochs:
            set_sampler_epoch(self.loader, self.epoch)
            if self.source is None:
                self.source = iter(self.loader)
            while self.ready < len(self.loader):
                batch = next(self.source, None)
                if batch is None:
                    break
                self.ready += 1
                yield self.epoch, batch
            self.epoch, self.ready, self.source = self.epoch + 1, 0, None
            yield self.epoch - 1, []
