# SPDX-License-Identifier: GPL-2.0
"""Samplers for PyTorch's DataLoader that prefetch what they are about to say.

A DataLoader asks its sampler in the main process, prefetch_factor * num_workers batches
ahead of what it returns.  The workers read the files of these indices; the files of the
window samples behind them are prefetched by the main process.  So nothing of this is sent
to workers, however they are started.

The order is that of the sampler that is wrapped.  If that is a Shuffle, its state is passed
on, and counts what was yielded, not what is prefetched.

Which files a sample is: torchvision's folder data sets keep a list of (path, class) pairs, as
samples and as imgs.  Subsets and concatenations are looked through.  Of all others the caller
says it.
"""
import bisect
import operator
import os
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

from . import prefetch
from .coming import Coming, Told
from .filesystem import PathArg
from .shuffle import TAILS, Pass, Shuffle, State, share

try:
    from torch.utils.data import BatchSampler as _TorchBatchSampler
    from torch.utils.data import Sampler as _TorchSampler
except ImportError:
    _TorchSampler = object
    _TorchBatchSampler = object

Hint = Union[PathArg, Told]
Finder = Callable[[Any], Tuple[Hint, ...]]


def _as_tuple(paths: Any) -> Tuple[Hint, ...]:
    if paths is None:
        return ()
    if isinstance(paths, (str, bytes, os.PathLike)):
        return (paths,)
    return tuple(paths)


def _of_pairs(pairs: Sequence[Any]) -> Finder:
    return lambda index: (pairs[index][0],)


def _of_image(coming: Coming, pairs: Sequence[Any]) -> Finder:
    coming.begin()
    return lambda index: (coming.path(pairs[index][0]),)


def _of_subset(dataset: Any) -> Finder:
    find = finder(dataset.dataset)
    indices = dataset.indices
    return lambda index: find(indices[index])


def _of_concatenation(dataset: Any) -> Finder:
    finders = [finder(part) for part in dataset.datasets]
    ends = dataset.cumulative_sizes

    def find(index: Any) -> Tuple[Hint, ...]:
        if index < 0:
            index += ends[-1]
        part = bisect.bisect_right(ends, index)
        return finders[part](index - (ends[part - 1] if part else 0))
    return find


def _of_caller(paths: Any) -> Finder:
    get = paths if callable(paths) else paths.__getitem__
    return lambda index: _as_tuple(get(index))


def finder(dataset: Any, paths: Any = None) -> Finder:
    """A function that gives the paths of the sample with an index, as a tuple.

    paths, if given, is asked in the place of the data set: a list, or a function of the
    index.  What it gives is a path, several, or None.
    """
    if paths is not None:
        return _of_caller(paths)
    coming = getattr(dataset, "coming", None)
    if isinstance(coming, Coming):
        return _of_image(coming, dataset.samples)
    for name in ("samples", "imgs"):
        pairs = getattr(dataset, name, None)
        if isinstance(pairs, (list, tuple)) and pairs and isinstance(pairs[0], (list, tuple)):
            return _of_pairs(pairs)
    if hasattr(dataset, "dataset") and hasattr(dataset, "indices"):
        return _of_subset(dataset)
    if hasattr(dataset, "datasets") and hasattr(dataset, "cumulative_sizes"):
        return _of_concatenation(dataset)
    raise TypeError(f"{type(dataset).__name__}: which files its samples are is not known: "
                    "give paths=, a list or a function of the index")


def forgiving(find: Finder, index: Any) -> Tuple[Hint, ...]:
    """find(index), which may be a tensor; what is not found is not prefetched."""
    try:
        return find(operator.index(index))
    except (TypeError, LookupError, ValueError):
        return ()


# The wrapped sampler is window samples ahead of this one, so its state is not the state of
# this one.  Without these two StatefulDataLoader counts samples itself.
_NOT_PASSED_ON = ("state_dict", "load_state_dict")


