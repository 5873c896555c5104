# SPDX-License-Identifier: GPL-2.0
"""
rights.py - who may do what: a source of a few objects with ACLs and attributes of all kinds and
forms, as a tree, an archive or a manifest, and its image.

Each object and attribute is in the image, or the run fails and names it, or an option left it
out; and of 50 pairs of user and group nobody may do more on the mount than in the source, by the
kernel that is asked for both: of an archive in what GNU tar and bsdtar make of it.
"""
import base64
import fnmatch
import functools
import json
import operator
import os
import random
import shutil
import struct
import tarfile
from typing import NamedTuple

import images
import judges

PAIRS = [(uid, gid) for uid in range(1, 11) for gid in range(1, 6)]
OPTIONS = [[], [], []] + [["--xattrs-exclude=" + p for p in some] for some in (
    ["user.*"], ["system.posix_acl_access"], ["system.*"], ["system.*", "com.apple.*"], ["*"])]
ACCESS, DEFAULT, NFS4 = "system.posix_acl_access", "system.posix_acl_default", "system.nfs4_acl"
LABEL = "security.selinux"
TAGS = {1: "user", 2: "user", 4: "group", 8: "group", 16: "mask", 32: "other"}
READERS = [*judges.GNU, "--acls"], judges.GNU, ["bsdtar", "--acls", "--numeric-owner"]
NAMED = ("user", "group ")      # of NFSv4; the group of all its kind has no blank


class Object(NamedTuple):
    """@acls: ACCESS, DEFAULT: lists of tag, permissions, id; NFS4: of who, number, deny,
    permissions."""
    kind: str
    mode: int
    uid: int
    gid: int
    attrs: dict
    acls: dict


def letters(perm):
    return "".join(c if perm & 4 >> i else "-" for i, c in enumerate("rwx"))


def posix_acl(rng):
    def named(tag):
        some = sorted(rng.sample(range(1, 8), rng.randrange(3)))
        return [(tag, rng.randrange(8), n) for n in some]

    def one(tag):
        return [(tag, rng.randrange(8), 0xffffffff)]
    users, groups = named(2), named(8)
    mask = one(16) if users or groups or rng.random() < 0.3 else []
    return one(1) + users + one(4) + groups + mask + one(32)


def nfs4_acl(rng):
    whos = ["owner", "group", "everyone", *NAMED * (rng.random() < 0.5)]
    return [(rng.choice(whos), rng.randrange(1, 8), rng.random() < 0.4, rng.randrange(8))
            for _ in range(rng.randrange(1, 6))]


def nfs4_name(who, number):
    return f"{who[0]}{number}@d" if who in NAMED else who.upper() + "@"


def value_of(name, acl):
    if name != NFS4:
        return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in acl)
    value = struct.pack(">I", len(acl))
    for who, number, deny, perm in acl:
        to = nfs4_name(who, number).encode()
        mask = (perm & 4) >> 2 | perm & 2 | (perm & 1) << 5
        value += struct.pack(">IIII", deny, 0, mask, len(to)) + to + b"\0" * (-len(to) % 4)
    return value


def text_of(name, acl, form):
    """@form 0: numbers, 1: names with numbers, 2: names."""
    if name == NFS4:
        return ",".join((f"{who.strip()}:{nfs4_name(who, n)}" if who in NAMED else f"{who}@") +
                        f":{letters(perm)}-aRc:-------:{'deny' if deny else 'allow'}"
                        for who, n, deny, perm in acl)
    return ",".join(f"{TAGS[t]}:{('n' if form else '') + str(n) if t in (2, 8) else ''}:"
                    f"{letters(p)}{f':{n}' if form == 1 and t in (2, 8) else ''}"
                    for t, p, n in acl)


def made(rng, form):
    """The objects of a source, by path."""
    view = {"": Object("d", 0o755, 0, 0, {}, {})}
    for i in range(rng.randrange(1, 6)):
        kind, acls = rng.choice("ffffddl"), {}
        names = ["trusted.t", "security.s", LABEL] + ["user.a", "user.b=%"] * 2 * (kind != "l")
        if form != "tree" and rng.random() < 0.15:
            names += ["com.apple.q", "system.richacl", "user.a", "lustre.lov"]
        attrs = {name: b"u:r:t:s0\0" if name == LABEL else
                 rng.choice((b"v", b"a=b\n", b"\0\xff", bytes(range(99))))
                 for name in rng.sample(names, rng.randrange(min(3, len(names))))}
        mode = 0o777 if kind == "l" else rng.randrange(0o1000)
        if kind != "l" and rng.random() < 0.6:
            acls[ACCESS] = posix_acl(rng)
            perm = {tag: p for tag, p, _ in acls[ACCESS]}
            mode = perm[1] << 6 | perm.get(16, perm[4]) << 3 | perm[32]
        elif kind != "l" and form != "tree" and rng.random() < 0.6:
            acls[NFS4] = nfs4_acl(rng)
        if kind == "d" and rng.random() < 0.3:
            acls[DEFAULT] = posix_acl(rng)
        view[f"o{i}"] = Object(kind, mode, rng.randrange(1, 8), rng.randrange(1, 5), attrs, acls)
    return view


