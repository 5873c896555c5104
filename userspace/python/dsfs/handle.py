# SPDX-License-Identifier: GPL-2.0
"""An open image and its open files, by inode number: what stands between ctypes and Image.

Who frees them: the last reference, and not close().  A thread that is within a call has
one, so another may close the image meanwhile.

Fork: a child shares the descriptor, which is only read by pread(2), and has a copy of the
metadata.  But if another thread of the parent was within a call, it may have held a lock
of the library, which in the child nobody gives back.  So calls are counted, and a child
that was born during one opens the image again when it next needs it.
"""
import ctypes
import errno
import os
import threading
import warnings
import weakref
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from . import library

# Names that are read in one go: between two, no stream is open.
_PIECE = 1024

# A bytes object that is still to be filled in: so contents are not copied.
_new_bytes: Callable[[None, int], bytes] = ctypes.pythonapi.PyBytes_FromStringAndSize
ctypes.pythonapi.PyBytes_FromStringAndSize.argtypes = [ctypes.c_char_p, ctypes.c_ssize_t]
ctypes.pythonapi.PyBytes_FromStringAndSize.restype = ctypes.py_object


# The C library gives memory at the end of the heap back to the kernel when more of it is free
# than twice the largest block that it ever got from the kernel alone: mallopt(3).  So it would
# with each batch, and the next one would wait for a page fault every 4 KiB.  A block as large as
# the batch, which nobody writes to, has it keep that much.  Of larger ones it learns nothing:
_LEARNS_MAX = (32 << 20) - (64 << 10)
_kept = 0


def _keep_memory(size: int) -> None:
    global _kept
    if _kept < size:
        _kept = size
        # Two of them: while one is read, the other is still in use.
        _new_bytes(None, min(2 * size, _LEARNS_MAX))


class Entry(NamedTuple):
    """A name in a directory; type as in d_type of readdir(3)."""
    name: bytes
    ino: int
    type: int


class Handle:
    """An image that is open; the descriptor is its own from here on.

    Of one on a server it is -1, and the address counts.
    """

    def __init__(self, fd: int, generation: int, verify: bool, offset: int,
                 length: int, address: bytes = b"", source: Optional[bytes] = None) -> None:
        self.pointer: Optional[int] = None
        self.fd = fd
        self._address = address
        # ctypes cuts a number to 64 bits and a text at its first NUL, without a word.
        for name, number in ("generation", generation), ("offset", offset), ("length", length):
            if not 0 <= number < 1 << 64:
                raise ValueError(f"{name}: {number!r} is not between 0 and 2^64 - 1")
        for name, text in ("path", address), ("source", source or b""):
            if b"\0" in text:
                raise ValueError(f"{name}: embedded null byte")
        self.lib = library.load()
        self.file_flags = 0 if verify else library.UNCHECKED
        self._options = library.OpenOptions(ctypes.sizeof(library.OpenOptions), 0, offset,
                                            length, generation, source)
        self._calls: Set[library.Error] = set()
        self._lock = threading.Lock()
        self.pointer = self._open()
        note = self.lib.dsfs_source_note(self.pointer)
        if note:
            warnings.warn(note.decode(), RuntimeWarning, stacklevel=3)
        # An update may add a newer generation; this object stays with its own.
        self._options.generation = self.info().generation
        _handles.add(self)

    def _open(self) -> int:
        pointer, error = c_void_p(), library.Error()
        function, what = self.lib.dsfs_open, self._address  # type: Any, Any
        if self.fd >= 0:
            function, what = self.lib.dsfs_open_fd, self.fd
        while function(what, byref(self._options), byref(pointer), byref(error)):
            if error.code != errno.EINTR:
                raise library.failure(error)
        assert pointer.value
        return pointer.value

    def _reopen(self) -> int:
        with self._lock:
            if self.pointer is None:
                self.pointer = self._open()
            return self.pointer

    def after_fork(self) -> None:
        """In a child.  What the parent's threads were at is left alone, and not freed."""
        self._lock = threading.Lock()
        if self._calls:
            self._calls = set()
            self.pointer = None

    def __del__(self) -> None:
        if self.pointer is not None:
            self.lib.dsfs_close(self.pointer)
        if self.fd >= 0:
            os.close(self.fd)

    def call(self, function: Any, *args: Any, path: Optional[object] = None,
             pointer: Any = None) -> int:
        """function(image, *args, error): what it returns, or an OSError.

        pointer is what it gets in the place of the image.
        """
        error = library.Error()
        self._calls.add(error)
        try:
            # A signal ends the wait for a server.  If what Python made of it raises nothing,
            # the call is made again.
            while True:
                result: int = function(pointer or self.pointer or self._reopen(), *args,
                                       byref(error))
                if result != -errno.EINTR:
                    break
        finally:
            self._calls.discard(error)
        if result < 0:
            raise library.failure(error, path)
        return result

    def info(self) -> library.Info:
        info = library.Info()
        self.lib.dsfs_get_info(self.pointer or self._reopen(), byref(info))
        return info

    def generations(self) -> List[int]:
        count = self.call(self.lib.dsfs_generations, None, 0)
        numbers = (c_uint64 * count)()
        self.call(self.lib.dsfs_generations, numbers, count)
        return list(numbers)

    def verify(self, data: bool) -> None:
        self.call(self.lib.dsfs_verify, library.VERIFY_DATA if data else 0)

    def lookup(self, path: bytes, follow: bool, told: object) -> library.Stat:
        """What a path leads to; told is what a message names."""
        if b"\0" in path:
            raise ValueError(f"embedded null byte: {told!r}")
        st = library.Stat()
        self.call(self.lib.dsfs_lookup_path, path, library.FOLLOW if follow else 0, byref(st),
                  path=told)
        return st

    def readlink(self, ino: int, told: object) -> bytes:
        buf = ctypes.create_string_buffer(library.SYMLINK_MAX + 1)
        size = self.call(self.lib.dsfs_readlink, ino, buf, len(buf), path=told)
        return buf.raw[:size]

    def getxattr(self, ino: int, name: bytes, told: object) -> bytes:
        if b"\0" in name:
            raise ValueError(f"embedded null byte: {name!r}")
        size = self.call(self.lib.dsfs_getxattr, ino, name, None, 0, path=told)
        # Size 0 would ask for the size again.
        buf = ctypes.create_string_buffer(size + 1)
        size = self.call(self.lib.dsfs_getxattr, ino, name, buf, size + 1, path=told)
        return buf.raw[:size]

    def listxattr(self, ino: int, told: object) -> List[bytes]:
        size = self.call(self.lib.dsfs_listxattr, ino, None, 0, path=told)
        buf = ctypes.create_string_buffer(size + 1)
        size = self.call(self.lib.dsfs_listxattr, ino, buf, size + 1, path=told)
        return buf.raw[:size].split(b"\0")[:-1]

    def entries(self, ino: int, position: int, told: object) -> Tuple[List[Entry], int]:
        """Some names of a directory from a position on, and the next position.

        At the end there are none.
        """
        stream, entry = c_void_p(), library.Dirent()
        found: List[Entry] = []
        self.call(self.lib.dsfs_opendir, ino, byref(stream), path=told)
        try:
            self.lib.dsfs_seekdir(stream, position)
            while len(found) < _PIECE and self.call(self.lib.dsfs_readdir, byref(entry),
                                                    path=told, pointer=stream.value):
                found.append(Entry(entry.name, entry.ino, entry.type))
                position = entry.next
        finally:
            self.lib.dsfs_closedir(stream)
        return found, position


