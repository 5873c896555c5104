# SPDX-License-Identifier: GPL-2.0
"""
written.py - archives written byte by byte: what the formats allow and no program writes.

Numbers in every notation, records of pax in any order and against what the header says,
global records, long names of both kinds, prefixes, sparse maps, and members that come twice.
GNU tar and Python's tarfile read them; where both agree, so has mkfs.dsfs.
"""
import os
import random

BLOCK = 512
DECOYS = (b"decoy", b"decoy/", b"PaxHeaders.1/decoy", b"d" * 99 + b"/", b"d" * 100,
          b"d" * 98 + b"/x", b"d/" * 50)
TIMES = (b"0", b"1.5", b"-1.5", b"1600000000.123456789", b"4294967296", b"8589934592.000000001",
         b"-0.000000001", b"1600000000.", b"-2000000000.25", b"1600000000.1234567899")


def padded(data):
    return data + bytes(-len(data) % BLOCK)


def octal(value, width, style):
    """A field of a number, in one of the notations that readers know."""
    digits = b"%o" % value if value >= 0 else b""
    if value < 0 or style == "base-256" or len(digits) >= width:
        first = 0x80 if value >= 0 else 0xff
        return bytes([first]) + (value % (1 << 8 * (width - 1))).to_bytes(width - 1, "big")
    fields = {"zeros": digits.rjust(width - 1, b"0") + b"\0",
              "blank behind": digits.rjust(width - 1, b"0") + b" ",
              "blanks": digits.rjust(width - 1) + b"\0",
              "both": digits.rjust(width - 2) + b" \0",
              "short": digits + b"\0" * (width - len(digits)),
              "full": digits.rjust(width, b"0")}
    return fields[style][:width]


STYLES = ("zeros", "zeros", "blank behind", "blanks", "both", "short", "base-256")


def record(key, value):
    """A record of pax: its length counts itself."""
    body = b" " + key + b"=" + value + b"\n"
    length = len(body)
    while length != len(b"%d" % length) + len(body):
        length = len(b"%d" % length) + len(body)
    return b"%d" % length + body