class _Ahead:
    def _set_up(self, dataset: Any, sampler: Any, paths: Any, window: Optional[int],
                thread: bool) -> None:
        # Now, as it may raise an error; and for each epoch, as lists may change.
        finder(dataset, paths)
        self._dataset = dataset
        self._paths = paths
        self._sampler = sampler
        self.window = prefetch.check_window(window)
        self.thread = thread

    def _indices(self, item: Any) -> Sequence[Any]:
        raise NotImplementedError

    def _look_ahead(self, items: Iterator[Any]) -> Iterator[Any]:
        find = finder(self._dataset, self._paths)

        def paths_of(item: Any) -> List[Hint]:
            return [path for index in self._indices(item)
                    for path in forgiving(find, index)]
        return prefetch.look_ahead(items, paths_of, self.window, self.thread)

    def __iter__(self) -> Iterator[Any]:
        return self._look_ahead(iter(self._sampler))

    def __len__(self) -> int:
        return len(self._sampler)

    def set_epoch(self, epoch: int) -> None:
        # Lightning and others call it on any sampler that has it.
        inner = getattr(self._sampler, "set_epoch", None)
        if inner is None:
            inner = getattr(getattr(self._sampler, "sampler", None), "set_epoch", None)
        if inner is not None:
            inner(epoch)

    def __getattr__(self, name: str) -> Any:
        # Not while it is being copied or unpickled, and has no sampler yet.
        if name.startswith("_") or name in _NOT_PASSED_ON or "_sampler" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._sampler, name)


class Sampler(_Ahead, _TorchSampler):  # type: ignore[misc]
    """Indices of a sampler, and prefetch of their files: DataLoader(sampler=...).

    dataset	what the indices are of
    sampler	says the order, such as a DistributedSampler; if None, a RandomSampler,
		as DataLoader(shuffle=True) has it; a Shuffle, for an order to resume
    paths	the files of a sample, as a list or a function of the index, where the
		data set has no .samples or .imgs; of a sample, a path or several
    window	files ahead (256, or DSFS_PREFETCH_WINDOW); 0: no prefetch
    thread	False: without a thread

    Only with a Shuffle, which has state_dict() and load_state_dict() here, too:

    rank, world	take the part of one of several processes
    tail	the end of an epoch that is no multiple of world: "keep" it, so that some ranks
		have a sample more; "drop" it; or "repeat" the first ones of the epoch
    """

    def __new__(cls, _dataset: Any = None, sampler: Any = None, **_options: Any) -> "Sampler":
        # The states are methods of a class of their own: StatefulDataLoader looks for them,
        # and counts by itself for all other samplers.
        made = _ShuffleSampler if cls is Sampler and isinstance(sampler, Shuffle) else cls
        return super().__new__(made)  # type: ignore[no-any-return]

    # pylint: disable=super-init-not-called
    # PyTorch's wants arguments or warns about them, depending on its version.
    def __init__(self, dataset: Any, sampler: Any = None, *, paths: Any = None,
                 window: Optional[int] = None, thread: bool = True, rank: int = 0,
                 world: int = 1, tail: str = "keep") -> None:
        if sampler is None:
            from torch.utils.data import RandomSampler
            sampler = RandomSampler(dataset)
        if (rank, world, tail) != (0, 1, "keep") and not isinstance(sampler, Shuffle):
            raise TypeError(f"rank, world and tail are for a Shuffle: {type(sampler).__name__} "
                            "says itself which part a process has")
        self._set_up(dataset, sampler, paths, window, thread)
        self._take(rank, world, tail)

    def _take(self, rank: int, world: int, tail: str) -> None:
        pass

    def _indices(self, item: Any) -> Sequence[Any]:
        return (item,)


class _ShuffleSampler(Sampler):
    def _take(self, rank: int, world: int, tail: str) -> None:
        if not 0 <= rank < world:
            raise ValueError(f"rank: {rank} is not in 0 ... {world - 1}, of a world of {world}")
        if tail not in TAILS:
            raise ValueError(f"tail: {tail!r} is none of {', '.join(TAILS)}")
        self.rank, self.world, self.tail = rank, world, tail

    @property
    def shuffle(self) -> Shuffle:
        shuffle: Shuffle = self._sampler
        return shuffle

    def __iter__(self) -> Pass:
        return Pass(self.shuffle, self.rank, self.world, self.tail, self._look_ahead)

    def __len__(self) -> int:
        return share(self.shuffle.n, self.rank, self.world, self.tail)

    def state_dict(self) -> State:
        return self.shuffle.state_dict()

    def load_state_dict(self, state: State) -> None:
        self.shuffle.load_state_dict(state)


class BatchSampler(_Ahead, _TorchBatchSampler):  # type: ignore[misc]
    """The same of lists of indices: DataLoader(batch_sampler=...).

    sampler	says the batches
    """

    # pylint: disable=super-init-not-called
    def __init__(self, dataset: Any, sampler: Any, *, paths: Any = None,
                 window: Optional[int] = None, thread: bool = True) -> None:
        self._set_up(dataset, sampler, paths, window, thread)

    def _indices(self, item: Any) -> Any:
        return item
