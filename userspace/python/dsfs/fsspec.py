# SPDX-License-Identifier: GPL-2.0
"""Images for fsspec, and so for pandas, Hugging Face and whatever else opens its URLs.

    dsfs://train/labels.csv::/data/flowers.dsfs

is a file in an image, written as for other archives: the path within it, two colons, and
where the image is.  That is a file or block device of this machine, an address as
https://host/flowers.dsfs or s3://bucket/flowers.dsfs, which libdsfs reads by ranges, or
anything that is made a file of this machine, as simplecache::gs://bucket/flowers.dsfs is.

Instances are kept by fsspec: an image that is updated is seen in its newest generation
by those that are made later with skip_instance_cache=True.
"""
import datetime
import errno
import io
import os
import stat
from typing import Any, Dict, List, Optional, Tuple, Union

import fsspec
from fsspec.archive import AbstractArchiveFileSystem
from fsspec.utils import tokenize

from . import origin
from .handle import File
from .image import Image
from .rawfile import RawFile

# Files of a call that are asked for at once
BATCH = 64

_Bound = Optional[int]


def _local(fo: Any, protocol: Optional[str], options: Optional[Dict[str, Any]]) -> str:
    """The path of an image that is at hand, or is fetched by a cache of fsspec's; or the
    address of one that libdsfs reads itself."""
    fo = os.fspath(fo)
    if protocol == "s3" and not origin.is_far(fo):
        fo = f"s3://{fo}"
    if protocol in (None, "", "http", "https", "s3", "oci") and origin.is_far(fo):
        if options:
            raise ValueError(f"{origin.name(fo)}: libdsfs reads it: what it needs to know is "
                             f"said by source, not by {', '.join(options)}")
        return str(fo)
    if protocol in (None, "", "file", "local") and "://" not in fo and "::" not in fo:
        return str(fo)
    opened = fsspec.open(fo, "rb", protocol=protocol, **(options or {}))
    with opened as file:
        path = getattr(file, "name", None)
    if not (isinstance(path, str) and os.path.isabs(path) and os.path.exists(path)):
        raise ValueError(f"{fo}: not a file of this machine: put simplecache:: in front of it")
    return path


def _span(size: int, start: _Bound, end: _Bound) -> Tuple[int, int]:
    """Position and length of what a slice of bytes would be."""
    first, last, _step = slice(start, end).indices(size)
    return first, max(0, last - first)


class DSFSFile(io.BufferedReader):
    """What open() gives: with the size, as other files of fsspec have it."""

    def __init__(self, raw: RawFile, buffering: int) -> None:
        super().__init__(raw, buffering)
        self.size = raw.size