def values(o):
    """Attributes of an object, ACLs among them."""
    return {**o.attrs, **{name: value_of(name, acl) for name, acl in o.acls.items()}}


def plant(_, view, top):
    os.mkdir(top)
    for path, o in view.items():
        at = os.path.join(top, path)
        if o.kind == "l":
            os.symlink("t", at)
        elif path:
            os.mknod(at) if o.kind == "f" else os.mkdir(at)
        os.lchown(at, o.uid, o.gid)
        if o.kind != "l":
            os.chmod(at, o.mode)
        for name, value in values(o).items():
            os.setxattr(at, name, value, follow_symlinks=False)
    return set()


def records(rng, o):
    """The attributes of a member, each in one of its forms; and those that cannot be read."""
    lines, unread = {}, set()
    for name, value in values(o).items():
        escaped, form = name.replace("%", "%25").replace("=", "%3D"), rng.randrange(4)
        if name in o.acls and form:
            acl = o.acls[name]
            unread |= {name} if form == 3 and any(e[0] in (2, 8) for e in acl) else set()
            key = "ace" if name == NFS4 else name.rpartition("_")[2]
            lines["SCHILY.acl." + key] = text_of(name, acl, form - 1)
        elif name == LABEL and form == 3:
            lines["RHT." + name] = value[:-1]
        else:
            if form < 2:
                lines["SCHILY.xattr." + escaped] = value
            if form and name not in o.acls:
                lines["LIBARCHIVE.xattr." + escaped] = base64.b64encode(value).rstrip(b"=")
    return {k: v.decode("utf-8", "surrogateescape") if isinstance(v, bytes) else v
            for k, v in rng.sample(list(lines.items()), len(lines))}, unread


def archive(rng, view, top):
    types = {"f": tarfile.REGTYPE, "d": tarfile.DIRTYPE, "l": tarfile.SYMTYPE}
    unread = set()
    with tarfile.open(top, "w", format=tarfile.PAX_FORMAT) as to:
        for path, o in view.items():
            member = tarfile.TarInfo(path or ".")
            member.type, member.uid, member.gid = types[o.kind], o.uid, o.gid
            other = ACCESS in o.acls and rng.random() < 0.3
            member.mode = rng.randrange(0o1000) if other else o.mode
            member.linkname = "t" if o.kind == "l" else ""
            member.pax_headers, wrong = records(rng, o)
            unread |= {(path, name) for name in wrong}
            to.addfile(member)
    return unread


def manifest(_, view, top):
    with open(top, "x", encoding="utf-8") as to:
        for path, o in view.items():
            line = {"path": "/" + path, "uid": o.uid, "gid": o.gid, "mode": f"{o.mode:04o}",
                    "type": {"f": "file", "d": "dir", "l": "symlink"}[o.kind],
                    "xattrs": {name: value.hex() for name, value in values(o).items()}}
            print(json.dumps({**line, **({"target": "t"} if o.kind == "l" else {})}), file=to)
    return set()


def nfs4_may(o, uid, gid):
    """What RFC 7530 grants, which no file system here enforces: 0 to 7."""
    granted = denied = 0
    for who, number, deny, perm in o.acls[NFS4]:
        if {"owner": uid == o.uid, "group": gid == o.gid, "everyone": True,
                "user": uid == number, "group ": gid == number}[who]:
            granted |= 0 if deny else perm & ~denied
            denied |= perm & ~granted if deny else 0
    return granted


def asked(top, names):
    """What the kernel grants each of PAIRS of some objects in a folder: access(2) goes by the real
    ids, so that those that count for the way there are root's."""
    at, granted, groups = os.open(top, os.O_RDONLY), {}, os.getgroups()
    for uid, gid in PAIRS:
        os.setgroups([gid])
        os.setresgid(gid, 0, 0)
        os.setresuid(uid, 0, 0)
        for name in names:
            granted[name, uid, gid] = sum(p for p in (4, 2, 1) if os.access(name, p, dir_fd=at))
    os.setresuid(0, 0, 0)
    os.setresgid(0, 0, 0)
    os.setgroups(groups)
    os.close(at)
    return granted


