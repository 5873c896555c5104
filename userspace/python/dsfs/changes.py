# SPDX-License-Identifier: GPL-2.0
"""Changes of an image: a batch of operations, which dsfs edit makes one generation of.

    with dsfs.edit("train.dsfs", message="labels of March") as changes:
        changes.move("n02123045/7.jpg", "n02123159/7.jpg")
        changes.add("new/9.jpg", "n02123159/9.jpg")

The image is changed where the with statement ends, by all of them or, with an error, by none.
"""
import errno
import json
import os
import shutil
import subprocess
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Type, Union

PathArg = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def _command() -> str:
    """What runs: the command of DSFS_COMMAND, or the one of the system."""
    return (os.environ.get("DSFS_COMMAND") or shutil.which("dsfs") or
            shutil.which("dsfs", path="/usr/local/sbin:/usr/sbin") or "dsfs")


def _seconds(ns: int) -> str:
    sign = "-" if ns < 0 else ""
    return sign + "%d.%09d" % divmod(abs(ns), 10**9)


class Edit:
    """Operations on an image, of which each sees what those before it did."""

    def __init__(self, image: PathArg, message: Optional[str] = None, touch: bool = False) -> None:
        self._image = os.fsencode(image)
        self._options = [f"--message={message}"] if message is not None else []
        self._options += ["--touch"] if touch else []
        self._lines: List[str] = []

    def _note(self, op: str, **fields: Any) -> None:
        paths = {name: os.fsdecode(value) for name, value in fields.items()
                 if isinstance(value, (str, bytes, os.PathLike))}
        self._lines.append(json.dumps({"op": op, **fields, **paths}))

    def remove(self, path: PathArg, recursive: bool = False) -> None:
        """Remove a file; with recursive a directory, too, and all below it."""
        self._note("rm", path=path, recursive=recursive)

    def move(self, old: PathArg, new: PathArg) -> None:
        """Give a file or a directory another path, which is not there; its directory is."""
        self._note("mv", **{"from": old, "to": new})

    def add(self, source: PathArg, path: PathArg, replace: bool = False) -> None:
        """Add a file of this machine as path, or what is in a directory to the one at path.

        A file that is there is an error, unless replace is true.
        """
        self._note("add", source=source, path=path, replace=replace)

    def set(self, path: PathArg, mode: Optional[int] = None, uid: Optional[int] = None,
            gid: Optional[int] = None, mtime_ns: Optional[int] = None,
            xattrs: Optional[Mapping[str, Optional[bytes]]] = None) -> None:
        """Set attributes; an extended attribute of None is taken away."""
        fields: Dict[str, Any] = {"path": path}
        if mode is not None:
            fields["mode"] = "%o" % mode
        if uid is not None:
            fields["uid"] = uid
        if gid is not None:
            fields["gid"] = gid
        if mtime_ns is not None:
            fields["mtime"] = _seconds(mtime_ns)
        if xattrs:
            fields["xattrs"] = {name: None if value is None else value.hex()
                                for name, value in xattrs.items()}
        self._note("set", **fields)

    def __len__(self) -> int:
        """How many operations there are."""
        return len(self._lines)

    def commit(self) -> None:
        """Make the generation now: OSError says which operations are wrong, and none is done."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        done = subprocess.run([_command(), "edit", "--quiet", "--batch=-", *self._options, "--",
                               self._image], input="\n".join(lines), encoding="ascii",
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              errors="replace", check=False)
        if done.returncode:
            raise OSError(errno.EINVAL, done.stderr.strip() or f"exit {done.returncode}",
                          os.fsdecode(self._image))

    def __enter__(self) -> "Edit":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None:
            self.commit()
        self._lines = []


def edit(image: PathArg, message: Optional[str] = None, touch: bool = False) -> Edit:
    """Change an image: a context manager, whose end makes a generation of all operations.

    message names it; with touch, directories whose names change get the time of now.
    """
    return Edit(image, message, touch)