class DSFSFileSystem(AbstractArchiveFileSystem):  # type: ignore[misc]
    """An image as a file system of fsspec; read-only.

    fo		the image
    target_protocol, target_options
		how fsspec gets at it, as for other archives
    generation, verify, source
		as for dsfs.Image

    >>> import fsspec
    >>> from dsfs.fsspec import DSFSFileSystem
    >>> fsspec.register_implementation("dsfs", DSFSFileSystem)
    >>> fs = fsspec.filesystem("dsfs", fo="flowers.dsfs")
    >>> fs.ls("rose", detail=False)
    ['rose/1.jpg', 'rose/2.jpg']
    >>> fs.cat("tulip/1.jpg")
    b'a white tulip'
    >>> with fsspec.open("dsfs://rose/1.jpg::flowers.dsfs") as file:
    ...     file.read()
    b'a red rose'

    Where the package is installed by pip, nothing has to be registered.
    """

    root_marker = ""
    protocol = "dsfs"
    cachable = True

    def __init__(self, fo: Any = "", target_protocol: Optional[str] = None,
                 target_options: Optional[Dict[str, Any]] = None,
                 generation: Optional[int] = None, verify: bool = True,
                 source: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fo = _local(fo, target_protocol, target_options)
        self.image = Image(self.fo, generation=generation, verify=verify, source=source)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        stripped = super()._strip_protocol(path)
        if isinstance(stripped, list):
            return stripped
        return stripped.lstrip("/")

    def ukey(self, path: str) -> str:
        info = self.image.info
        return str(tokenize(self._strip_protocol(path), str(info.uuid), info.inode_generation))

    # Names

    def _info(self, path: str, follow_directories: bool) -> Dict[str, Any]:
        st = self.image.stat(path, follow_symlinks=False)
        link = stat.S_ISLNK(st.st_mode)
        if link:
            try:
                st = self.image.stat(path)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                    raise
        kind = "other"
        if stat.S_ISREG(st.st_mode):
            kind = "file"
        elif stat.S_ISDIR(st.st_mode) and (follow_directories or not link):
            kind = "directory"
        info: Dict[str, Any] = {"name": path, "type": kind, "islink": link,
                                "size": st.st_size if kind == "file" else 0}
        for field in "mode", "uid", "gid", "mtime", "ino", "nlink":
            info[field] = getattr(st, f"st_{field}")
        if link:
            info["destination"] = self.image.readlink(path)
        return info

    def info(self, path: str, **_kwargs: Any) -> Dict[str, Any]:
        return self._info(self._strip_protocol(path), True)

    def ls(self, path: str, detail: bool = True, **_kwargs: Any) -> List[Any]:
        """A directory, or a file alone.

        A link to a directory is no directory in here, though it is for info(): a walk would
        not end if it led upwards.
        """
        path = self._strip_protocol(path)
        info = self._info(path, True)
        if info["type"] != "directory":
            return [info if detail else path]
        prefix = f"{path}/" if path else ""
        names = [prefix + name for name in self.image.listdir(path)]
        return [self._info(name, False) for name in names] if detail else names

    def modified(self, path: str) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(self.info(path)["mtime"], datetime.timezone.utc)

    # Contents

    def _open(self, path: str, mode: str = "rb", block_size: Optional[int] = None,
              **_kwargs: Any) -> DSFSFile:
        path = self._strip_protocol(path)
        if mode != "rb":
            raise OSError(errno.EROFS, f"mode {mode!r}: an image is read-only", path)
        raw: Any = self.image.open(path, buffering=0)
        # Whole chunks cost least.
        return DSFSFile(raw, block_size or max(self.image.info.chunk_bytes, 64 << 10))

    def cat_file(self, path: str, start: _Bound = None, end: _Bound = None,
                 **_kwargs: Any) -> bytes:
        path = self._strip_protocol(path)
        if start is None and end is None:
            return self.image.read(path)
        position, length = _span(self.image.stat(path).st_size, start, end)
        return self.image.pread(path, length, position)

    def cat_ranges(self, paths: List[str], starts: Union[_Bound, List[_Bound]],
                   ends: Union[_Bound, List[_Bound]], max_gap: Optional[int] = None,
                   on_error: str = "return", **_kwargs: Any) -> List[Any]:
        """Bytes of several files: all are asked for before the first is waited for.

        max_gap is of no use here.  An error is in the place of the bytes, unless on_error
        is "raise".
        """
        if not isinstance(paths, list):
            raise TypeError(f"paths: {type(paths).__name__}, expected a list")
        starts = starts if isinstance(starts, list) else [starts] * len(paths)
        ends = ends if isinstance(ends, list) else [ends] * len(paths)
        if not len(paths) == len(starts) == len(ends):
            raise ValueError(f"{len(paths)} paths, {len(starts)} starts, {len(ends)} ends")
        found: List[Any] = []
        for path, start, end in zip(paths, starts, ends):
            found.append(self._try(on_error, self._begin, path, start, end))
        return [part if isinstance(part, OSError) else
                self._try(on_error, part[0].pread, part[2], part[1]) for part in found]

    def _begin(self, path: str, start: _Bound, end: _Bound) -> Tuple[File, int, int]:
        file = self.image._file(self._strip_protocol(path))
        position, length = _span(file.size, start, end)
        file.readahead(length, position)
        return file, position, length

    @staticmethod
    def _try(on_error: str, function: Any, *args: Any) -> Any:
        try:
            return function(*args)
        except OSError as error:
            if on_error == "raise":
                raise
            return error

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise",
            **kwargs: Any) -> Any:
        """Contents of a file; or of several, by their paths, in batches."""
        paths = self.expand_path(path, recursive=recursive)
        if not isinstance(path, list) and paths == [self._strip_protocol(path)]:
            return self.cat_file(paths[0], **kwargs)
        if recursive:
            paths = [path for path in paths if not self.isdir(path)]
        contents: Dict[str, Any] = {}
        for at in range(0, len(paths), BATCH):
            some = paths[at:at + BATCH]
            found = self.cat_ranges(some, kwargs.get("start"), kwargs.get("end"),
                                    on_error=on_error)
            contents.update((name, data) for name, data in zip(some, found)
                            if on_error != "omit" or not isinstance(data, OSError))
        return contents
