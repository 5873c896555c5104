# SPDX-License-Identifier: GPL-2.0
"""
judges.py - what an archive holds, said by programs that have nothing of this project.

GNU tar and bsdtar extract it into a directory, Python's tarfile reads it member by member.
Where they disagree, the writer of the archive knows what it meant:

  archive of   decides     since
  GNU tar      GNU tar     it is the reference of its own extensions
  Python       Python      but for attributes and ACLs, which it does not read: GNU tar
  bsdtar       GNU tar     see below; bsdtar itself judges what dsfs tar writes
  any other    GNU tar

  what         is not compared, or not so, since
  bsdtar       it changes what it has written itself: ids above 2^31 - 1 in ACLs, names of
               attributes that are not ASCII (set twice, once as %XX), names that are not in
               Unicode's form NFC, attributes of the root, times before 1970 with a fraction (of
               -0.25 it makes -1.75, and reads -0.25 as 0.25)
  Python       a member whose name a sparse format of GNU tar hides is not found by links to it
  links        have no mode in Linux; archives say 0777 or 0755
  fractions    of Python are those of the record `mtime`, and not of its float
  sockets      no archive has them
  directories  that are no members have no attributes that could be compared
"""
import hashlib
import os
import shutil
import subprocess
import tarfile
import unicodedata

import nodes

ORDER = {"python": ("python", "gnu"), "attributes": ("attributes", "python")}
OTHERS = ("gnu", "python")


class Refused(Exception):
    """The judge did not read the archive, or not all of it."""


def extracted(command, archive, to):
    os.mkdir(to)
    env = dict(os.environ, LC_ALL="C.UTF-8", TAR_OPTIONS="", TZ="UTC")
    run = subprocess.run([*command, "-C", to, "-x", "-p", "-f", archive], env=env, check=False,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    if run.returncode:
        raise Refused(f"{command[0]}: {nodes.brief(run.stderr, 300)}")
    return nodes.of_directory(to)


GNU = ["tar", "--xattrs", "--xattrs-include=*", "--numeric-owner", "-S", "--same-owner",
       "--delay-directory-restore", "--warning=no-timestamp"]


def gnu(archive, to):
    return extracted([*GNU, "--acls"], archive, to)


def attributes(archive, to):
    """With --acls, GNU tar would remove the ACLs that it has restored as attributes."""
    return extracted(GNU, archive, to)


def bsd(archive, to):
    return extracted(["bsdtar", "--xattrs", "--acls", "--numeric-owner", "--same-owner", "-S"],
                     archive, to)


def normal(name):
    """Whether @name is in the form that bsdtar gives to names."""
    text = os.fsdecode(name)
    return unicodedata.is_normalized("NFC", text)


def within_bsd(view):
    """@view without what bsdtar does not read as it was written, see above."""
    less = {b"": nodes.Node("d")}
    for path, node in view.items():
        if node.mtime is not None and node.mtime < 10**9 and node.mtime % 10**9:
            node = node._replace(mtime=None)
        acls = [v for k, v in (node.xattrs or {}).items() if k.startswith(b"system.")]
        if any(value[i + 3] & 0x80 for value in acls for i in range(8, len(value), 8)
                      if value[i:i + 4] != b"\xff" * 4):
            node = node._replace(mode=None, xattrs=None)
        if any(not name.isascii() for name in node.xattrs or ()):
            node = node._replace(xattrs=None)
        less.setdefault(path, node)
    return less


KINDS = {tarfile.REGTYPE: "f", tarfile.AREGTYPE: "f", tarfile.CONTTYPE: "f",
         tarfile.GNUTYPE_SPARSE: "f", tarfile.DIRTYPE: "d", tarfile.SYMTYPE: "l",
         tarfile.CHRTYPE: "c", tarfile.BLKTYPE: "b", tarfile.FIFOTYPE: "p"}


def plain(name):
    """A member's name as the path of a view."""
    name = os.path.normpath(name.encode("utf-8", "surrogateescape"))
    return b"" if name == b"." else name


def python(archive, _):
    view, groups = {b"": nodes.Node("d")}, {}
    try:
        with tarfile.open(archive, encoding="utf-8", errors="surrogateescape") as members:
            for member in members:
                take(members, member, view, groups)
    except (tarfile.TarError, KeyError, ValueError, OSError) as e:
        raise Refused(f"python: {e!a}") from e
    for path in list(view):
        while path:
            path = os.path.dirname(path)
            view.setdefault(path, nodes.Node("d"))
    names = {}
    for path, group in groups.items():
        names.setdefault(group, []).append(path)
    return nodes.with_links(view, names.values())


def take(members, member, view, groups):
    """One member.  @groups: of each path the number of its file."""
    path = plain(member.name)
    if member.islnk():
        first = plain(member.linkname)
        view[path] = view[first]
        groups[path] = groups[first]
        return
    kind = KINDS[member.type]
    time = member.pax_headers.get("mtime")
    if kind == "f":
        data = members.extractfile(member).read()
        size, value = len(data), hashlib.sha256(data).hexdigest()
    else:
        size = 0
        value = {"l": member.linkname.encode("utf-8", "surrogateescape"),
                 "c": (member.devmajor, member.devminor),
                 "b": (member.devmajor, member.devminor)}.get(kind, b"")
    view[path] = nodes.Node(kind, member.mode & 0o7777, member.uid, member.gid,
                            nodes.nanoseconds(time) if time else int(member.mtime) * 10**9,
                            size, value)
    groups[path] = path if kind == "d" else member.offset


READ = {"gnu": gnu, "attributes": attributes, "python": python}


def verdict(archive, family, scratch):
    """What an archive of @family holds: the first judge who can tell decides, field by field.
    Refused: the first one, whose archive it is, does not read it."""
    views, python_view = [], {}
    for name in ORDER.get(family, OTHERS):
        try:
            views.append(READ[name](archive, scratch))
            python_view = views[-1] if name == "python" else python_view
        except Refused:
            if not views:
                raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    first, *others = views
    agreed = {}
    for path, node in first.items():
        for other in others:
            if path in other:
                node = nodes.Node(*(a if a is not None else b for a, b in zip(node, other[path])))
        agreed[path] = node._replace(mode=None) if node.type == "l" else node
    return told(agreed, python_view)


def told(view, python_view):
    """@view, without the attributes of directories that Python did not see as members."""
    bare = nodes.Node("d")
    return {path: bare if node.type == "d" and python_view.get(path, bare).mode is None else node
            for path, node in view.items()}
