# SPDX-License-Identifier: GPL-2.0
"""
writers.py - the programs that make archives of a tree, in every format that they have.

A writer leaves out what its format cannot hold, with a message and an exit status of its own;
that is no failure here, because what counts is the archive: it is compared with what others
read from it.
"""
import os
import shutil
import subprocess
import tarfile
from typing import Callable, NamedTuple


class Writer(NamedTuple):
    name: str
    family: str             # whose archives these are: gnu, bsd, python, or another
    write: Callable         # write(tree, names, archive, locale)


def run(command, locale, **more):
    env = dict(os.environ, LC_ALL=locale, TAR_OPTIONS="", TZ="UTC")
    return subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False, timeout=120, **more)


def gnu(*options):
    def write(tree, names, archive, locale):
        xattrs = ["--xattrs", "--xattrs-include=*", "--acls"] if "pax" in options[0] else []
        run(["tar", "-C", tree, "-c", "-f", archive, *options, *xattrs, "--numeric-owner",
             "--null", "--verbatim-files-from", "--no-unquote", "-T", "-"], locale,
            input=b"".join(name + b"\0" for name in names))
    return write


def bsd(*options):
    def write(tree, names, archive, locale):
        run(["bsdtar", "-C", tree, "-c", "-f", archive, *options, "--numeric-owner", "--null", "-T",
             "-"], locale, input=b"".join(name + b"\0" for name in names))
    return write


def python(kind):
    def write(tree, names, archive, _):
        with tarfile.open(archive, "w", format=kind, encoding="utf-8",
                          errors="surrogateescape") as to:
            for name in names:
                python_add(to, tree, os.fsdecode(name))
    return write


def python_add(to, tree, name):
    at = os.path.join(tree, name)
    member = to.gettarinfo(at, name)
    if member is None:          # a socket
        return
    try:
        if member.isreg():
            with open(at, "rb") as f:
                to.addfile(member, f)
        else:
            to.addfile(member)
    except ValueError:
        # it does not fit the format; no later name is a link to it
        st = os.lstat(at)
        to.inodes.pop((st.st_ino, st.st_dev), None)
        return
    if member.isdir():
        for entry in sorted(os.listdir(at)):
            python_add(to, tree, os.path.join(name, entry))


def below(top, name):
    """@name and all below it, each directory before its entries.  A link is not followed, as
    os.walk() does with the one that it begins with."""
    yield name
    at = os.path.join(top, name)
    if os.path.isdir(at) and not os.path.islink(at):
        for entry in sorted(os.listdir(at)):
            yield from below(top, entry if name == b"." else os.path.join(name, entry))


def lines(program, *options):
    """A program that takes names from standard input, all of them, each with a NUL behind."""
    def write(tree, names, archive, locale):
        every = [path for name in names for path in below(os.fsencode(tree), name)]
        with open(archive, "wb") as to:
            env = dict(os.environ, LC_ALL=locale)
            subprocess.run([program, *options], cwd=tree, env=env, stdout=to,
                           input=b"".join(name + b"\0" for name in every),
                           stderr=subprocess.DEVNULL, check=False, timeout=120)
    return write


ALL = [
    Writer("gnu tar, gnu", "gnu", gnu("--format=gnu")),
    Writer("gnu tar, gnu, sparse", "gnu", gnu("--format=gnu", "-S")),
    Writer("gnu tar, oldgnu, sparse", "gnu", gnu("--format=oldgnu", "-S")),
    Writer("gnu tar, ustar", "gnu", gnu("--format=ustar")),
    Writer("gnu tar, v7", "gnu", gnu("--format=v7")),
    Writer("gnu tar, pax", "gnu", gnu("--format=pax")),
    Writer("gnu tar, ACLs as attributes", "attributes",
           gnu("--format=posix", "--xattrs", "--xattrs-include=*")),
    Writer("gnu tar, pax, sparse 0.0", "gnu", gnu("--format=pax", "-S", "--sparse-version=0.0")),
    Writer("gnu tar, pax, sparse 0.1", "gnu", gnu("--format=pax", "-S", "--sparse-version=0.1")),
    Writer("gnu tar, pax, sparse 1.0", "gnu", gnu("--format=pax", "-S", "--sparse-version=1.0")),
    Writer("bsdtar, pax", "bsd", bsd("--format=pax")),
    Writer("bsdtar, restricted pax", "bsd", bsd("--format=paxr", "--no-xattrs", "--no-acls")),
    Writer("bsdtar, gnu", "bsd", bsd("--format=gnutar")),
    Writer("bsdtar, ustar", "bsd", bsd("--format=ustar")),
    Writer("bsdtar, v7", "bsd", bsd("--format=v7")),
    Writer("python, pax", "python", python(tarfile.PAX_FORMAT)),
    Writer("python, gnu", "python", python(tarfile.GNU_FORMAT)),
    Writer("python, ustar", "python", python(tarfile.USTAR_FORMAT)),
    Writer("cpio, ustar", "cpio", lines("cpio", "-0", "-o", "--quiet", "-H", "ustar")),
    Writer("cpio, tar", "cpio", lines("cpio", "-0", "-o", "--quiet", "-H", "tar")),
    Writer("pax, ustar", "pax", lines("pax", "-0", "-w", "-d", "-x", "ustar")),
]


def present():
    """The writers whose programs are here."""
    program = {"gnu": "tar", "attributes": "tar", "bsd": "bsdtar", "cpio": "cpio", "pax": "pax"}
    return [w for w in ALL if w.family == "python" or shutil.which(program[w.family])]
