# SPDX-License-Identifier: GPL-2.0
"""What is told of an image and of the names in it, in the types that Python has for that.

Where os has one, it is that: code that takes an os.stat_result or an os.DirEntry works
with those of an image.
"""
import errno
import os
import stat as stat_module
import uuid
from typing import TYPE_CHECKING, Any, AnyStr, Generic, NamedTuple

from . import library
from .filesystem import PathArg
from .handle import Entry

if TYPE_CHECKING:
    from .image import Image

# What a mapping calls a missing key, and a file system an error.
NO_KEY = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.ELOOP,
          errno.ENAMETOOLONG)

DT_DIR, DT_REG, DT_LNK = 4, 8, 10


class Info(NamedTuple):
    """An image as a whole.

    generation		1 for a new image; each update adds 1
    build_time		nanoseconds since 1970
    image_bytes		length of this generation
    metadata_bytes	how much of it is metadata
    files		regular files, hard links counted once
    content_bytes	sum of their sizes
    stored_bytes	bytes stored for them, shared ones counted once
    inodes, directories	how many
    inode_generation	another one for each generation of each image
    chunk_bytes		bytes that a data checksum covers; 0: there are none
    align_bytes		where data begins
    uuid, label		as mkfs was told
    """
    generation: int
    build_time: int
    image_bytes: int
    metadata_bytes: int
    files: int
    content_bytes: int
    stored_bytes: int
    inodes: int
    directories: int
    inode_generation: int
    chunk_bytes: int
    align_bytes: int
    uuid: uuid.UUID
    label: str


def like(path: PathArg, name: bytes) -> Any:
    """A name of the image as str, or as bytes if the path is."""
    return name if isinstance(os.fspath(path), bytes) else os.fsdecode(name)


def join(parent: bytes, name: bytes) -> bytes:
    return parent.rstrip(b"/") + b"/" + name if parent.rstrip(b"/") else name


def status(st: library.Stat) -> os.stat_result:
    seconds, nanoseconds = st.mtime_sec, st.mtime_nsec
    when = seconds + nanoseconds / 1e9
    return os.stat_result(
        (st.mode, st.ino, 0, st.nlink, st.uid, st.gid, st.size, seconds, seconds, seconds),
        {"st_atime": when, "st_mtime": when, "st_ctime": when,
         "st_atime_ns": seconds * 10**9 + nanoseconds,
         "st_mtime_ns": seconds * 10**9 + nanoseconds,
         "st_ctime_ns": seconds * 10**9 + nanoseconds,
         "st_blocks": -(-st.stored // 512), "st_blksize": 4096,
         "st_rdev": os.makedev(st.rdev_major, st.rdev_minor)})


class DirEntry(Generic[AnyStr]):
    """A name in a directory, as os.DirEntry."""

    def __init__(self, image: "Image", parent: bytes, entry: Entry, asked: PathArg) -> None:
        self._image = image
        self._entry = entry
        self.name: AnyStr = like(asked, entry.name)
        self.path: AnyStr = like(asked, join(parent, entry.name))

    def __fspath__(self) -> AnyStr:
        return self.path

    def __repr__(self) -> str:
        return f"<dsfs.DirEntry {self.name!r}>"

    def inode(self) -> int:
        return self._entry.ino

    def is_symlink(self) -> bool:
        return self._entry.type == DT_LNK

    def _is(self, kind: int, follow: bool) -> bool:
        if not (follow and self.is_symlink()):
            return self._entry.type == kind
        try:
            return stat_module.S_IFMT(self.stat().st_mode) >> 12 == kind
        except OSError as error:
            if error.errno in NO_KEY:
                return False
            raise

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(DT_DIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(DT_REG, follow_symlinks)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._image.stat(self.path, follow_symlinks=follow_symlinks)
