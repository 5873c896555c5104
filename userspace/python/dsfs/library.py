# SPDX-License-Identifier: GPL-2.0
"""libdsfs, by ctypes: nothing is built when this package is installed.

The declarations are those of dsfs.h.  The library is loaded when an image is first opened,
so prefetch works where it is not installed.  ctypes lets go of Python's lock for each call.

Environment:
  DSFS_LIBRARY		the shared library, instead of the libdsfs.so.0 that is installed
"""
import ctypes
import errno
import functools
import os
import re
from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_ssize_t, \
    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any, Optional

SONAME = "libdsfs.so.0"

ROOT_INO = 1
SYMLINK_MAX = 4095
FOLLOW = 1
UNCHECKED = 1
VERIFY_DATA = 1


class DamageError(OSError):
    """An image is damaged: a checksum is wrong (EBADMSG), or a rule of the format is
    broken (EUCLEAN)."""


class Error(ctypes.Structure):
    __hash__ = object.__hash__
    _fields_ = [("code", c_int), ("message", c_char * 252)]


class OpenOptions(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("offset", c_uint64),
                ("length", c_uint64), ("generation", c_uint64), ("source", c_char_p)]


class Info(ctypes.Structure):
    _fields_ = [("generation", c_uint64), ("build_time", c_int64), ("image_bytes", c_uint64),
                ("metadata_bytes", c_uint64), ("files", c_uint64), ("content_bytes", c_uint64),
                ("stored_bytes", c_uint64), ("inodes", c_uint64), ("directories", c_uint64),
                ("inode_generation", c_uint32), ("chunk_bytes", c_uint32),
                ("align_bytes", c_uint32), ("uuid", c_uint8 * 16), ("label", c_char * 68),
                ("spare", c_uint64 * 8)]


class Stat(ctypes.Structure):
    _fields_ = [("ino", c_uint64), ("size", c_uint64), ("stored", c_uint64),
                ("mtime_sec", c_int64), ("mtime_nsec", c_uint32), ("mode", c_uint32),
                ("nlink", c_uint32), ("uid", c_uint32), ("gid", c_uint32),
                ("rdev_major", c_uint32), ("rdev_minor", c_uint32), ("has_acl", c_uint32),
                ("spare", c_uint64 * 4)]


class Dirent(ctypes.Structure):
    _fields_ = [("ino", c_uint64), ("next", c_uint64), ("name", c_char_p),
                ("name_len", c_uint16), ("type", c_uint8), ("spare", c_uint8 * 5)]


class Read(ctypes.Structure):
    _fields_ = [("file", c_void_p), ("buf", c_char_p), ("len", c_size_t), ("pos", c_uint64),
                ("result", c_ssize_t)]


# An image, a file and a stream are pointers; so is the error, which byref() gives.
_FUNCTIONS = {
    "dsfs_open": (c_int, [c_char_p, POINTER(OpenOptions), POINTER(c_void_p), c_void_p]),
    "dsfs_open_fd": (c_int, [c_int, POINTER(OpenOptions), POINTER(c_void_p), c_void_p]),
    "dsfs_close": (None, [c_void_p]),
    "dsfs_source_note": (c_char_p, [c_void_p]),
    "dsfs_get_info": (None, [c_void_p, POINTER(Info)]),
    "dsfs_generations": (c_ssize_t, [c_void_p, POINTER(c_uint64), c_size_t, c_void_p]),
    "dsfs_verify": (c_int, [c_void_p, c_uint32, c_void_p]),
    "dsfs_lookup_path": (c_int, [c_void_p, c_char_p, c_uint32, POINTER(Stat), c_void_p]),
    "dsfs_readlink": (c_ssize_t, [c_void_p, c_uint64, c_char_p, c_size_t, c_void_p]),
    "dsfs_getxattr": (c_ssize_t, [c_void_p, c_uint64, c_char_p, c_char_p, c_size_t, c_void_p]),
    "dsfs_listxattr": (c_ssize_t, [c_void_p, c_uint64, c_char_p, c_size_t, c_void_p]),
    "dsfs_opendir": (c_int, [c_void_p, c_uint64, POINTER(c_void_p), c_void_p]),
    "dsfs_readdir": (c_int, [c_void_p, POINTER(Dirent), c_void_p]),
    "dsfs_seekdir": (None, [c_void_p, c_uint64]),
    "dsfs_closedir": (None, [c_void_p]),
    "dsfs_file_open": (c_int, [c_void_p, c_uint64, c_uint32, POINTER(c_void_p), c_void_p]),
    "dsfs_file_close": (None, [c_void_p]),
    "dsfs_file_size": (c_uint64, [c_void_p]),
    "dsfs_pread": (c_ssize_t, [c_void_p, c_void_p, c_size_t, c_uint64, c_void_p]),
    "dsfs_pread_many": (c_int, [POINTER(Read), c_size_t, c_void_p]),
    "dsfs_readahead": (None, [c_void_p, c_uint64, c_uint64]),
}


@functools.lru_cache(maxsize=None)
def load() -> Any:
    """The library, with its functions declared; ImportError if there is none."""
    name = os.environ.get("DSFS_LIBRARY") or SONAME
    try:
        library = ctypes.CDLL(name)
        for function, (result, arguments) in _FUNCTIONS.items():
            getattr(library, function).restype = result
            getattr(library, function).argtypes = arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"{error}: images are read by libdsfs: install it (libdsfs0), or "
                          f"name it in DSFS_LIBRARY") from error
    return library


# Errors of a path: the words of the system and the path say all.
OF_PATHS = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG)
OF_INODE = re.compile(r"(inode|directory) \d+: ")


def words(code: int, message: str) -> str:
    """A message of the library without what a caller did not name: numbers of inodes."""
    system = os.strerror(code)
    if code in OF_PATHS and OF_INODE.match(message):
        return system
    return OF_INODE.sub("", message, count=1)


def failure(error: Error, path: Optional[object] = None) -> OSError:
    """The exception for an error that the library told: FileNotFoundError and so on, as
    OSError itself chooses, or DamageError."""
    message = error.message.decode(errors="backslashreplace")
    if path is not None:
        message = words(error.code, message)
    # The words of EINVAL add nothing to the message.
    system = f": {os.strerror(errno.EINVAL)}"
    if error.code == errno.EINVAL and message.endswith(system):
        message = message[:-len(system)]
    kind = DamageError if error.code in (errno.EBADMSG, errno.EUCLEAN) else OSError
    return kind(error.code, message) if path is None else kind(error.code, message, path)