class File:
    """A regular file that is open."""

    def __init__(self, handle: Handle, ino: int, told: object) -> None:
        self.pointer: Optional[int] = None
        self.handle = handle
        self.ino = ino
        self.told = told
        self._open()
        self.size: int = handle.lib.dsfs_file_size(self.pointer)

    def _open(self) -> int:
        handle, pointer = self.handle, c_void_p()
        handle.call(handle.lib.dsfs_file_open, self.ino, handle.file_flags, byref(pointer),
                    path=self.told)
        assert pointer.value
        # In this order: a thread that finds the new image then finds the new pointer, too.
        self.pointer = pointer.value
        self._image = handle.pointer
        return pointer.value

    def __del__(self) -> None:
        if self.pointer is not None:
            self.handle.lib.dsfs_file_close(self.pointer)

    def _now(self) -> int:
        # after_fork() may have left the image alone; its files are then left alone, too.
        if self.pointer is None or self._image != self.handle.pointer:
            return self._open()
        return self.pointer

    def pread_into(self, buffer: object, length: int, position: int) -> int:
        """Read to where ctypes finds memory: bytes read, fewer than length at the end."""
        return self.handle.call(self.handle.lib.dsfs_pread, buffer, length, position,
                                path=self.told, pointer=self._now())

    def pread(self, length: int, position: int) -> bytes:
        """At most length bytes from a position on."""
        length = max(0, min(length, self.size - position))
        if not length:
            return b""
        data = _new_bytes(None, length)
        if self.pread_into(data, length, position) != length:
            raise OSError(errno.EIO, "the file ends too early", self.told)
        return data

    @staticmethod
    def read_many(files: Sequence["File"]) -> List[bytes]:
        """All of several files."""
        _keep_memory(sum(file.size for file in files))
        contents = [_new_bytes(None, file.size) for file in files]
        File.fill([(file, 0, file.size, data) for file, data in zip(files, contents)])
        return contents

    @staticmethod
    def fill(parts: Sequence[Tuple["File", int, int, Union[bytes, int]]]) -> None:
        """Bytes of (file, position, length) each to where they are wanted, by one call of the
        library, which asks for all before it waits for the first."""
        if not parts:
            return
        handle = parts[0][0].handle
        rows: Any = [(file._now(), where, length, position, 0)
                     for file, position, length, where in parts]
        reads = (library.Read * len(parts))(*rows)
        try:
            handle.call(handle.lib.dsfs_pread_many, len(parts), pointer=reads)
        except OSError as error:
            error.filename = next(part[0].told for read, part in zip(reads, parts)
                                  if read.result < 0)
            raise
        for read, part in zip(reads, parts):
            if read.result != read.len:
                raise OSError(errno.EIO, "the file ends too early", part[0].told)

    def readahead(self, length: int, position: int) -> None:
        """Have bytes brought in, without waiting for them.

        Of a large file that is nothing: it is read ahead well enough while it is read.
        """
        self.handle.lib.dsfs_readahead(self._now(), position, length)


_handles: "weakref.WeakSet[Handle]" = weakref.WeakSet()


def _after_fork() -> None:
    for handle in list(_handles):
        handle.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
