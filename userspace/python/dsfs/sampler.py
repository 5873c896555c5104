# SPDX-License-Identifier: GPL-2.0
"""Samplers for PyTorch's DataLoader that prefetch what they are about to say.

A DataLoader asks its sampler in the main process, and is prefetch_factor * num_workers
batches ahead of what it returns.  These indices are in the hands of the workers; what
comes window samples later is prefetched.  So workers need not know of it, however they
are started, and nothing of it is sent to them.

The order is that of the sampler that is wrapped.
"""
from typing import Any, Iterator, List, Optional, Sequence

from . import paths as _paths
from . import prefetch
from .filesystem import PathArg

try:
    from torch.utils.data import BatchSampler as _TorchBatchSampler
    from torch.utils.data import Sampler as _TorchSampler
except ImportError:
    _TorchSampler = object
    _TorchBatchSampler = object

# What says how far a sampler is: it is window samples further than what it wraps has
# told.  StatefulDataLoader counts instead if a sampler has none.
_NOT_PASSED_ON = ("state_dict", "load_state_dict")


class _Ahead:
    def _set_up(self, dataset: Any, sampler: Any, paths: Any, window: Optional[int],
                thread: bool) -> None:
        # Now, as it may raise an error; and for each epoch, as lists may change.
        _paths.finder(dataset, paths)
        self._dataset = dataset
        self._paths = paths
        self._sampler = sampler
        self.window = prefetch.check_window(window)
        self.thread = thread

    def _indices(self, item: Any) -> Sequence[Any]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        find = _paths.finder(self._dataset, self._paths)

        def paths_of(item: Any) -> List[PathArg]:
            return [path for index in self._indices(item)
                    for path in _paths.forgiving(find, index)]
        return prefetch.look_ahead(iter(self._sampler), paths_of, self.window, self.thread)

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
		as DataLoader(shuffle=True) has it
    paths	the files of a sample, as a list or a function of the index, where the
		data set has no .samples or .imgs; of a sample, a path or several
    window	files ahead (256, or DSFS_PREFETCH_WINDOW); 0: no prefetch
    thread	False: without a thread
    """

    # pylint: disable=super-init-not-called
    # Of PyTorch's it would want arguments, or warn of them, as the version may be.
    def __init__(self, dataset: Any, sampler: Any = None, *, paths: Any = None,
                 window: Optional[int] = None, thread: bool = True) -> None:
        if sampler is None:
            from torch.utils.data import RandomSampler
            sampler = RandomSampler(dataset)
        self._set_up(dataset, sampler, paths, window, thread)

    def _indices(self, item: Any) -> Sequence[Any]:
        return (item,)


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
