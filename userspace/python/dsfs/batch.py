# SPDX-License-Identifier: GPL-2.0
"""Several files of a mount at once: all are asked for before the first is waited for.

posix_fadvise(POSIX_FADV_WILLNEED) begins to read into memory and does not wait.  A batch
of 64 files so has all its requests at the device at once, and takes about as long as
one; a pool of threads would need one for each, and their switches cost more than the
reads.  What is done is advice: where it has no effect, files are read one by one.

A batch from an image without a mount is one call of libdsfs, which does the same.

There is no thread, so a fork loses none.
"""
import os
from typing import List, Sequence

from .filesystem import PathArg, several

# The kernel follows one advice no further than the device's read-ahead goes, 128 KiB if
# nobody has set it.
ADVICE_BYTES = 128 << 10


def advise(fd: int, position: int, length: int) -> None:
    """Have bytes of a file read into memory; errors are none, as of any hint."""
    if not hasattr(os, "posix_fadvise"):
        return
    end = position + length
    for at in range(position, end, ADVICE_BYTES):
        try:
            os.posix_fadvise(fd, at, min(ADVICE_BYTES, end - at), os.POSIX_FADV_WILLNEED)
        except OSError:
            return


def _read(fd: int, size: int) -> bytes:
    with open(fd, "rb", buffering=0, closefd=False) as file:
        return file.read() if size else b""


def read_many(paths: Sequence[PathArg]) -> List[bytes]:
    """Contents of files on a mount, in order.

    For a batch of samples where an image is mounted; on any other file system, too.

    >>> dsfs.read_many(["flowers/rose/1.jpg", "flowers/tulip/1.jpg"])
    [b'a red rose', b'a white tulip']
    """
    descriptors: List[int] = []
    try:
        for path in several(paths):
            descriptors.append(os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)))
        sizes = [os.fstat(fd).st_size for fd in descriptors]
        for fd, size in zip(descriptors, sizes):
            advise(fd, 0, size)
        return [_read(fd, size) for fd, size in zip(descriptors, sizes)]
    finally:
        for fd in descriptors:
            os.close(fd)
