#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""digest.py data|full|data-text|full-text TREE - the digest of a directory.

Made of Documentation/digest.rst, of what tests/judge sees of a directory, and nothing else of this
project: what it says of a tree and what dsfs digest says of its image must be the same.
"""
import hashlib, os, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../judge"))
import nodes

sys.setrecursionlimit(10000)     # os.walk() of old
kind = sys.argv[1].removesuffix("-text")

def escape(name):
    return "".join(chr(c) if 0x20 < c < 0x7f and c != 0x5c else f"\\{c:03o}" for c in name)

def value(node):
    if node.type == "l":
        return escape(node.value)
    return "%d:%d" % node.value if node.type in "cb" else node.value or "-"

lines, first = [f"dsfs1-{kind}"], {}
for path, node in sorted(nodes.of_directory(sys.argv[2].rstrip("/")).items(),
                         key=lambda item: item[0].split(b"/")):
    name = escape(b"/" + path)
    line = [name, node.type, value(node)]
    if kind == "full":
        link = first.setdefault(node.links, name)
        line[2:2] = [f"{node.mode:04o}", str(node.uid), str(node.gid), str(node.mtime),
                     "-" if link == name else link]
        for x in sorted(node.xattrs):
            line += [escape(x), node.xattrs[x].hex()]
    lines.append("\t".join(line))
text = "".join(line + "\n" for line in lines).encode()
if sys.argv[1].endswith("-text"):
    sys.stdout.buffer.write(text)
else:
    print(f"dsfs1-{kind}:{hashlib.sha256(text).hexdigest()}")
