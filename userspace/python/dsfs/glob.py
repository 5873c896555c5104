# SPDX-License-Identifier: GPL-2.0
"""Paths of an image by a pattern, as pathlib.Path.glob() finds those of a tree.

Names that begin with a dot are as others.  Where directories are gone through for **, links
are not followed, so that it ends.
"""
import fnmatch
import os
import re
from typing import TYPE_CHECKING, Any, Iterator, List, Set

from .entries import join, like
from .filesystem import PathArg

if TYPE_CHECKING:
    from .image import Image


def _step(image: "Image", path: str, part: str) -> Iterator[str]:
    """Where a part of a pattern leads from a directory."""
    if not re.search(r"[*?[]", part):
        there = os.fsdecode(join(os.fsencode(path), os.fsencode(part)))
        # The last part may be a link that leads nowhere: it is a name that is there.
        if image.exists(there, follow_symlinks=False):
            yield there
    elif image.isdir(path):
        match = re.compile(fnmatch.translate(part)).match
        yield from (entry.path for entry in image.scandir(path) if match(entry.name))


def _all(image: "Image", path: str, files: bool) -> Iterator[str]:
    """A directory and those below it, or all that is below it."""
    if image.isdir(path):
        if not files:
            yield path
        for parent, directories, names in image.walk(path):
            yield from (os.path.join(parent, name) for name in directories
                        if files or not image.islink(os.path.join(parent, name)))
            if files:
                yield from (os.path.join(parent, name) for name in names)


def find(image: "Image", pattern: PathArg) -> Iterator[Any]:
    parts = [part for part in os.fsdecode(pattern).split("/") if part not in ("", ".")]
    if not parts:
        raise ValueError(f"pattern: {pattern!r} is empty")

    def below(path: str, rest: List[str]) -> Iterator[str]:
        if not rest:
            yield path
        elif rest[0] == "**":
            for there in _all(image, path, rest == ["**"]):
                yield from below(there, rest[1:])
        else:
            for there in _step(image, path, rest[0]):
                yield from below(there, rest[1:])

    seen: Set[str] = set()
    for path in below("", parts):
        # By a second ** there is more than one way to it.
        if path not in seen:
            seen.add(path)
            yield like(pattern, os.fsencode(path))
