# SPDX-License-Identifier: GPL-2.0
"""
sourcetree - the C sources of a checkout as files, functions, structures and calls.

scripts/cycles and scripts/structure read the sources by it.  It knows kernel style, no
more of C: a definition begins in the first column, and so does the brace that ends it.
A part is NAME.c and NAME.h together.  A part calls another one if its code has the name of
a function that the other one defines and that is not static.  Tables of operations are
data, so what is called through them does not count.
"""
import posixpath
import re
from pathlib import Path

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
INCLUDE = re.compile(r"^\s*#\s*include\s+\"([^\"]+)\"", re.M)
PROTOTYPE = re.compile(r"^\w[\w\s*]*\([^;{}]*\);", re.M)
# The type, the name, the parameters, and the opening brace of a definition
FUNCTION = re.compile(r"^((?:\w+[\s*]+)+)(\w+)\(([^;{}]*?)\)\s*\n\{.*?^\}", re.M | re.S)
TAG = re.compile(r"^(?:struct|union|enum) (\w+) \{", re.M)
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.M | re.S)


def plain(text):
    """The text with comments and strings blank, and the same lines."""
    return COMMENT.sub(lambda m: " " + "\n" * m.group().count("\n"), text)


def linked(part, other):
    """Whether PART may be linked with OTHER: the module has fs alone, tools no module.

    fs/format declares what whom it is compiled for has to define, so it calls nobody.
    """
    root = part.split("/")[0]
    if part.startswith("fs/format/"):
        return other.startswith("fs/format/")
    if other.startswith("fs/"):
        return root == "fs" or other.startswith("fs/format/")
    return root != "fs" and other.split("/")[0] in (root, "userspace")


def nearest(part, homes):
    """Of the parts that define a function: the one in the same folder, or the only one."""
    homes = [h for h in homes if linked(part, h)]
    beside = [h for h in homes if h.rsplit("/", 1)[0] == part.rsplit("/", 1)[0]]
    homes = beside or homes
    return homes[0] if len(homes) == 1 else None


class Source:
    """One file."""

    def __init__(self, path):
        self.path = path.as_posix()
        text = path.read_text()
        self.lines = text.count("\n")
        self.includes = INCLUDE.findall(text)
        self.text = plain(INCLUDE.sub("", text))
        self.code = PROTOTYPE.sub("", self.text)

    @property
    def part(self):
        return self.path.rsplit(".", 1)[0]

    @property
    def folder(self):
        return self.path.rsplit("/", 1)[0]

    def functions(self):
        """Name, whether it is static, and lines, of each definition."""
        for m in FUNCTION.finditer(self.text):
            yield m.group(2), "static" in m.group(1).split(), m.group().count("\n") + 1

    def structs(self):
        """Name and number of fields of each structure."""
        for m in STRUCT.finditer(self.text):
            yield m.group(1), m.group(2).count(";")

    def tags(self):
        """Names of structures, unions and enumerations that are defined."""
        return set(TAG.findall(self.text))


class Tree:
    """All files of some folders."""

    def __init__(self, dirs):
        paths = sorted(p for d in dirs for p in Path(d).rglob("*.[ch]")
                       if not p.name.endswith(".mod.c"))
        self.sources = [Source(p) for p in paths]
        self.paths = {s.path for s in self.sources}

    def find(self, name, by):
        """The file that an include names: beside the one that has it, else the only one."""
        beside = posixpath.normpath(by.folder + "/" + name)
        if beside in self.paths:
            return beside
        same = [p for p in self.paths if p.endswith("/" + name)]
        return same[0] if len(same) == 1 else None

    def includes(self):
        """By file: the files that it includes."""
        return {s.path: {f for n in s.includes if (f := self.find(n, s))}
                for s in self.sources}

    def homes(self):
        """By function that is not static: the parts that define it, one a program."""
        found = {}
        for s in self.sources:
            for name, static, _ in s.functions():
                if not static:
                    found.setdefault(name, set()).add(s.part)
        return found

    def own(self):
        """By part: all functions that it defines."""
        found = {}
        for s in self.sources:
            found.setdefault(s.part, set()).update(name for name, _, _ in s.functions())
        return found

    def calls(self):
        """By part: the parts whose functions it calls."""
        homes, own, called = self.homes(), self.own(), {}
        for s in self.sources:
            words = set(re.findall(r"\w+", s.code)) - own[s.part]
            called.setdefault(s.part, set()).update(
                home for w in words if w in homes and (home := nearest(s.part, homes[w])))
        return called

    def between_folders(self):
        """By folder: the folders that its code calls or includes, with an example each."""
        folder = {s.part: s.folder for s in self.sources} | \
                 {s.path: s.folder for s in self.sources}
        edges = {s.folder: {} for s in self.sources}
        for graph in (self.calls(), self.includes()):
            for a, targets in graph.items():
                for b in sorted(targets):
                    if folder[a] != folder[b]:
                        edges[folder[a]].setdefault(folder[b], f"{a} -> {b}")
        return edges


def cycles(edges):
    """Strongly connected sets of more than one node, and nodes that reach themselves."""
    reach = {}
    for start in edges:
        seen, todo = set(), list(edges[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += edges.get(node, ())
        reach[start] = seen
    sets = {frozenset(b for b in reach[a] if a in reach.get(b, ()))
            for a in edges if a in reach[a]}
    return sorted(sorted(s) for s in sets)
