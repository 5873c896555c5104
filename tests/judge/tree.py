# SPDX-License-Identifier: GPL-2.0
"""
tree.py - a tree of files made of a seed: the same seed, the same tree.

What it prefers is where formats of archives change their mind: paths and targets of 99 to
101, 154 to 156 and 255 to 257 bytes, with a slash at those bytes, owners above 2097151,
times before 1970 and behind 2038 and 2106, holes, and names of every kind of byte.
"""
import os
import random
import stat
import struct

ALPHABETS = {
    "ascii": [bytes([c]) for c in b"abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-."],
    "utf8": [c.encode() for c in "aeiouéßñΩжשक日本語𝄞"],
    "odd": [bytes([c]) for c in b"ab \t\n\\\"'%=,:;#*?[]{}$&|<>!~\x01\x1b\x7f"],
    "bytes": [bytes([c]) for c in range(1, 256) if c != ord("/")],
}
NAMES = [b" leading", b"trailing ", b" ", b"  ", b"-rf", b"--", b"a.tar", b"a.tar.gz", b".json",
         b"000123.jpg", b"000123.json", b"000123.seg.png", b"000124.", b"...", b"..a",
         b"new\nline", b"tab\t", b"\\n", b"\\040", b"quote\"", b"it's", b"a=b", b"a,b", b"#comment",
         b"default", b"{}", b"shards", b"PaxHeaders.1", b"GNUSparseFile.1", b"@LongLink",
         b"caf\xc3\xa9",
         b"cafe\xcc\x81", b"\xe6\x97\xa5", b"lone\xe9", b"\xff", b"\xed\xa0\x80", b"\x7f",
         b"\x1b[31m",
         b"100%", b"%d%s", b"$HOME", b"*", b"[a]", b"?", b"NUL\\000", b"\xc3\xa9" * 50]
LENGTHS = (97, 98, 99, 100, 101, 102, 103, 153, 154, 155, 156, 157, 158, 253, 254, 255, 256, 257,
           258, 259, 511, 512, 513)
MODES = (0o644, 0o600, 0o444, 0o755, 0o4755, 0o2755, 0o6711, 0o1777, 0o7777, 0o000, 0o640)
OWNERS = (0, 1, 1000, 65534, 65535, 65536, 2097151, 2097152, 2147483647, 2147483648, 4294967294)
# seconds: ext4 holds from 1901 to 2446, the format of an image to 2262
TIMES = (0, 1, -1, -2, 1600000000, 2147483647, 2147483648, 4294967295, 4294967296, 8589934591,
         8589934592, -2000000000, 9000000000, -86400)
PARTS = (0, 1, 500000000, 999999999, 123456789, 100, 10)
SIZES = (0, 1, 511, 512, 513, 4095, 4096, 4097, 10240, 70000)
TEXTS = (70000, 131071, 131072, 131073, 300000)
LONG_TARGETS = (1, 98, 99, 100, 101, 102, 155, 156, 255, 256, 257, 1000, 4095)


