# SPDX-License-Identifier: GPL-2.0
"""Which files is a sample of a data set?

torchvision's folder data sets keep a list of (path, class) pairs, as samples and as
imgs.  Subsets and concatenations are looked through.  Of all others the caller says it.
"""
import bisect
import operator
import os
from typing import Any, Callable, Sequence, Tuple, Union

from .coming import Coming, Told
from .filesystem import PathArg

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
