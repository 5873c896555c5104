# SPDX-License-Identifier: GPL-2.0
"""Tell the kernel which files are read next.

A file is opened, POSIX_FADV_WILLNEED is said of all of it, and it is closed again.  On
DSFS that is one request to the device, and nobody waits for it.  A thread does so, since
with metadata that is not in memory an open may wait, and a loop that trains must not.

The thread lives as long as an epoch, and not in an object that a program keeps: so what
is pickled or forked between two epochs has none.

Environment:
  DSFS_PREFETCH		auto (the default): on DSFS mounts; always: on any file system,
			to compare; off: never
  DSFS_PREFETCH_WINDOW	files ahead where the program does not say (256)
"""
import collections
import os
import queue
import stat
import threading
from typing import Callable, Deque, Dict, Iterable, Iterator, Optional, Sequence, Tuple, TypeVar, \
    Union

from . import filesystem
from .coming import Told
from .filesystem import PathArg, several

_Hint = Union[PathArg, Told]
_Item = TypeVar("_Item")
_Path = TypeVar("_Path", bound=PathArg)

WINDOW = 256
# Larger files are read ahead well enough while they are read, and a window of them
# would fill the memory.
FILE_MAX = 16 << 20

_MODES = ("auto", "always", "off")
# A FIFO must not keep the thread.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


def _mode() -> str:
    mode = os.environ.get("DSFS_PREFETCH") or "auto"
    if mode not in _MODES:
        raise ValueError(f"DSFS_PREFETCH: {mode!r} is none of {', '.join(_MODES)}")
    return mode if hasattr(os, "posix_fadvise") else "off"


def default_window() -> int:
    """Files ahead, by the environment."""
    text = os.environ.get("DSFS_PREFETCH_WINDOW") or str(WINDOW)
    try:
        window = int(text)
    except ValueError:
        window = -1
    if window < 0:
        raise ValueError(f"DSFS_PREFETCH_WINDOW: {text!r} is not a number of files")
    return window


def check_window(window: Optional[int]) -> int:
    """window, or that of the environment if it is None."""
    if window is None:
        return default_window()
    if window < 0:
        raise ValueError(f"window: {window!r} is below 0")
    return window


def will_need(path: PathArg) -> bool:
    """Have a file read into memory, without waiting for it: a hint, so errors are none.

    Whoever reads the file gets them, in its place and with its path.
    """
    try:
        fd = os.open(path, _OPEN_FLAGS)
    except (OSError, ValueError):
        return False
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > FILE_MAX:
            return False
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


class Prefetcher:
    """A queue of paths, and a thread that says will_need() of each.

    thread=False does so in add() itself: precise, and for programs that keep Python's
    lock busy all the time, so that a thread would come late.

    To be ended by finish(), or by close(), which forgets what was not yet asked for; a
    with statement closes.
    """

    def __init__(self, thread: bool = True) -> None:
        self._mode = _mode()
        self._known: Dict[Union[str, bytes], bool] = {}
        self._queue: Optional["queue.SimpleQueue[Union[str, bytes, None]]"] = \
            queue.SimpleQueue() if thread and self._mode != "off" else None
        self._thread: Optional[threading.Thread] = None
        self._closed = False  # by close(): for the thread
        self._ended = False  # by either

    def wanted(self, path: Union[str, bytes]) -> bool:
        """Would add() do anything for this path?  Asked once a directory."""
        if self._mode != "auto":
            return self._mode == "always"
        parent: Union[str, bytes] = os.path.dirname(path) or os.curdir
        known = self._known.get(parent)
        if known is None:
            known = self._known[parent] = filesystem.is_dsfs(parent)
        return known

    def add(self, path: _Hint) -> None:
        """path, a str, bytes or os.PathLike, is read before long; so is one of an image."""
        if isinstance(path, Told):
            path.tell()
            return
        path = os.fspath(path)
        if self._ended or not self.wanted(path):
            return
        if self._queue is None:
            will_need(path)
            return
        self._queue.put(path)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, args=(self._queue,),
                                            name="dsfs-prefetch", daemon=True)
            self._thread.start()

    def _run(self, paths: "queue.SimpleQueue[Union[str, bytes, None]]") -> None:
        while True:
            path = paths.get()
            if path is None or self._closed:
                return
            will_need(path)

    def finish(self) -> None:
        """No path comes any more: the thread ends when it has asked for all."""
        self._ended = True
        if self._thread is not None and self._queue is not None:
            self._queue.put(None)
            self._thread = None

    def close(self) -> None:
        """Forget what was not yet asked for, and end the thread; nothing after finish()."""
        self._ended = True
        if self._thread is None or self._queue is None:
            return
        self._closed = True
        self._queue.put(None)
        # The thread is in one open or advice at most.  A device that hangs must not hang the
        # caller.
        self._thread.join(timeout=1)
        self._thread = None

    def __enter__(self) -> "Prefetcher":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


def look_ahead(items: Iterable[_Item], paths_of: Callable[[_Item], Sequence[_Hint]],
               window: int, thread: bool = True) -> Iterator[_Item]:
    """Yield items, each when what follows it has window paths that are prefetched.

    paths_of(item) gives its paths; an item without any counts as one.  At window 0 there
    is no prefetch.
    """
    if not window or _mode() == "off":
        yield from items
        return
    waiting: Deque[Tuple[_Item, int]] = collections.deque()
    away = 0
    with Prefetcher(thread) as prefetcher:
        for item in items:
            paths = paths_of(item)
            for path in paths:
                prefetcher.add(path)
            waiting.append((item, len(paths) or 1))
            away += waiting[-1][1]
            while away - waiting[0][1] >= window:
                item, count = waiting.popleft()
                away -= count
                yield item
        # Not closed at the end: a DataLoader takes the last item while its workers are still
        # some batches behind.
        prefetcher.finish()
        for item, _count in waiting:
            yield item


def ahead(paths: Iterable[_Path], window: Optional[int] = None,
          thread: bool = True) -> Iterator[_Path]:
    """Yield paths, in order, when the window of those behind them is prefetched.

    For loops of one's own:

        for path in dsfs.ahead(shuffled):
            with open(path, "rb") as f: ...
    """
    return look_ahead(iter(several(paths)), lambda path: (path,), check_window(window), thread)
