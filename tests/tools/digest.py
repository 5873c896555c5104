#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""digest.py data|full|data-text|full-text TREE - the digest of a directory.

Made of Documentation/digest.rst and nothing else of this project: what it says
of a tree and what dsfs digest says of its image must be the same.
"""
import hashlib, os, stat, sys

sys.setrecursionlimit(10000)     # os.walk() of old
kind, top = sys.argv[1].removesuffix("-text"), os.fsencode(sys.argv[2].rstrip("/"))
TYPES = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFCHR: "c",
         stat.S_IFBLK: "b", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}
KEPT = ("user.", "trusted.", "security.", "system.posix_acl_access", "system.posix_acl_default")

def escape(name):
    return "".join(chr(c) if 0x20 < c < 0x7f and c != 0x5c else f"\\{c:03o}" for c in name)

def value(path, st):
    if stat.S_ISREG(st.st_mode):
        with open(path, "rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()
    if stat.S_ISLNK(st.st_mode):
        return escape(os.readlink(path))
    if stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
        return f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}"
    return "-"

paths = [[]]
for where, dirs, files in os.walk(top):
    paths += [where.split(b"/")[len(top.split(b"/")):] + [n] for n in dirs + files]
lines, first = [f"dsfs1-{kind}"], {}
for parts in sorted(paths):
    path, name = b"/".join([top] + parts), escape(b"/" + b"/".join(parts))
    st = os.lstat(path)
    line = [name, TYPES[stat.S_IFMT(st.st_mode)], value(path, st)]
    if kind == "full":
        link = first.setdefault((st.st_dev, st.st_ino), name) if line[1] != "d" else name
        line[2:2] = [f"{stat.S_IMODE(st.st_mode):04o}", str(st.st_uid), str(st.st_gid),
                     str(st.st_mtime_ns), "-" if link == name else link]
        for x in sorted(os.listxattr(path, follow_symlinks=False), key=os.fsencode):
            if x.startswith(KEPT):
                line += [escape(os.fsencode(x)), os.getxattr(path, x, follow_symlinks=False).hex()]
    lines.append("\t".join(line))
text = "".join(line + "\n" for line in lines).encode()
if sys.argv[1].endswith("-text"):
    sys.stdout.buffer.write(text)
else:
    print(f"dsfs1-{kind}:{hashlib.sha256(text).hexdigest()}")
