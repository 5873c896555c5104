# SPDX-License-Identifier: GPL-2.0
"""A file of an image as a file object, for whoever reads by position: the raw one, which
io.BufferedReader and others wrap.  A position is the object's own; reading does not
move one in the library, so any number of objects and threads share an image.
"""
import ctypes
import errno
import io
import itertools
from typing import Any, List, Optional, Sequence

from .filesystem import PathArg
from .handle import File


def writable(buffer: Any) -> memoryview:
    """The bytes of a buffer.  A tensor of PyTorch has none itself, but its array has."""
    if hasattr(buffer, "numpy"):
        buffer = buffer.numpy()
    view = memoryview(buffer).cast("B")
    if view.readonly:
        raise TypeError(f"{type(buffer).__name__}: its buffer is read-only, expected a writable one")
    return view


def address_of(view: memoryview) -> int:
    # The type is that of one byte: ctypes would make a new type for each length.
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


def pread_into(file: File, buffer: Any, position: int) -> int:
    view = writable(buffer)
    # Not the library's to say: ctypes cuts a position to 64 bits.
    if not view.nbytes or position >= file.size:
        return 0
    return file.pread_into(address_of(view), view.nbytes, position)


def read_into(files: Sequence[File], buffer: Any) -> List[memoryview]:
    """All of several files, one behind the other in a buffer: where each of them is."""
    view = writable(buffer)
    ends = list(itertools.accumulate(file.size for file in files))
    need = ends[-1] if ends else 0
    if need > view.nbytes:
        raise ValueError(f"into: {view.nbytes} bytes, {need} are needed")
    if need:
        address = address_of(view)
        File.fill([(file, 0, file.size, address + end - file.size)
                   for file, end in zip(files, ends)])
    return [view[end - file.size:end] for file, end in zip(files, ends)]


class RawFile(io.RawIOBase):
    """A file of an image; its position is for one thread at a time."""

    def __init__(self, file: File, name: PathArg) -> None:
        super().__init__()
        self._file: Optional[File] = file
        self._position = 0
        self.name = name
        self.mode = "rb"

    def _live(self) -> File:
        if self._file is None:
            raise ValueError("I/O operation on closed file")
        return self._file

    @property
    def size(self) -> int:
        return self._live().size

    def readable(self) -> bool:
        self._live()
        return True

    def seekable(self) -> bool:
        self._live()
        return True

    def tell(self) -> int:
        self._live()
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        file = self._live()
        bases = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: file.size}
        if whence not in bases:
            raise ValueError(f"whence: {whence!r} is none of 0, 1 and 2")
        if bases[whence] + offset < 0:
            raise OSError(errno.EINVAL, f"seek to {bases[whence] + offset}, below 0", self.name)
        self._position = bases[whence] + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        count = pread_into(self._live(), buffer, self._position)
        self._position += count
        return count

    def readall(self) -> bytes:
        file = self._live()
        data = file.pread(file.size, self._position)
        self._position += len(data)
        return data

    def close(self) -> None:
        self._file = None
        super().close()