class Archive:
    """An archive of random members; all are below directories of their own."""

    def __init__(self, seed):
        self.rng = random.Random(f"dsfs written {seed}")
        self.data = b""
        self.number = 0
        self.everywhere_said = False
        self.files = []         # names of what links can lead to

    def header(self, name, kind, size=0, link=b"", prefix=b"", more=b"", **fields):
        """A header block; @more: what follows the link in formats other than ustar."""
        rng = self.rng
        of = {"mode": 0o644, "uid": 0, "gid": 0, "mtime": 1600000000, "major": 0, "minor": 0,
              "magic": b"ustar\00000", **fields}

        def number(key, width):
            return octal(of[key], width, rng.choice(STYLES))
        head = name[:100].ljust(100, b"\0") + number("mode", 8) + number("uid", 8) + \
            number("gid", 8) + octal(size, 12, rng.choice(STYLES)) + number("mtime", 12)
        tail = kind + link[:100].ljust(100, b"\0")
        if more:
            tail += of["magic"] + b"\0" * 64 + number("major", 8) + number("minor", 8) + more
        elif of["magic"]:
            tail += of["magic"] + b"root".ljust(32, b"\0") + b"\0" * 32 + number("major", 8) + \
                number("minor", 8) + prefix.ljust(155, b"\0")
        tail = tail.ljust(BLOCK - 156, b"\0")
        total = sum(head) + sum(tail) + 8 * 32
        style = rng.choice((b"%06o\0 ", b"%07o\0", b"%06o \0", b"%6o\0 "))
        self.data += head + style % total + tail

    def extended(self, records, kind=b"x"):
        """A header of pax before a member (x), or of all that follow (g)."""
        body = b"".join(record(key, value) for key, value in records)
        self.header(self.rng.choice(DECOYS).rstrip(b"/"), kind, len(body))
        self.data += padded(body)

    def long_name(self, kind, name):
        """A name or target of GNU's, with the NUL that tar writes or without."""
        body = name + self.rng.choice((b"\0", b"\0", b""))
        self.header(b"././@LongLink", kind, len(body), magic=b"ustar  \0")
        self.data += padded(body)

    def path(self):
        """A path that no other member has, of a length that decides what can hold it."""
        rng = self.rng
        self.number += 1
        path = b"m%d" % self.number
        length = rng.choice((0, 0, 20, 98, 99, 100, 101, 102, 155, 156, 254, 255, 256, 257, 300))
        cut = rng.choice((99, 100, 101, 154, 155, 156))
        while len(path) < length:
            room = min(length - len(path) - 1, 250)
            if len(path) < cut < length - 1:
                room = min(room, cut - len(path) - 1)
            if room <= 0:
                break
            path += b"/" + (rng.choice((b"n", b"\xc3\xa9", b"\xff", b" ", b".", b"a.b")) *
                            room)[:room - 1] + b"e"
        return path

    def numbers(self):
        """Mode, owners and time of a header."""
        rng = self.rng
        owners = (0, 1, 1000, 0o7777777, 0o10000000, 4294967294)
        return {"mode": rng.choice((0o644, 0o755, 0o4711, 0, 0o100644, 0o640)),
                "uid": rng.choice(owners), "gid": rng.choice(owners),
                "mtime": rng.choice((0, 1, -1, 1600000000, 0o77777777777, 0o100000000000, -86400))}

    def overrides(self, path, size, owned=b"user"):
        """Records that say what the header says, or something else.  Linux has user attributes of
        files and directories alone: @owned is the class of one."""
        rng = self.rng
        records = [(b"path", path)] if path else []
        for key, values in ((b"mtime", TIMES), (b"uid", (b"0", b"70000", b"4294967294")),
                            (b"gid", (b"5", b"3000000")), (b"atime", (b"1.5",)),
                            (b"uname", (b"nobody", b"\xc3\xa9")), (b"comment", (b"", b"a\nb=c")),
                            (b"SCHILY.xattr." + owned + b".a", (b"", b"v", b"a=b\n", b"\0\xff"))):
            if rng.random() < 0.3:
                records.append((key, rng.choice(values)))
        if size is not None and rng.random() < 0.4:
            records.append((b"size", b"%d" % size))
        rng.shuffle(records)
        return records

    def named(self, path, directory=False, pax_only=False, links=None, size=None,
              owned=b"user"):
        """All that stands before a header that has to give @path: (name, prefix, magic)."""
        rng = self.rng
        slash = b"/" if directory and rng.random() < 0.8 else b""
        full = path + slash
        ways = ["pax"]
        if not pax_only:
            ways += ["long"] + ["plain"] * 4 * (len(full) <= 100)
            cuts = [i for i, c in enumerate(full) if c == ord("/")
                    and 0 < i <= 155 and 0 < len(full) - i - 1 <= 100]
            ways += ["prefix"] * 3 * bool(cuts)
        way = rng.choice(ways)
        if way == "pax":
            records = self.overrides(full, size, owned)
            if links:
                records.append((b"linkpath", links))
            self.extended(records)
            return rng.choice(DECOYS), b"", b"ustar\00000"
        if links and len(links) > 100:
            self.long_name(b"K", links)
        if way == "long":
            self.long_name(b"L", full)
            return rng.choice(DECOYS), b"", b"ustar  \0"
        if way == "prefix":
            cut = rng.choice(cuts)
            return full[cut + 1:], full[:cut], b"ustar\00000"
        return full, b"", rng.choice((b"ustar\00000", b"ustar  \0", b""))

    def file(self):
        path, size = self.path(), self.rng.choice((0, 1, 511, 512, 513, 5000))
        name, prefix, magic = self.named(path, size=size)
        kinds = (b"0", b"0", b"0", b"\0", b"7")
        # with a slash at its end a name of old is a directory
        kind = self.rng.choice(kinds) if not name.endswith(b"/") else b"0"
        self.header(name, kind, size, prefix=prefix, magic=magic, **self.numbers())
        self.data += padded(self.rng.randbytes(size))
        self.files.append(path)

    def directory(self):
        name, prefix, magic = self.named(self.path(), True)
        self.header(name, b"5", 0, prefix=prefix, magic=magic, **self.numbers())

    def symlink(self):
        target = self.rng.choice((b"t", b"t" * 99, b"t" * 100, b"t/" * 60, b" t ", b"\xc3\xa9",
                                  b"../" * 40 + b"x"))
        name, prefix, magic = self.named(self.path(), links=target, owned=b"trusted")
        self.header(name, b"2", 0, target, prefix=prefix, magic=magic, **self.numbers())

    def hard(self):
        if not self.files:
            return
        first = self.rng.choice(self.files)
        name, prefix, magic = self.named(self.path(), links=first)
        self.header(name, b"1", 0, first, prefix=prefix, magic=magic)

    def device(self):
        kind = self.rng.choice((b"3", b"4", b"6"))
        name, prefix, magic = self.named(self.path(), owned=b"trusted")
        more = {} if kind == b"6" else {"major": self.rng.choice((1, 8, 259)),
                                        "minor": self.rng.choice((0, 3, 257))}
        self.header(name, kind, 0, prefix=prefix, magic=magic or b"ustar\00000", **more,
                    **self.numbers())

    def again(self):
        """A file whose name was there: the last one counts."""
        if not self.files:
            return
        path, size = self.rng.choice(self.files), self.rng.choice((0, 1, 513))
        name, prefix, magic = self.named(path, size=size)
        self.header(name, b"0", size, prefix=prefix, magic=magic, **self.numbers())
        self.data += padded(self.rng.randbytes(size))

    def everywhere(self):
        """Records for all members from here on, once: of a second header of them GNU tar makes
        that the first one is forgotten, and Python that it adds to the first one, as POSIX."""
        if self.everywhere_said:
            return
        self.everywhere_said = True
        choices = [(b"mtime", self.rng.choice(TIMES)), (b"uid", b"77"), (b"gid", b"78"),
                   (b"comment", b"git's commit")]
        self.extended(self.rng.sample(choices, self.rng.randrange(1, 4)), b"g")

    def sparse_map(self):
        """Pieces of a sparse file: (offset, data), and its size.  All but the last one are
        whole blocks: readers do not agree on what is behind others."""
        pieces, end, count = [], 0, self.rng.choice((0, 1, 2, 5, 6, 30))
        for i in range(count):
            end += self.rng.choice((0, 512, 4096, 100000))
            lengths = (512, 4096) if i < count - 1 else (1, 512, 4096, 700)
            pieces.append((end, self.rng.randbytes(self.rng.choice(lengths))))
            end += len(pieces[-1][1])
        return pieces, max(end, self.rng.choice((end, end + 1, end + 65536)))

    def sparse(self):
        """A sparse file of pax, of any of the three versions."""
        path = self.path()
        pieces, size = self.sparse_map()
        version = self.rng.choice(("0.0", "0.1", "1.0"))
        numbers = [b"%d" % n for offset, data in pieces for n in (offset, len(data))]
        body = b"".join(data for _, data in pieces)
        name = [(b"GNU.sparse.name", path)]
        if version == "0.0":
            records = [(b"GNU.sparse.size", b"%d" % size),
                       (b"GNU.sparse.numblocks", b"%d" % len(pieces))]
            for i in range(0, len(numbers), 2):
                records += [(b"GNU.sparse.offset", numbers[i]),
                            (b"GNU.sparse.numbytes", numbers[i + 1])]
            records.insert(self.rng.randrange(len(records) + 1), (b"path", path))
        elif version == "0.1":
            records = [(b"GNU.sparse.size", b"%d" % size),
                       (b"GNU.sparse.numblocks", b"%d" % len(pieces)),
                       (b"GNU.sparse.map", b",".join(numbers))] + name
        else:
            records = [(b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"),
                       (b"GNU.sparse.realsize", b"%d" % size)] + name
            self.rng.shuffle(records)
            head = b"\n".join([b"%d" % len(pieces)] + numbers) + b"\n"
            body = padded(head) + body
        if version != "0.0" and self.rng.random() < 0.5:
            records.insert(self.rng.randrange(len(records) + 1),
                           (b"path", b"GNUSparseFile.1/" + self.rng.choice((b"x", b"\xc3\xa9"))))
        self.extended(records)
        self.header(self.rng.choice(DECOYS[:3]).rstrip(b"/"), b"0", len(body), **self.numbers())
        self.data += padded(body)
        self.files.append(path)

    def old_sparse(self):
        """A sparse file of the old GNU format: a map in the header, and in blocks behind it."""
        path = self.path()
        pieces, size = self.sparse_map()
        # the end of the file is a piece of no bytes
        entries = [(offset, len(data)) for offset, data in pieces] + [(size, 0)]
        body = padded(b"".join(data for _, data in pieces))

        def table(part, count):
            return b"".join(octal(n, 12, self.rng.choice(("zeros", "blank behind", "base-256")))
                            for entry in part for n in entry).ljust(24 * count, b"\0")
        first, rest = entries[:4], entries[4:]
        self.long_name(b"L", path)
        more = b"\0" * 41 + table(first, 4) + bytes([bool(rest)]) + octal(size, 12, "zeros")
        self.header(b"decoy", b"S", sum(len(data) for _, data in pieces), magic=b"ustar  \0",
                    more=more, **self.numbers())
        while rest:
            part, rest = rest[:21], rest[21:]
            self.data += (table(part, 21) + bytes([bool(rest)])).ljust(BLOCK, b"\0")
        self.data += body
        self.files.append(path)

    def write(self, to):
        kinds = [self.file] * 5 + [self.directory, self.symlink, self.hard, self.hard, self.device,
                                   self.again, self.sparse, self.sparse, self.old_sparse]
        kinds += [self.everywhere] * (self.rng.random() < 0.2)
        for _ in range(self.rng.randrange(1, 9)):
            self.rng.choice(kinds)()
        with open(to, "wb") as f:
            f.write(self.data + b"\0" * (2 * BLOCK))
            f.write(b"\0" * (-f.tell() % 10240))


def agreed(first, second):
    """What two judges both say, field by field; None where they do not.  A path that only one
    of them has is not there."""
    both = {}
    for path in first.keys() & second.keys():
        a, b = first[path], second[path]
        both[path] = type(a)(*(x if y is None or x == y else y if x is None else None
                               for x, y in zip(a, b)))
        if both[path].type == "l":
            both[path] = both[path]._replace(mode=None)
    return both


def unknown(view, *judges):
    """Paths of @view that no judge has."""
    return [os.fsdecode(path) for path in view if not any(path in judge for judge in judges)]
