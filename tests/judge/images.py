# SPDX-License-Identifier: GPL-2.0
"""
images.py - the tools under test: images are made, checked, and read in every way there is.
"""
import contextlib
import json
import os
import subprocess
import time

import nodes

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("DSFS_BUILD", TOP + "/build")
MKFS, FSCK, DUMP = (f"{BIN}/{tool}.dsfs" for tool in ("mkfs", "fsck", "dump"))
DSFS = BIN + "/dsfs"
FUSE = BIN + "/dsfs-fuse"
MODULE = "DSFS_MODULE" in os.environ    # The kernel has it: tests/uml/guest


class Failed(Exception):
    """A tool failed, or two outputs of one image disagree."""


def run(*command, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, timeout=120,
                          env=dict(os.environ, LC_ALL="C"), **more)


def must(*command, **more):
    """The output of a tool that has to work."""
    done = run(*command, **more)
    if done.returncode:
        raise Failed(f"{os.path.basename(command[0])} {command[1]}: exit {done.returncode}: "
                     f"{nodes.brief(done.stderr, 300)}")
    return done.stdout


def make(image, *options, **more):
    """An image, which has to be clean."""
    must(MKFS, "-q", "-f", *options, **more)
    must(FSCK, "-q", image)


def digest(image):
    return must(DSFS, "digest", "--full", image)


def view(image, *options):
    return nodes.of_digest_text(must(DSFS, "digest", "--full", "--text", *options, image))


def pieces(image, folder, size):
    """How many pieces of an image are new there."""
    return json.loads(must(DSFS, "pieces", "--json", f"--size={size}", image, folder))["new"]


def json_listing(image):
    """The view of `dsfs ls -R --json`."""
    seen, groups = {}, {}
    for o in map(json.loads, must(DSFS, "ls", "-R", "--json", image).splitlines()):
        path = plain(o["path"])[1:]
        groups.setdefault(plain(o["link"])[1:] if o.get("link") else path, []).append(path)
        value = {"f": None, "l": plain(o.get("target", ""))}.get(o["type"], b"")
        if o["type"] in "cb":
            value = tuple(int(n) for n in o["rdev"].split(":"))
        seen[path] = nodes.Node(
            o["type"], int(o["mode"], 8), o["uid"], o["gid"],
            o["mtime"] * 10**9 + o["mtime_nsec"], o["size"] if o["type"] == "f" else 0, value,
            None, {plain(n): bytes.fromhex(v) for n, v in o.get("xattrs", {}).items()})
    return nodes.with_links(seen, groups.values())


def plain(text):
    """The bytes of a string of JSON, in which \\udc80 to \\udcff are bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def have_mount():
    return MODULE or os.path.exists(FUSE) and os.path.exists("/dev/fuse") and os.geteuid() == 0


@contextlib.contextmanager
def mounted(image, at, *options):
    """@image, mounted at @at by the module, or by dsfs-fuse, which returns when it is."""
    os.makedirs(at, exist_ok=True)
    command = ("mount", "-i", "-t", "dsfs", "-o", "loop") if MODULE else (FUSE,)
    must(*command, image, at, *options * (not MODULE), stdout=subprocess.DEVNULL)
    try:
        yield at
    finally:
        while run("umount", at).returncode and os.path.ismount(at):
            time.sleep(0.01)    # a reader that is about to close


def kernel_view(image, at):
    """What os.walk() and getxattr(2) say of the mounted image."""
    with mounted(image, at):
        return nodes.of_directory(at)
