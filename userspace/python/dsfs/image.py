# SPDX-License-Identifier: GPL-2.0
"""An image as a mapping of paths to contents, without a mount.

Paths are as in os: str, bytes or os.PathLike, relative to the root of the image whether or
not they begin with a slash; names that are no UTF-8 are str with surrogate escapes, and
who gives bytes gets bytes.  Symbolic links are followed as after chroot(2) into the image.
Errors are those of the functions of os with the same names.
"""
import errno
import io
import os
import stat as stat_module
import uuid
from typing import IO, Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, \
    Tuple, Union, overload

from . import glob, library, origin
from .entries import DT_DIR, DT_REG, NO_KEY, DirEntry, Info, join, like, status
from .filesystem import PathArg, several
from .handle import Entry, File, Handle
from .rawfile import RawFile, pread_into, read_into
from .resource import Resource


class Image(Mapping[str, bytes]):
    """A DSFS image: a read-only mapping of paths to contents.

    path	the image, a file or a block device; or its address on a server, http://...,
		https://..., s3://bucket/key or oci://registry/name:tag; a digest may stand
		behind it, @sha256:...
    generation	which of those that it keeps; None is the newest.  It stays the same,
		also in other processes, when the image is updated meanwhile
    verify	compare data with its checksums; metadata always is
    offset, length
		where the image is within path, in bytes; length 0 is up to the end
    source	options of the way to a server, "name=value,...": dsfs-source(7)

    >>> with dsfs.Image("flowers.dsfs") as image:
    ...     image["rose/1.jpg"]
    ...     list(image)
    b'a red rose'
    ['rose/1.jpg', 'rose/2.jpg', 'tulip/1.jpg']

    Keys are the paths of regular files, depth first, names in the order of their bytes.
    Whatever leads to one, as a symbolic link does, can be asked for, too.

    Threads may share an image.  It may be there before a fork; where processes are
    spawned it is pickled, and opened again by its path.
    """

    def __init__(self, path: PathArg, *, generation: Optional[int] = None, verify: bool = True,
                 offset: int = 0, length: int = 0, source: str = "") -> None:
        self._handle: Optional[Handle] = None
        if generation is not None and generation < 1:
            raise ValueError(f"generation: {generation!r} is below 1")
        # Another process may be in another directory.
        path, source = origin.split(path, source)
        far = origin.is_far(path)
        self.path: Union[str, bytes] = os.fspath(path) if far else os.path.abspath(os.fspath(path))
        self._name = origin.name(self.path) if far else self.path
        self._source = source
        self.verify = verify
        self._range = (offset, length)
        self._count: Optional[int] = None
        flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        fd = -1 if far else os.open(path, flags)
        try:
            self._handle = Handle(fd, generation or 0, verify, offset, length,
                                  os.fsencode(self.path), os.fsencode(source) or None)
        except OSError as error:
            error.filename = self._name if far else path
            raise
        self.generation: int = self.info.generation

    # The image as a whole

    def _live(self) -> Handle:
        if self._handle is None:
            raise ValueError(f"image is closed: {self._name!r}")
        return self._handle

    def close(self) -> None:
        """No more calls.  Those that other threads are in, and files that are open, end
        well; only then is it closed."""
        self._handle = None

    @property
    def is_far(self) -> bool:
        """Whether it is on a server."""
        return origin.is_far(self.path)

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle is None

    def __enter__(self) -> "Image":
        self._live()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        more = ", closed" if self.closed else ""
        return f"<dsfs.Image {self._name!r}, generation {self.generation}{more}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        info = self.info
        return _again, (self.path, self.generation, self.verify, self._range,
                        info.uuid, info.inode_generation, self._source)

    # Not as mappings compare, which would read all of both.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def info(self) -> Info:
        """The image as a whole: label, UUID, sizes; see dsfs.Info.

        >>> image.info.files, image.info.content_bytes, image.info.label
        (3, 34, 'flowers')
        """
        raw = self._live().info()
        values: List[Any] = [getattr(raw, name) for name in Info._fields[:-2]]
        values += [uuid.UUID(bytes=bytes(raw.uuid)), raw.label.decode(errors="surrogateescape")]
        return Info(*values)

    def generations(self) -> List[int]:
        """The generations that the image keeps, the newest first.

        >>> image.generations()
        [1]
        """
        return self._live().generations()

    def check(self, data: bool = False) -> None:
        """Compare all metadata with its checksums, and all contents; DamageError tells of
        the first that is wrong."""
        self._live().verify(data)

    def load(self) -> None:
        """Read all metadata into memory, and check it.

        It is read when it is needed, otherwise: a batch of which each file needs another
        part of it waits for them one by one.  Processes that are forked later share it.
        """
        self.check()

    # Paths

    def _lookup(self, path: PathArg, follow: bool = True) -> library.Stat:
        return self._live().lookup(os.fsencode(path), follow, path)

    def _file(self, path: PathArg) -> File:
        st = self._lookup(path)
        return File(self._live(), st.ino, path)

    def stat(self, path: PathArg = "", *, follow_symlinks: bool = True) -> os.stat_result:
        """As os.stat(); times are all that of modification.

        >>> image.stat("rose/1.jpg").st_size
        10
        """
        return status(self._lookup(path, follow_symlinks))

    def _kind(self, path: PathArg, follow: bool) -> int:
        """The type of a file as in st_mode; 0 if there is none."""
        try:
            return stat_module.S_IFMT(self._lookup(path, follow).mode)
        except OSError as error:
            if error.errno in NO_KEY:
                return 0
            raise

    def exists(self, path: PathArg, *, follow_symlinks: bool = True) -> bool:
        """Whether there is such a file; without following, also a link that leads nowhere.

        >>> image.exists("rose"), image.exists("rose/9.jpg")
        (True, False)
        """
        return self._kind(path, follow_symlinks) != 0

    def isdir(self, path: PathArg) -> bool:
        """Whether it is a directory, or a link to one."""
        return self._kind(path, True) == stat_module.S_IFDIR

    def isfile(self, path: PathArg) -> bool:
        """Whether it is a regular file, or a link to one."""
        return self._kind(path, True) == stat_module.S_IFREG

    def islink(self, path: PathArg) -> bool:
        """Whether it is a symbolic link."""
        return self._kind(path, False) == stat_module.S_IFLNK

    def readlink(self, path: PathArg) -> Any:
        """The target of a symbolic link: str, or bytes for a path of bytes.

        >>> image.readlink("favourite")
        'rose/1.jpg'
        """
        st = self._lookup(path, False)
        return like(path, self._live().readlink(st.ino, path))

    def getxattr(self, path: PathArg, name: Union[str, bytes], *,
                 follow_symlinks: bool = True) -> bytes:
        """The value of an extended attribute, named with its prefix.

        >>> image.getxattr("rose/1.jpg", "user.colour")
        b'red'
        """
        st = self._lookup(path, follow_symlinks)
        return self._live().getxattr(st.ino, os.fsencode(name), path)

    def listxattr(self, path: PathArg = "", *, follow_symlinks: bool = True) -> List[str]:
        """The names of extended attributes.

        >>> image.listxattr("rose/1.jpg")
        ['user.colour']
        """
        st = self._lookup(path, follow_symlinks)
        return [os.fsdecode(name) for name in self._live().listxattr(st.ino, path)]

    # Directories

    def _entries(self, ino: int, told: object) -> Iterator[Entry]:
        found, position = self._live().entries(ino, 0, told)
        while found:
            yield from found
            found, position = self._live().entries(ino, position, told)

    def listdir(self, path: PathArg = "") -> List[Any]:
        """Names in a directory, in the order of their bytes.

        >>> image.listdir("rose")
        ['1.jpg', '2.jpg']
        """
        st = self._lookup(path)
        return [like(path, entry.name) for entry in self._entries(st.ino, path)]

    def scandir(self, path: PathArg = "") -> Iterator["DirEntry[Any]"]:
        """As os.scandir(), in the order of listdir().

        >>> [(entry.name, entry.is_dir()) for entry in image.scandir()]
        [('favourite', False), ('rose', True), ('tulip', True)]
        """
        st = self._lookup(path)
        if not stat_module.S_ISDIR(st.mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        parent = os.fsencode(path)
        return (DirEntry(self, parent, entry, path) for entry in self._entries(st.ino, path))

    def walk(self, top: PathArg = "",
             followlinks: bool = False) -> Iterator[Tuple[Any, List[Any], List[Any]]]:
        """As os.walk(), from the top: directories that are taken out of the list are left
        out.  Errors are raised.  Links are followed once to each directory, and to none that
        the link is in: a walk always ends.

        >>> for path, directories, files in image.walk():
        ...     print(repr(path), directories, files)
        '' ['rose', 'tulip'] ['favourite']
        'rose' [] ['1.jpg', '2.jpg']
        'tulip' [] ['1.jpg']
        """
        # Above a directory: inodes that it is in, the nearest first
        waiting: List[Tuple[bytes, Any]] = [(os.fsencode(top), None)]
        followed: Set[int] = set()
        while waiting:
            path, above = waiting.pop()
            st = self._lookup(like(top, path), above is None)
            if stat_module.S_ISLNK(st.mode):
                st = self._lookup(like(top, path))
                if not followlinks or st.ino in followed or _is_in(st.ino, above):
                    continue
                followed.add(st.ino)
            directories: List[Any] = []
            files: List[Any] = []
            for entry in self.scandir(like(top, path)):
                (directories if entry.is_dir() else files).append(entry.name)
            yield like(top, path), directories, files
            waiting += [(join(path, os.fsencode(name)), (st.ino, above))
                        for name in reversed(directories)]

    def glob(self, pattern: PathArg) -> Iterator[Any]:
        """Paths by a pattern, as pathlib.Path.glob(): of a directory in the order of listdir().

        >>> list(image.glob("*/1.jpg")), list(image.glob("**/[2-9].*"))
        (['rose/1.jpg', 'tulip/1.jpg'], ['rose/2.jpg'])
        """
        return glob.find(self, pattern)

    def files(self) -> Resource:
        """The root of the image as importlib.resources.files() has that of a package."""
        return Resource(self)

    def _regular(self) -> Iterator[Tuple[bytes, Entry]]:
        """Paths of all regular files, depth first."""
        levels = [(b"", self._entries(library.ROOT_INO, ""))]
        while levels:
            parent, entries = levels[-1]
            entry = next(entries, None)
            if entry is None:
                levels.pop()
            elif entry.type == DT_REG:
                yield join(parent, entry.name), entry
            elif entry.type == DT_DIR:
                path = join(parent, entry.name)
                levels.append((path, self._entries(entry.ino, path)))

    # The mapping

    def __iter__(self) -> Iterator[str]:
        return (os.fsdecode(path) for path, _entry in self._regular())

    def __len__(self) -> int:
        # Directories are read once for it: a hard link is a key of its own.
        if self._count is None:
            self._count = sum(1 for _ in self._regular())
        return self._count

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False
        try:
            return self.isfile(path)
        except ValueError:
            if self.closed:
                raise
            return False

    def __getitem__(self, path: PathArg) -> bytes:
        try:
            return self.read(path)
        except OSError as error:
            if error.errno in NO_KEY:
                raise KeyError(path) from error
            raise

    # Contents

    def read(self, path: PathArg) -> bytes:
        """All of a file; what image[path] raises as KeyError is an OSError here."""
        file = self._file(path)
        return file.pread(file.size, 0)

    def pread(self, path: PathArg, length: int, position: int) -> bytes:
        """At most length bytes from a position on.

        >>> image.pread("rose/1.jpg", 3, 2)
        b'red'
        """
        if position < 0 or length < 0:
            raise ValueError(f"length {length}, position {position}: below 0")
        return self._file(path).pread(length, position)

    def readinto(self, path: PathArg, buffer: Any, position: int = 0) -> int:
        """Read into a bytearray, an array or another writable buffer: bytes read.

        >>> buffer = bytearray(5)
        >>> image.readinto("rose/1.jpg", buffer), buffer
        (5, bytearray(b'a red'))
        """
        if position < 0:
            raise ValueError(f"position {position}: below 0")
        return pread_into(self._file(path), buffer, position)

    def will_need(self, paths: Iterable[PathArg]) -> None:
        """Have files read into memory, without waiting for them."""
        for path in several(paths):
            file = self._file(path)
            file.readahead(file.size, 0)

    @overload
    def read_batch(self, paths: Sequence[PathArg]) -> List[bytes]: ...

    @overload
    def read_batch(self, paths: Sequence[PathArg], *, into: Any) -> List[memoryview]: ...

    def read_batch(self, paths: Sequence[PathArg], *, into: Any = None) -> Any:
        """Contents of several files, in order, for little more than the wait for one.

        >>> image.read_batch(["tulip/1.jpg", "rose/1.jpg"])
        [b'a white tulip', b'a red rose']

        into is a buffer that they are read to, one behind the other: a bytearray, an array of
        NumPy, a tensor in pinned memory.  Then they are views of it.  A batch needs no new
        memory then, which is most of what one costs that is in memory already.

        >>> buffer = bytearray(1 << 20)
        >>> image.read_batch(["rose/2.jpg", "rose/1.jpg"], into=buffer)[1].tobytes()
        b'a red rose'
        >>> buffer[:21]
        bytearray(b'a pink rosea red rose')
        """
        files = [self._file(path) for path in several(paths)]
        return File.read_many(files) if into is None else read_into(files, into)

    def open(self, path: PathArg, mode: str = "rb", buffering: int = -1) -> IO[bytes]:
        """A file object, for whoever wants one: buffered, or with buffering=0 a raw one.

        >>> with image.open("rose/1.jpg") as file:
        ...     file.seek(2), file.read(3)
        (2, b'red')
        """
        if mode not in ("r", "rb"):
            raise ValueError(f"mode: {mode!r} is not 'rb'")
        raw: Any = RawFile(self._file(path), path)
        if buffering == 0:
            return raw  # type: ignore[no-any-return]
        if buffering < 0:
            # Whole chunks cost least.
            buffering = max(self._live().info().chunk_bytes, 64 << 10)
        return io.BufferedReader(raw, buffering)


def _is_in(ino: int, above: Any) -> bool:
    """Is a directory one of those above?"""
    while above and above[0] != ino:
        above = above[1]
    return above is not None


def _again(path: Union[str, bytes], generation: int, verify: bool, where: Tuple[int, int],
           number: uuid.UUID, inode_generation: int, source: str = "") -> Image:
    """The same image in another process."""
    image = Image(path, generation=generation, verify=verify, offset=where[0],
                  length=where[1], source=source)
    info = image.info
    if (info.uuid, info.inode_generation) != (number, inode_generation):
        raise OSError(errno.ESTALE, f"generation {generation} is not the one that was open: "
                      f"UUID {info.uuid}, expected {number}", image._name)
    return image