def trees(form, view, source, work):
    """Folders with what a source stands for: itself, or a tree with the ACLs that it names, and of
    an archive, whose modes may say another thing, what each program that reads it makes of it."""
    if form == "tree":
        return [source]
    tops = [f"{work}/by{n}" for n in range(1 + len(READERS) * (form == "tar"))]
    plant(None, {path: o._replace(attrs={}, acls={n: a for n, a in o.acls.items() if n != NFS4})
                 for path, o in view.items()}, tops[0])
    for top, reader in zip(tops[1:], READERS):
        os.mkdir(top)
        # None reads all forms of attributes and ACLs, and they fail where they do not.
        images.run(*reader, "-C", top, "-xpf", source)
    return tops


def source_may(view, tops, names):
    """What those grant together who have kept the ACL of an object, or all, if none has."""
    asks = [(top, asked(top, names)) for top in tops]
    may = {}
    for name in names:
        kept = [got for top, got in asks if ACCESS in os.listxattr(f"{top}/{name}")]
        for uid, gid in PAIRS:
            most = nfs4_may(view[name], uid, gid) if NFS4 in view[name].acls else 7
            may[name, uid, gid] = most & functools.reduce(
                operator.or_, (got[name, uid, gid] for got in kept or [got for _, got in asks]))
    return may


def accesses(form, view, options, source, image, work):
    """The first access that is granted on the mount, and not by the source; where nothing is left
    out and one kernel judges both, that differs."""
    names = [path for path, o in view.items() if path and o.kind != "l"]
    tops = trees(form, view, source, work)
    may = source_may(view, tops, names)
    with images.mounted(image, work + "/mnt", "-o", "allow_other") as at:
        # Nobody may write to what is mounted read-only, whatever its mode.
        if not images.MODULE:
            images.must("mount", "-i", "-o", "remount,rw", at)
        has = asked(at, names)
    for top in tops:
        shutil.rmtree(top)
    for (name, uid, gid), had in may.items():
        got, had = has[name, uid, gid], had & (5 if images.MODULE else 7)
        exact = form != "tar" and not options and NFS4 not in view[name].acls
        if got & ~had or (exact and got != had):
            yield f"{name}: {uid}:{gid} may {got}, and by the source {had}: {view[name]}"
            return


def excluded(options, name):
    return any(fnmatch.fnmatchcase(name, o.partition("=")[2]) for o in options)


def cannot(path, o, name, unread):
    """Whether an image cannot have an attribute."""
    if name == NFS4:
        return any(who in NAMED for who, *_ in o.acls[NFS4])
    return (path, name) in unread or o.kind == "l" and name.startswith("user.") or \
        name not in o.acls and not name.startswith(("user.", "trusted.", "security."))


def compared(view, options, got):
    """Lines about what differs between a source and its image."""
    if {path.encode() for path in view} != set(got):
        yield f"objects: {sorted(got)}, and not {sorted(view)}"
        return
    for path, o in view.items():
        node = got[path.encode()]
        want = {name.encode(): value for name, value in values(o).items()
                if name != NFS4 and not excluded(options, name) and
                not (name == ACCESS and len(o.acls[name]) == 3)}
        if node.xattrs != want:
            yield f"{path}: attributes {sorted(node.xattrs)}, and not {sorted(want)}"


def judge(seed, work, count):
    """What is wrong with the image of the source of @seed."""
    rng = random.Random(f"rights {seed}")
    form, how = [("tree", plant), ("tar", archive), ("manifest", manifest)][seed % 3]
    view, options = made(rng, form), rng.choice(OPTIONS)
    source, image = os.path.join(work, "source"), os.path.join(work, "image")
    unread = how(rng, view, source)
    given = [image, source] if form == "tree" else [f"--{form}={source}", image]
    asked = ["--xattrs-exclude=*"] if options == OPTIONS[-1] and seed % 2 else options
    done = images.run(images.MKFS, "-q", "-f", *asked, *given)
    said = done.stderr.decode("utf-8", "replace")
    wrong = [f"line {i}: " if form == "manifest" else path for i, (path, o) in
             enumerate(view.items(), 1) for name in values(o)
             if cannot(path, o, name, unread) and not excluded(options, name)]
    count[f"rights, {form}"] = count.get(f"rights, {form}", 0) + 1
    if done.returncode != bool(wrong) or (wrong and (
            os.path.exists(image) or not any(name in said for name in wrong))):
        yield f"exit {done.returncode} for {wrong}: {said}"
    elif not wrong:
        yield from compared(view, options, images.json_listing(image))
        if images.have_mount():
            yield from accesses(form, view, options, source, image, work)
    if os.path.exists(source):
        shutil.rmtree(source) if form == "tree" else os.unlink(source)
    if os.path.exists(image):
        os.unlink(image)
