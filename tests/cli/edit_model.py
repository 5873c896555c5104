#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""edit_model SEQUENCES SEED [DIR] - random changes of an image, beside a dictionary: batches of
operations, updates, files that are added, reverts, compactions, erasures.

The dictionary has the objects by their paths; names of one file have the same object.  After each
step the image has what the dictionary has, by dsfs digest, dsfs ls and libdsfs, and at the end of a
sequence the digest of a directory that is made of it.  What the dictionary cannot do the image refuses, and
it has the bytes of before.  At the end of a sequence each generation that the image keeps is mounted by
dsfs-fuse, where that can be, and tests/format/reader.py reads the newest one of every third image.

DIR gets the images, and listings of their generations, which tests/guest/all.sh mounts.  It works in the
current directory; exit: 0, or 1 with what differs.
"""
import copy
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys


TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LISTING = TOP + "/build/tests/listing"
MOUNTS = not os.getuid() and os.access("/dev/fuse", os.R_OK | os.W_OK) and \
    os.path.exists(TOP + "/build/dsfs-fuse")
os.environ.setdefault("DSFS_LIBRARY", TOP + "/build/libdsfs.so.0")
sys.dont_write_bytecode = True
sys.path.insert(0, TOP + "/userspace/python")
import dsfs

# What is made now has this time
NOW = 5 * 10**9
os.environ["SOURCE_DATE_EPOCH"] = "5"


def run(*args, text=None):
    return subprocess.run(args, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


class Model:
    """names: path -> object, "" being the root; placed: what this batch has moved to where."""
    def __init__(self, rng):
        self.rng, self.names, self.placed, self.files = rng, {}, set(), 0
        self.names[""] = self.attrs("d")
        for d in ("a", "b", "a/c", "a/c/d"):
            self.names[d] = self.attrs("d")
        for _ in range(12):
            self.add_file()
        for i in range(3):
            self.names[f"link{i}"] = self.names[self.pick("f")]
        self.names["b/sym"] = {**self.attrs("l"), "mode": 0o777, "content": "../a"}

    def attrs(self, kind):
        return {"type": kind, "mode": 0o755 if kind == "d" else 0o644, "uid": os.getuid(),
                "gid": os.getgid(), "mtime": self.rng.randrange(10**18), "content": None}

    def pick(self, kinds="dfl"):
        return self.rng.choice([p for p, o in self.names.items() if o["type"] in kinds and p] or [""])

    def content(self):
        self.files += 1
        return f"{self.files % 7}\n" * self.rng.choice((0, 1, 40, 3000, 70000))

    def source(self):
        """A file, or a directory of some, by paths"""
        names = {"": self.attrs(self.rng.choice("fd"))}
        if names[""]["type"] == "f":
            names[""]["content"] = self.content()
        else:
            names["sub"] = self.attrs("d")
            for name in "f", "sub/s", "sub/t":
                names[name] = {**self.attrs("f"), "content": self.content()}
            names["link"] = names[self.rng.choice(("f", "sub/s"))]
        return names

    def way(self, path):
        """Make the directories above a path that are missing."""
        above = path.rpartition("/")[0]
        if above in self.names:
            return self.names[above]["type"] == "d"
        if not self.way(above):
            return False
        root = self.names[""]
        self.names[above] = {**self.attrs("d"), "uid": root["uid"], "gid": root["gid"], "mtime": NOW}
        self.placed.add(above)
        return True

    def add(self, path, names, replace):
        """Names of a source, without a slash in front, are to be below a path, "" that path itself."""
        if path and not self.way(path):
            return False
        queue = [""]
        for name in queue:
            to, o = f"{path}/{name}".strip("/"), names[name]
            there = self.names.get(to)
            if there and (there["type"] == "d") != (o["type"] == "d"):
                return False
            if there and o["type"] == "d":
                if replace:
                    there.update({k: o[k] for k in ("mode", "uid", "gid")})
                queue += [n for n in names if n and n.rpartition("/")[0] == name]
            elif there and not replace:
                return False
            else:
                below = [n for n in names if n == name or n.startswith(name + "/") or not name]
                for n in below:
                    self.names[f"{path}/{n}".strip("/")] = names[n]
                self.placed.add(to)
        return True

    def add_file(self):
        file = {**self.attrs("f"), "content": self.content()}
        self.names[f"{self.pick('d')}/f{self.files}".strip("/")] = file

    def below(self, path):
        return [p for p in self.names if p == path or p.startswith(path + "/")]

    def rm(self, path, recursive):
        if not path or path not in self.names or \
                (self.names[path]["type"] == "d" and not recursive):
            return False
        lost = [p for p in self.placed if p.startswith(path + "/")]
        for p in self.below(path):
            del self.names[p]
        self.placed.discard(path)
        return not lost

    def mv(self, old, new):
        above = self.names.get(new.rpartition("/")[0])
        if not old or old not in self.names or new in self.names or not above or \
                above["type"] != "d" or new.startswith(old + "/"):
            return False
        moved = {new + p[len(old):]: self.names.pop(p) for p in self.below(old)}
        self.placed = {new + p[len(old):] if p.startswith(old + "/") else p
                       for p in self.placed - {old}} | {new}
        self.names.update(moved)
        return True

    def set(self, path, attrs):
        if path not in self.names or (self.names[path]["type"] == "l" and "mode" in attrs):
            return False
        self.names[path].update(attrs)
        return True

    def operation(self):
        """A line, and whether it can be done; mostly it can."""
        path = self.pick() if self.rng.random() < .95 else self.pick() + "/nothing"
        kind = self.rng.random()
        if kind < .15:
            names = self.source()
            source = f"source{self.files}"
            make(names, source)
            if names[""]["type"] == "f" or self.rng.random() < .5:
                path = f"{path}/{self.rng.choice(('new', 'f3', 'more/n'))}".strip("/")
            replace = self.rng.random() < .6
            line = {"op": "add", "source": source, "path": "/" + path, "replace": replace}
            return line, self.add(path, names, replace)
        if kind < .4:
            recursive = self.rng.random() < .8
            line = {"op": "rm", "path": "/" + path, "recursive": recursive}
            return line, self.rm(path, recursive)
        if kind < .75:
            new = f"{self.pick('d')}/{self.rng.choice('stuvwxyz')}".strip("/")
            return {"op": "mv", "from": path, "to": new}, self.mv(path, new)
        attrs = {"mtime": self.rng.randrange(10**18)}
        if self.names.get(path, {"type": "l"})["type"] != "l":
            attrs["mode"] = self.rng.randrange(0o1000) | 0o600
        if not os.getuid():
            attrs.update(uid=self.rng.randrange(9), gid=self.rng.randrange(9))
        line = {"op": "set", "path": "/" + path, **attrs, "mtime": "%d.%09d" % divmod(attrs["mtime"], 10**9)}
        if "mode" in attrs:
            line["mode"] = "%o" % attrs["mode"]
        return line, self.set(path, attrs)

    def text(self):
        """As dsfs digest --full --text has it."""
        lines = []
        for path, o in self.names.items():
            content = o["content"] or ""
            last = {"d": "-", "l": content, "f": hashlib.sha256(content.encode()).hexdigest()}
            lines.append("\t".join(("/" + path, o["type"], "%04o" % o["mode"], str(o["uid"]),
                                    str(o["gid"]), str(o["mtime"]), "-", last[o["type"]])))
        return sorted(lines)

    def links(self):
        """How many names each file has, by path"""
        count = {}
        for o in self.names.values():
            count[id(o)] = count.get(id(o), 0) + 1
        return {"/" + p: count[id(o)] for p, o in self.names.items() if o["type"] == "f"}



def make(names, top):
    """A directory, or a file, that is like that"""
    if os.path.isfile(top):
        os.unlink(top)
    shutil.rmtree(top, ignore_errors=True)
    first = {}
    for path in sorted(names):
        o, there = names[path], f"{top}/{path}".rstrip("/")
        if o["type"] == "d":
            os.mkdir(there)
        elif id(o) in first:
            os.link(first[id(o)], there)
        elif o["type"] == "l":
            os.symlink(o["content"], there)
        else:
            first[id(o)] = there
            with open(there, "w", encoding="ascii") as f:
                f.write(o["content"])
    for path in sorted(names, reverse=True):
        o, there = names[path], f"{top}/{path}".rstrip("/")
        os.chown(there, o["uid"], o["gid"], follow_symlinks=False)
        if o["type"] != "l":
            os.chmod(there, o["mode"])
        os.utime(there, ns=(0, o["mtime"]), follow_symlinks=False)


def library(model):
    """What libdsfs has otherwise"""
    files = {p for p, o in model.names.items() if o["type"] == "f"}
    with dsfs.Image("model.dsfs") as image:
        if set(image) != files:
            return f"libdsfs: {set(image) ^ files}"
        for path, o in model.names.items():
            st = image.stat(path or "/", follow_symlinks=False)
            if (st.st_mode & 0o7777, st.st_uid, st.st_gid, st.st_mtime_ns) != \
                    (o["mode"], o["uid"], o["gid"], o["mtime"]):
                return f"libdsfs: {path}: {st}"
            if o["type"] == "f" and image[path] != o["content"].encode():
                return f"libdsfs: {path}: another content"
    return ""


def differs(model):
    """What the image has otherwise than the model; "" for nothing"""
    got = run("dsfs", "digest", "--full", "--text", "model.dsfs")
    rows = [line.split("\t") for line in got.stdout.splitlines()[1:]]
    # the first of several names depends on the order of a walk: their number is compared below
    lines = sorted("\t".join(row[:6] + ["-"] + row[7:]) for row in rows)
    if lines != model.text():
        return f"digest: {set(lines) ^ set(model.text())} {got.stderr}"
    rows = [line.split() for line in run("dsfs", "ls", "-lR", "model.dsfs").stdout.splitlines()]
    links = {row[7]: int(row[1]) for row in rows if row[0][0] == "-"}
    if links != model.links():
        return f"links: {set(links.items()) ^ set(model.links().items())}"
    return run("fsck.dsfs", "-q", "model.dsfs").stderr or library(model)


def reader(model):
    """What the other reader of the format has otherwise of the newest generation"""
    got = run(TOP + "/tests/format/reader.py", "--list", "model.dsfs")
    objects = [json.loads(line) for line in got.stdout.splitlines()]
    lines = sorted("\t".join((o["path"], o["type"], "%04o" % o["mode"], str(o["uid"]), str(o["gid"]),
                              str(o["mtime"]), "-", o["sha256"] or o["target"] or "-")) for o in objects)
    links = {o["path"]: o["nlink"] for o in objects if o["type"] == "f"}
    if lines == model.text() and links == model.links():
        return ""
    return f"reader.py: {set(lines) ^ set(model.text())} {links} {got.stderr}"


def listing(top):
    return run(LISTING, "--as-packed", top).stdout


def mounted(number, want):
    """What a mount of a generation has otherwise"""
    done = run("dsfs-fuse", "-o", f"generation={number}", "seen.dsfs", "mnt")
    shown = listing("mnt")
    run("umount", "mnt")
    if not done.returncode and shown == want:
        return ""
    return f"dsfs-fuse: generation {number}: {set(shown.splitlines()) ^ set(want.splitlines())} {done.stderr}"


def look_back(history, kept):
    """What mounts of all generations have otherwise; @kept: path of the image and the listings"""
    wrong = ""
    shutil.copy("model.dsfs", "seen.dsfs")
    os.makedirs("mnt", exist_ok=True)
    for number, model in history.items():
        make(model.names, "model")
        want = listing("model")
        wrong = wrong or (mounted(number, want) if MOUNTS else "")
        if kept:
            with open(f"{kept}.{number}.list", "w", encoding="utf8") as f:
                f.write(want)
    if kept:
        shutil.move("seen.dsfs", kept + ".dsfs")
    return wrong


def clean():
    for name in os.listdir():
        if name.startswith("source"):
            run("rm", "-rf", name)


def edit(model, kept):
    """A batch: the model that follows, or @model if it cannot be done; what is wrong."""
    then, lines, right = copy.deepcopy(model), [], True
    then.rng = model.rng
    then.placed = set()
    for _ in range(model.rng.randrange(1, 8)):
        line, done = then.operation()
        lines.append(json.dumps(line))
        right = right and done
        if not done:
            break
    got = run("dsfs", "edit", "-q", "--batch=-", "model.dsfs", text="\n".join(lines))
    if got.returncode != (0 if right else 1):
        return model, f"exit {got.returncode}, {right}: {lines} {got.stderr}"
    if not right:
        with open("model.dsfs", "rb") as f:
            return model, "" if f.read() == kept else f"it was changed: {lines}"
    return then, ""


def change(model, history):
    """Another change than a batch, of @model: what is wrong."""
    kind = model.rng.random()
    if kind < .35:
        model.add_file()
        make(model.names, "model")
        return run("dsfs", "update", "-f", "-q", "model.dsfs", "model")
    if kind < .55:
        names = model.source()
        make(names, "source")
        at = model.pick("d") if names[""]["type"] == "d" else model.pick("d") + "/source"
        model.add(at.strip("/"), names, True)
        at = at if names[""]["type"] == "d" else at.rpartition("/")[0]
        return run("dsfs", "add", "-q", "--replace", "--at=/" + at, "model.dsfs", "source")
    if kind < .7 and len(history) > 1:
        number = model.rng.choice(sorted(history)[:-1])
        model.names = copy.deepcopy(history[number].names)
        return run("dsfs", "revert", "-q", "model.dsfs", str(number))
    path = model.pick()
    if kind < .85 and path:
        model.rm(path, True)
        return run("dsfs", "erase", "-q", "--yes", "-r", "model.dsfs", path)
    done = run("dsfs", "compact", "-f", "-q", "model.dsfs", "new.dsfs")
    os.replace("new.dsfs", "model.dsfs")
    return done


def step(model, history):
    if model.rng.random() < .6:
        with open("model.dsfs", "rb") as f:
            return edit(model, f.read())
    then = copy.deepcopy(model)
    then.rng = model.rng
    return then, "\n".join(line for line in change(then, history).stderr.splitlines()
                           if "its content stays" not in line and "stay, as others" not in line)


def generations():
    done = run("dump.dsfs", "--generations", "--json", "model.dsfs")
    return [g["generation"] for g in json.loads(done.stdout)["generations"]]


def sequence(seed, keep):
    model = Model(random.Random(seed))
    make(model.names, "model")
    wrong = run("mkfs.dsfs", "-q", "-f", "model.dsfs", "model").stderr
    history = {1: model}
    for _ in range(5):
        model, wrong = step(model, history) if not wrong else (model, wrong)
        if wrong:
            return wrong
        history = {g: history.get(g, model) for g in generations()}
        history[max(history)] = model
        wrong = differs(model)
    clean()
    make(model.names, "model")
    if run("dsfs", "digest", "--full", "model.dsfs").stdout != \
            run("dsfs", "digest", "--full", "model").stdout:
        wrong = wrong or "not the digest of the directory"
    wrong = wrong or look_back(history, keep and f"{keep}/{seed}")
    return wrong or (reader(model) if seed % 3 == 0 else "")


def main():
    first = int(sys.argv[2])
    for seed in range(first, first + int(sys.argv[1])):
        wrong = sequence(seed, sys.argv[3] if len(sys.argv) > 3 else "")
        if wrong:
            sys.exit(f"seed {seed}: {wrong}")


main()
