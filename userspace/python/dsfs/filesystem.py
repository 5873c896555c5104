# SPDX-License-Identifier: GPL-2.0
"""Is a path on a DSFS mount?

Python's os.statvfs() does not tell the type of a file system, so statfs(2) is called
through the C library.  Where that can't be done, nothing is a DSFS mount.
"""
import ctypes
import os
import platform
import sys
from typing import Any, Optional, TypeVar, Union

PathArg = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
_Paths = TypeVar("_Paths")

# DSFS_SUPER_MAGIC of fs/format/dsfs_fs.h
SUPER_MAGIC = 0x53465344

# struct statfs begins with f_type, a long on all machines but one.
_TYPE_BYTES = 4 if platform.machine().startswith("s390") else ctypes.sizeof(ctypes.c_long)
# More than any machine's struct statfs
_STATFS_BYTES = 512


def _load() -> Any:
    try:
        statfs = ctypes.CDLL(None, use_errno=True).statfs
    except (OSError, AttributeError, TypeError):
        return None
    statfs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    statfs.restype = ctypes.c_int
    return statfs


_statfs = _load() if sys.platform.startswith("linux") else None


def magic_of(path: PathArg) -> Optional[int]:
    """f_type of the file system that path is on; None if that can't be told."""
    if _statfs is None:
        return None
    buf = ctypes.create_string_buffer(_STATFS_BYTES)
    if _statfs(os.fsencode(path), buf):
        return None
    return int.from_bytes(buf.raw[:_TYPE_BYTES], sys.byteorder) & 0xffffffff


def several(paths: _Paths) -> _Paths:
    """paths, if that is not one: letter by letter, a path would be many that are not there."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths: {paths!r} is one path, expected a list of paths")
    return paths


def is_dsfs(path: PathArg) -> bool:
    return magic_of(path) == SUPER_MAGIC
