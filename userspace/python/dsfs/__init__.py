# SPDX-License-Identifier: GPL-2.0
"""DSFS for Python: images without a mount, and prefetch for mounted ones.

Image is a mapping of the paths in an image to their contents, and needs libdsfs.so.0;
dsfs.torch has a data set like torchvision's ImageFolder over it, dsfs.fsspec a file system
for fsspec:

    import dsfs
    with dsfs.Image("flowers.dsfs") as image:
        data = image["rose/1.jpg"]

edit() changes an image by the command dsfs: with dsfs.edit("flowers.dsfs") as changes.
pack() makes one of a directory by the processes or machines of an executor.

Where an image is mounted: who shuffles an epoch knows which file comes next; the kernel
does not.  The rest of the package tells it, by open(2),
posix_fadvise(POSIX_FADV_WILLNEED) and close(2) some files ahead, so that a read finds its
bytes in memory:

    loader = DataLoader(dataset, 256, sampler=dsfs.Sampler(dataset), num_workers=8)

Sampler and BatchSampler are for PyTorch's DataLoader; ahead() and Prefetcher are for
any other loop, and need nothing but Python.  On another file system nothing of it has
an effect.

Shuffle is an order of an epoch without a list, which a Sampler takes; Resumable is a
DataLoader of it that goes on where a job ended, with any number of processes and workers.
"""
from typing import Any

from .batch import read_many
from .changes import Edit, edit
from .entries import DirEntry, Info
from .image import Image
from .library import DamageError
from .packing import pack
from .prefetch import Prefetcher, ahead
from .shuffle import Resumable, Shuffle

__version__ = "0.1.0"
__all__ = ["BatchSampler", "DamageError", "DirEntry", "Edit", "Image", "Info", "Prefetcher",
           "Resumable", "Sampler", "Shuffle", "ahead", "edit", "pack", "read_many"]


def __getattr__(name: str) -> Any:
    # Not before they are asked for: a job without PyTorch need not load it.
    if name in ("BatchSampler", "Sampler"):
        from . import sampler
        return getattr(sampler, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
