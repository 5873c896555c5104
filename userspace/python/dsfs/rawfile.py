# SPDX-License-Identifier: GPL-2.0
"""A file of an image as a file object, for whoever reads by position: the raw one, which
io.BufferedReader and others wrap.  A position is the object's own; reading does not
move one in the library, so any number of objects and threads share an image.
"""
import ctypes
import errno
import io
from typing import Any, Optional

from .filesystem import PathArg
from .handle import File


def pread_into(file: File, buffer: Any, position: int) -> int:
    view = memoryview(buffer).cast("B")
    # Not the library's to say: ctypes cuts a position to 64 bits.
    if not view.nbytes or position >= file.size:
        return 0
    # The type is that of one byte: ctypes would make a new type for each length.
    first = ctypes.c_char.from_buffer(view)
    return file.pread_into(ctypes.addressof(first), view.nbytes, position)


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
