# SPDX-License-Identifier: GPL-2.0
"""A DataLoader whose state is where the trainer is.

Why: the workers of a DataLoader are some batches ahead, so its sampler is, too, and the
loader itself has no state.  What counts for a resume is what came out.  The order is a
Shuffle's, so that is a number of batches, and neither workers nor processes are part of it.
"""
from typing import Any, Iterator, Optional, Tuple

from .shuffle import Place, Shuffle, State


def _shuffle_of(loader: Any) -> Tuple[Shuffle, int]:
    """The Shuffle of a loader, and the processes that share it."""
    for of in (loader, getattr(loader, "batch_sampler", None)):
        sampler = getattr(of, "sampler", None)
        if isinstance(sampler, Shuffle):
            return sampler, 1
        shuffle = getattr(sampler, "shuffle", None)
        if isinstance(shuffle, Shuffle):
            return shuffle, int(getattr(sampler, "world", 1))
    raise TypeError(f"{type(loader).__name__}: its sampler is no dsfs.Shuffle and no "
                    "dsfs.Sampler with one, so it has no order to resume")


def _batch_of(loader: Any) -> int:
    """The samples of a batch."""
    batches = getattr(loader, "batch_sampler", None)
    size = getattr(loader, "batch_size", None) or getattr(batches, "batch_size", None)
    if size is None and batches is not None:
        raise TypeError(f"{type(batches).__name__}: it has no batch_size, so what a number of "
                        "batches comes to is not known")
    return int(size or 1)


class Resumable:
    """loader, and state_dict() and load_state_dict() of five numbers.

    loader	a DataLoader of PyTorch whose sampler is a Shuffle, or a Sampler with one

    The state counts the batches that were yielded, whatever the workers have read ahead: in
    the loop over a Resumable the batch in hand is done.  All ranks have the same state after
    the same number of batches, so that of rank 0 is enough.  It may be loaded with another
    number of ranks, of workers, or of samples in a batch.  Other attributes are the loader's.
    """

    def __init__(self, loader: Any) -> None:
        if not getattr(loader, "in_order", True):
            raise ValueError("in_order=False: batches that come out of turn cannot be counted")
        self._loader = loader
        self._shuffle, world = _shuffle_of(loader)
        self._samples = world * _batch_of(loader)
        self._place: Optional[Place] = None

    def _begin(self, place: Place) -> Place:
        self._place = Place(place.epoch, place.start, self._samples, self._shuffle.n)
        return self._place

    def __iter__(self) -> Iterator[Any]:
        # A generator: it begins with its first batch, when the trainer has set the epoch.
        place = self._begin(self._shuffle.upcoming())
        for batch in self._loader:
            place.yielded += 1
            yield batch
        if self._place is place:
            self._begin(Place(place.epoch + 1, 0, self._samples, self._shuffle.n))

    def __len__(self) -> int:
        return len(self._loader)

    def set_epoch(self, epoch: int) -> None:
        """The next iteration is of this epoch."""
        self._shuffle.set_epoch(epoch)

    def _where(self) -> Place:
        coming = self._shuffle.upcoming()
        if self._place is None or self._shuffle.is_set and coming.epoch != self._place.epoch:
            return coming
        return self._place

    @property
    def epoch(self) -> int:
        """The epoch of what comes next."""
        return self._where().epoch

    def state_dict(self) -> State:
        """What comes next."""
        where = self._where()
        return self._shuffle.state_of(where.epoch, where.position)

    def load_state_dict(self, state: State) -> None:
        """Go on there with the next iteration."""
        self._shuffle.load_state_dict(state)
        self._place = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._loader, name)
