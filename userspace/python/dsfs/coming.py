# SPDX-License-Identifier: GPL-2.0
"""Samples of an image on a server that are read next, asked for a window ahead.

Why not as files of a mount are: a mount is shared by all processes, and so is what is
prefetched there.  What is asked of a server ahead is for the process that asked.  A sampler
is in the main process of a DataLoader, and reads may be there, too, or in workers, which have
batches of their own and ask for each at once.  So the sampler only tells what comes, and the
data set asks for it when it reads, if it reads where the sampler is.
"""
import os
from typing import Any, List, Tuple

from .filesystem import PathArg
from .image import Image

# More samples than any batch and window: so many and no read, and others read.
TOLD_MAX = 65536


class Coming:
    """What a sampler has told of an image's samples, for the data set that reads them.

    >>> from dsfs.coming import Coming
    >>> coming = Coming(image)
    >>> coming.path("rose/1.jpg").tell()
    >>> coming.reading("rose/1.jpg")
    """

    def __init__(self, image: Image) -> None:
        self._image = image
        self.begin()

    def begin(self) -> None:
        """An epoch begins: what was told of another one is void."""
        self._told: List[PathArg] = []
        self._reads = False
        self._process = os.getpid()

    def __reduce__(self) -> Tuple[Any, ...]:
        # In another process nothing was told.
        return Coming, (self._image,)

    def path(self, path: PathArg) -> "Told":
        return Told(self, path)

    def tell(self, path: PathArg) -> None:
        if len(self._told) < TOLD_MAX:
            self._told.append(path)

    def reading(self, path: PathArg) -> None:
        """path is about to be read: ask for what was told, if that is read here."""
        if not self._told or self._process != os.getpid():
            return
        # Whoever reads what the sampler told first reads the rest.
        self._reads = self._reads or path == self._told[0]
        if not self._reads:
            return
        told, self._told = self._told, []
        for coming in told:
            try:
                self._image.will_need((coming,))
            except (OSError, ValueError):
                # Who reads it gets the error.
                pass


class Told:
    """A path of an image, in the place of one of a mount."""

    def __init__(self, coming: Coming, path: PathArg) -> None:
        self._coming = coming
        self._path = path

    def tell(self) -> None:
        self._coming.tell(self._path)
