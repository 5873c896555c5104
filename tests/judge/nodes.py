# SPDX-License-Identifier: GPL-2.0
"""
nodes.py - what a tree holds, as each reader sees it, and how two views differ.

A view is a dictionary: path (bytes, without "./", the root is b"") -> Node.  All judges and
all readers of images end here, so that one function compares any two of them.
"""
import decimal
import errno
import hashlib
import os
import re
import stat
from typing import NamedTuple, Optional

TYPES = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFCHR: "c",
         stat.S_IFBLK: "b", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}
KEPT = (b"user.", b"trusted.", b"security.", b"system.posix_acl_")


class Node(NamedTuple):
    """One object.  None: this reader cannot tell."""
    type: str
    mode: Optional[int] = None
    uid: Optional[int] = None
    gid: Optional[int] = None
    mtime: Optional[int] = None         # nanoseconds
    size: Optional[int] = None          # of files
    value: Optional[object] = None      # SHA-256 of a file, target of a symlink, device number
    links: Optional[tuple] = None       # all names, sorted
    xattrs: Optional[dict] = None       # name -> value, both bytes; ACLs as the kernel has them


def with_links(view, groups):
    """@view, in which each of @groups, lists of paths, is the names of one file."""
    for paths in groups:
        names = tuple(sorted(paths))
        for path in paths:
            view[path] = view[path]._replace(links=names)
    return view


def xattrs_of(path):
    try:
        names = map(os.fsencode, os.listxattr(path, follow_symlinks=False))
    except OSError as e:
        if e.errno != errno.ENOTSUP:    # of an image without any
            raise
        return {}
    return {name: os.getxattr(path, name, follow_symlinks=False)
            for name in names if name.startswith(KEPT)}


def content_of(path, st):
    if stat.S_ISREG(st.st_mode):
        with open(path, "rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()
    if stat.S_ISLNK(st.st_mode):
        return os.readlink(path)
    if stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
        return (os.major(st.st_rdev), os.minor(st.st_rdev))
    return b""


def of_directory(top):
    """The view of the kernel: lstat, read, readlink, getxattr of all there is."""
    top = os.fsencode(top)
    paths = [b""]
    for where, dirs, files in os.walk(top):
        below = where[len(top) + 1:]
        paths += [os.path.join(below, name) for name in dirs + files]
    view, groups = {}, {}
    for path in paths:
        at = os.path.join(top, path) if path else top
        st = os.lstat(at)
        kind = TYPES[stat.S_IFMT(st.st_mode)]
        view[path] = Node(kind, stat.S_IMODE(st.st_mode), st.st_uid, st.st_gid, st.st_mtime_ns,
                          st.st_size if kind == "f" else 0, content_of(at, st), (path,),
                          xattrs_of(at))
        if kind != "d":
            groups.setdefault((st.st_dev, st.st_ino), []).append(path)
    return with_links(view, groups.values())


def unescaped(text):
    """What dsfs digest --text escapes: a backslash and three octal digits a byte."""
    return re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), text)


def of_digest_text(text):
    """The view of `dsfs digest --full --text` (Documentation/digest.rst)."""
    view, groups = {}, {}
    for line in text.splitlines()[1:]:
        path, kind, mode, uid, gid, mtime, link, value, *xattrs = line.split(b"\t")
        path, kind = unescaped(path)[1:], kind.decode()
        groups.setdefault(path if link == b"-" else unescaped(link)[1:], []).append(path)
        if kind == "f":
            value = value.decode()
        elif kind in "cb":
            value = tuple(int(n) for n in value.split(b":"))
        else:
            value = unescaped(value) if kind == "l" else b""
        view[path] = Node(kind, int(mode, 8), int(uid), int(gid), int(mtime), None, value,
                          None, {unescaped(n): bytes.fromhex(v.decode())
                                 for n, v in zip(xattrs[::2], xattrs[1::2])})
    return with_links(view, groups.values())


def brief(what, most=90):
    """@what in ASCII for a line of a report: of a long one the beginning and the end."""
    if isinstance(what, bytes):
        what = os.fsdecode(what)
    text = ascii(what)
    return text if len(text) <= most else f"{text[:most // 2]}<{len(text)}>{text[-most // 2:]}"


def nanoseconds(text):
    """"-1.5" -> -1500000000, rounded down: exact, which a float is not."""
    return int((decimal.Decimal(text) * 10**9).to_integral_value(decimal.ROUND_FLOOR))


def differences(want, got, most=6):
    """Where @got is not what @want says: lines for a reader, [] if they agree."""
    lines = [f"{brief(p)}: lost" for p in sorted(want.keys() - got.keys())]
    lines += [f"{brief(p)}: from nowhere" for p in sorted(got.keys() - want.keys())]
    for path in sorted(want.keys() & got.keys()):
        for field, a, b in zip(Node._fields, want[path], got[path]):
            if a is None or b is None or a == b:
                continue
            if field == "xattrs":
                a, b = ({k: v for k, v in x.items() if y.get(k) != v} for x, y in ((a, b), (b, a)))
            lines.append(f"{brief(path)}: {field}: expected {brief(a, 200)}, is {brief(b, 200)}")
    if len(lines) > most:
        lines[most:] = [f"and {len(lines) - most} differences more"]
    return lines