class Generator:
    """A tree below @top.  @archived: nothing that no archive holds, that is, no sockets."""

    def __init__(self, seed, top, archived=True):
        self.rng = random.Random(f"dsfs judge {seed}")
        self.texts = random.Random(f"texts {seed}")
        self.top = os.fsencode(top)
        self.archived = archived
        self.alphabet = self.rng.choice(list(ALPHABETS))
        self.files = []         # paths of what can be linked to
        self.made = []          # paths of all, each directory before its entries

    def word(self, length):
        """A name of @length bytes of the alphabet."""
        letters = ALPHABETS[self.alphabet]
        name = b""
        while len(name) < length:
            name += self.rng.choice(letters)
            if len(name) > length:
                name = name[:length - 3] + b"xyz"[:length]
        name = name[:length]
        return b"x" * length if name in (b".", b"..", b"") else name

    def path(self, length, slash):
        """A path of @length bytes that has a slash as byte @slash, counted from 0, if it can."""
        cuts = {slash} if 0 < slash < length - 1 else set()
        while True:
            ends = sorted(cuts | {-1, length})
            wide = [(a, b) for a, b in zip(ends, ends[1:]) if b - a - 1 > 255]
            if not wide:
                break
            a, b = wide[0]
            cuts.add(self.rng.randint(min(a + 150, b - 2), min(a + 256, b - 2)))
        return b"/".join(self.word(b - a - 1) for a, b in zip(ends, ends[1:]))

    def directories(self, path):
        """Make what is missing above @path.  False: something else is in the way."""
        parts = path.split(b"/")[:-1]
        for i in range(1, len(parts) + 1):
            at = self.at(b"/".join(parts[:i]))
            if not os.path.lexists(at):
                os.mkdir(at)
                self.made.append(b"/".join(parts[:i]))
            elif not stat.S_ISDIR(os.lstat(at).st_mode):
                return False
        return True

    def at(self, path):
        return os.path.join(self.top, path)

    def put(self, path):
        """An object of any kind at @path, unless there is one."""
        if not self.directories(path) or os.path.lexists(self.at(path)):
            return
        kinds = ["file"] * 8 + ["symlink"] * 2 + ["hard"] * 2 + ["dir", "fifo", "device", "sparse",
                                                              "socket"]
        kind = self.rng.choice(kinds)
        if kind == "socket" and self.archived or kind == "hard" and not self.files:
            kind = "file"
        getattr(self, kind)(self.at(path))
        self.made.append(path)
        if kind not in ("dir", "hard"):
            self.files.append(path)

    def file(self, at):
        size = self.rng.choice(SIZES)
        content = self.rng.randbytes(size)
        with open(at, "wb") as f:
            f.write(content if self.texts.random() < 0.5 else self.text(size))

    def text(self, size):
        """What gets smaller when it is compressed, @size bytes of it, or of several units."""
        if size == max(SIZES):
            size = self.texts.choice(TEXTS)
        words = [b"%d" % self.texts.randrange(10**6) for _ in range(60)]
        line = b" ".join(self.texts.choices(words, k=max(60, size // 40)))
        return (line * (size // len(line) + 1))[:size]

    def sparse(self, at):
        """Data of odd places and lengths between holes; at times a hole at the end."""
        with open(at, "wb") as f:
            end = 0
            for _ in range(self.rng.choice((0, 1, 2, 5, 30))):
                end += self.rng.choice((4096, 8192, 65536, 1 << 20))
                f.seek(end)
                end += f.write(self.rng.randbytes(self.rng.choice((1, 4096, 5000, 8192))))
                end = (end + 4095) & ~4095
            f.truncate(max(f.tell(), self.rng.choice((0, end, end + 1, end + 200000))))

    def symlink(self, at):
        target = self.path(self.rng.choice(LONG_TARGETS), self.rng.choice((0, 99, 100)))
        if self.rng.random() < 0.3:
            target = self.rng.choice((b"/", b"..", b"a//b/", b"./a", b" ", b"a ", b"/abs\nline"))
        os.symlink(target, at)

    def hard(self, at):
        os.link(self.at(self.rng.choice(self.files)), at, follow_symlinks=False)

    def dir(self, at):
        os.mkdir(at)

    def fifo(self, at):
        os.mkfifo(at)

    def socket(self, at):
        os.mknod(at, stat.S_IFSOCK | 0o600)

    def device(self, at):
        kind = self.rng.choice((stat.S_IFCHR, stat.S_IFBLK))
        number = self.rng.choice(((1, 3), (0, 0), (8, 257), (259, 1), (4095, 1048575)))
        os.mknod(at, kind | 0o600, os.makedev(*number))

    def acl(self, default):
        """The value of an ACL attribute: entries of tag, permissions, id."""
        ids = self.rng.sample((40001, 40002, 70000, 2147483648, 4294967294), 2)
        entries = [(1, 6, -1)] + [(2, self.rng.randrange(8), n) for n in sorted(ids)] + \
            [(4, 4, -1), (8, self.rng.randrange(8), 4001), (16, self.rng.randrange(8), -1),
             (32, 0, -1)]
        if default and self.rng.random() < 0.3:
            entries = [(1, 7, -1), (4, 5, -1), (32, 5, -1)]
        return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", t, p, i & 0xffffffff)
                                               for t, p, i in entries)

    def attributes(self, at, kind):
        """Extended attributes that the kernel lets @kind have."""
        classes = [b"trusted.", b"security."] + [b"user."] * 3 * (kind in "fd")
        for _ in range(self.rng.randrange(1, 4)):
            name = self.rng.choice(classes) + self.rng.choice(
                (b"a", b"b.c", b"longer-name", b"caf\xc3\xa9", b"UP", b"a b"))
            value = self.rng.choice((b"", b"1", b"text\n", b"=", b"a=b\n20 x=y\n", b"\0",
                                     b"\xff\0\n", b" blanks ", bytes(range(256)), b"\xc3\xa9" * 20))
            os.setxattr(at, name, value, follow_symlinks=False)
        if kind != "l" and self.rng.random() < 0.5:
            os.setxattr(at, b"system.posix_acl_access", self.acl(False))
        if kind == "d" and self.rng.random() < 0.7:
            os.setxattr(at, b"system.posix_acl_default", self.acl(True))

    def owners(self, at):
        some = self.rng.choice((OWNERS[:3], OWNERS))
        os.lchown(at, self.rng.choice(some), self.rng.choice(some))

    def time(self, at):
        when = self.rng.choice((1600000000, self.rng.choice(TIMES), self.rng.randrange(1 << 31)))
        ns = when * 10**9 + self.rng.choice(PARTS)
        if abs(ns) < 10**5:     # Python writes 1e-08, which is no time
            ns = 0
        os.utime(at, ns=(ns, ns), follow_symlinks=False)

    def dress(self, path):
        """Owner, mode, attributes and time of @path; all below it is there already."""
        at = self.at(path) if path else self.top
        st = os.lstat(at)
        kind = "l" if stat.S_ISLNK(st.st_mode) else "d" if stat.S_ISDIR(st.st_mode) else \
            "f" if stat.S_ISREG(st.st_mode) else "o"
        self.owners(at)
        if kind != "l":
            os.chmod(at, self.rng.choice(MODES))
        if self.rng.random() < 0.35:
            self.attributes(at, kind)
        self.time(at)

    def plant(self, count=40):
        """Make a tree of about @count objects."""
        os.mkdir(self.top)
        for _ in range(count):
            kind = self.rng.randrange(4)
            if kind == 0:
                path = self.rng.choice(NAMES)
            elif kind == 1:
                path = self.word(self.rng.randrange(1, 20))
            else:
                # some archives have "./" in front of each path, others have not
                edge = self.rng.choice((98, 99, 100, 101, 154, 155, 156)) - \
                    self.rng.choice((0, 2))
                path = self.path(self.rng.choice(LENGTHS) - self.rng.choice((0, 2)), edge)
            if self.made and kind < 2 and self.rng.random() < 0.4:
                path = os.path.join(self.rng.choice(self.made), path)
            self.put(path)
        for path in reversed(self.made):
            self.dress(path)
        self.dress(b"")

    def plant_boundaries(self, alphabet):
        """The tree that is the same in each run: a file of each length of the path, with each
        byte around the boundaries a slash."""
        os.mkdir(self.top)
        self.alphabet = alphabet
        for length in LENGTHS:
            for slash in (98, 99, 100, 101, 154, 155, 156):
                for dots in (0, 2):
                    path = self.path(length - dots, slash - dots)
                    if self.directories(path) and not os.path.lexists(self.at(path)):
                        self.file(self.at(path))
                        self.made.append(path)
        for path in reversed(self.made):
            self.time(self.at(path))
        self.time(self.top)
