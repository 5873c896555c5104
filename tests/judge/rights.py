# SPDX-License-Identifier: GPL-2.0
"""
rights.py - who may do what: a source of a few objects with ACLs and attributes of all kinds and
forms, as a tree, an archive or a manifest, and its image.

Each object and attribute is in the image, or the run fails and names it, or an option left it
out; and of 50 pairs of user and group nobody may do more by the image than by the source.
"""
import base64
import fnmatch
import io
import json
import os
import random
import shutil
import struct
import tarfile
from typing import NamedTuple

import images

KINDS = ("tree", "tar", "manifest")
PAIRS = [(uid, gid) for uid in range(1, 11) for gid in range(1, 6)]
OPTIONS = ((), (), (), ("--no-xattrs",), ("--xattrs-exclude=user.*",),
           ("--xattrs-exclude=system.posix_acl_access",), ("--xattrs-exclude=system.*",),
           ("--xattrs-exclude=system.*", "--xattrs-exclude=com.apple.*"),
           ("--xattrs-exclude=*",))
ACCESS, DEFAULT, NFS4 = "system.posix_acl_access", "system.posix_acl_default", "system.nfs4_acl"
LABEL = "security.selinux"
TAGS = {1: "user", 2: "user", 4: "group", 8: "group", 16: "mask", 32: "other"}
LETTERS = "rwx"


class Object(NamedTuple):
    """@acl, @default: lists of tag, permissions, id.  @nfs4: of who, name, deny, permissions."""
    kind: str
    mode: int
    uid: int
    gid: int
    attrs: dict
    acl: list
    default: list
    nfs4: list


def packed(acl):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in acl)


def letters(perm):
    return "".join(c if perm & 4 >> i else "-" for i, c in enumerate(LETTERS))


def posix_acl(rng):
    some = range(1, 8)
    users, groups = (sorted(rng.sample(some, rng.randrange(3))) for _ in "ug")
    by_name = [(2, rng.randrange(8), n) for n in users], [(8, rng.randrange(8), n) for n in groups]
    acl = [(1, rng.randrange(8), 0xffffffff), *by_name[0], (4, rng.randrange(8), 0xffffffff)]
    acl += by_name[1]
    if users or groups or rng.random() < 0.3:
        acl.append((16, rng.randrange(8), 0xffffffff))
    return acl + [(32, rng.randrange(8), 0xffffffff)]


def nfs4_acl(rng):
    whos = ["owner", "group", "everyone"] + ["user", "group "] * (rng.random() < 0.5)
    return [(who, rng.randrange(1, 8), rng.random() < 0.4, rng.randrange(8))
            for who in (rng.choice(whos) for _ in range(rng.randrange(1, 6)))]


def nfs4_name(who, number):
    return {"user": f"u{number}@d", "group ": f"g{number}@d"}.get(who, who.upper() + "@")


def nfs4_value(acl):
    value = struct.pack(">I", len(acl))
    for who, number, deny, perm in acl:
        name = nfs4_name(who, number).encode()
        mask = (perm & 4) >> 2 | (perm & 2) | (perm & 1) << 5
        value += struct.pack(">IIII", deny, 0, mask, len(name)) + name + b"\0" * (-len(name) % 4)
    return value


def nfs4_text(acl):
    return ",".join((f"{who.strip()}:{nfs4_name(who, n)}" if who in ("user", "group ") else
                     f"{who}@") + f":{letters(perm)}-aRc:-------:{'deny' if deny else 'allow'}"
                    for who, n, deny, perm in acl)


def acl_text(acl, form):
    def name(tag, number):
        return "" if tag not in (2, 8) else f"n{number}" if form else f"{number}"
    return ",".join(f"{TAGS[t]}:{name(t, n)}:{letters(p)}" +
                    (f":{n}" if form == 1 and t in (2, 8) else "") for t, p, n in acl)


def mode_of(acl, mode):
    perm = {tag: p for tag, p, _ in acl}
    return mode & ~0o777 | perm[1] << 6 | perm.get(16, perm[4]) << 3 | perm[32]


def made(rng, form):
    """The objects of a source, by path."""
    view = {"": Object("d", 0o755, 0, 0, {}, [], [], [])}
    for i in range(rng.randrange(1, 6)):
        kind = rng.choice("ffffddl")
        attrs = {}
        names = ["trusted.t", "security.s", LABEL] + ["user.a", "user.b=%"] * 2 * (kind != "l")
        if form != "tree" and rng.random() < 0.15:
            names += ["com.apple.q", "system.richacl", "user.a", "lustre.lov"]
        for name in rng.sample(names, rng.randrange(min(3, len(names)))):
            attrs[name] = b"u:r:t:s0\0" if name == LABEL else rng.choice((b"v", b"a=b\n", b"\0\xff", bytes(range(99))))
        acl = posix_acl(rng) if kind != "l" and rng.random() < 0.6 else []
        default = posix_acl(rng) if kind == "d" and rng.random() < 0.3 else []
        nfs4 = nfs4_acl(rng) if kind != "l" and not acl and form != "tree" and \
            rng.random() < 0.3 else []
        mode = 0o777 if kind == "l" else rng.randrange(0o1000)
        mode = mode_of(acl, mode) if acl else mode
        view[f"o{i}"] = Object(kind, mode, rng.randrange(1, 8), rng.randrange(1, 5), attrs, acl,
                               default, nfs4)
    return view


def values(o):
    """Attributes of an object, ACLs among them."""
    return {**o.attrs, **({ACCESS: packed(o.acl)} if o.acl else {}),
            **({DEFAULT: packed(o.default)} if o.default else {}),
            **({NFS4: nfs4_value(o.nfs4)} if o.nfs4 else {})}


def plant(_, view, top):
    os.mkdir(top)
    for path, o in view.items():
        at = os.path.join(top, path)
        if o.kind == "l":
            os.symlink("t", at)
        elif o.kind == "f":
            with open(at, "xb"):
                pass
        elif path:
            os.mkdir(at)
        os.lchown(at, o.uid, o.gid)
        if o.kind != "l":
            os.chmod(at, o.mode)
        for name, value in values(o).items():
            os.setxattr(at, name, value, follow_symlinks=False)
    return [top]


def records(rng, o):
    """The attributes of a member, each in one of its forms; and whether one cannot be read."""
    lines, unread = {}, False
    for name, value in values(o).items():
        escaped = name.replace("%", "%25").replace("=", "%3D")
        form = rng.randrange(4)
        if name in (ACCESS, DEFAULT) and form:
            acl = o.acl if name == ACCESS else o.default
            unread |= form == 3 and any(tag in (2, 8) for tag, _, _ in acl)
            lines["SCHILY.acl." + name.rpartition("_")[2]] = acl_text(acl, (0, 0, 1, 2)[form])
            continue
        if name == NFS4 and form > 1:
            lines["SCHILY.acl.ace"] = nfs4_text(o.nfs4)
            continue
        if name == LABEL and form == 3:
            lines["RHT." + name] = value[:-1]
            continue
        if form in (0, 1) or name in (ACCESS, DEFAULT, NFS4):
            lines["SCHILY.xattr." + escaped] = value
        if form in (1, 2, 3) and name not in (ACCESS, DEFAULT, NFS4):
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
            member.mode = rng.randrange(0o1000) if o.acl and rng.random() < 0.3 else o.mode
            member.linkname = "t" if o.kind == "l" else ""
            member.pax_headers, wrong = records(rng, o)
            unread |= {path} if wrong else set()
            to.addfile(member, io.BytesIO())
    return ["--tar=" + top], unread


def manifest(_, view, top):
    with open(top, "x", encoding="utf-8") as to:
        for path, o in view.items():
            line = {"path": "/" + path, "uid": o.uid, "gid": o.gid, "mode": f"{o.mode:04o}",
                    "type": {"f": "file", "d": "dir", "l": "symlink"}[o.kind],
                    "xattrs": {name: value.hex() for name, value in values(o).items()}}
            print(json.dumps({**line, **({"target": "t"} if o.kind == "l" else {})}), file=to)
    return ["--manifest=" + top]


def by_acl(acl, uid, gid, o):
    """What POSIX.1e grants: 0 to 7."""
    perm = {(tag, n if tag in (2, 8) else 0): p for tag, p, n in acl}
    mask = perm.get((16, 0), 7)
    if uid == o.uid:
        return perm[1, 0]
    if (2, uid) in perm:
        return perm[2, uid] & mask
    groups = [p for (tag, n), p in perm.items()
              if (tag == 4 and gid == o.gid) or (tag, n) == (8, gid)]
    granted = 0
    for p in groups:
        granted |= p & mask     # more than any one entry grants, which is all that is compared
    return granted if groups else perm[32, 0]


def by_nfs4(acl, uid, gid, o):
    """What RFC 7530 grants: the first entry that says something of a permission counts."""
    granted = denied = 0
    for who, number, deny, perm in acl:
        if {"owner": uid == o.uid, "group": gid == o.gid, "everyone": True,
                "user": uid == number, "group ": gid == number}[who]:
            if deny:
                denied |= perm & ~granted
            else:
                granted |= perm & ~denied
    return granted


def may(o, acl, uid, gid):
    if o.nfs4:
        return by_nfs4(o.nfs4, uid, gid, o)
    if acl:
        return by_acl(acl, uid, gid, o)
    return o.mode >> (6 if uid == o.uid else 3 if gid == o.gid else 0) & 7


def unpacked(value):
    return [struct.unpack_from("<HHI", value, at) for at in range(4, len(value), 8)]


def excluded(options, name):
    return any(o == "--no-xattrs" or fnmatch.fnmatchcase(name, o.partition("=")[2])
               for o in options)


def reasons(path, o, options, unread):
    """Names of what the image cannot have and no option leaves out."""
    for name in values(o):
        if excluded(options, name):
            continue
        trivial = not any(who in ("user", "group ") for who, *_ in o.nfs4)
        if (name == NFS4 and not trivial) or (name in (ACCESS, DEFAULT) and path in unread) or \
                (o.kind == "l" and name.startswith("user.")) or \
                (not name.startswith(("user.", "trusted.", "security.")) and
                 name not in (ACCESS, DEFAULT, NFS4)):
            yield name


def compared(view, options, got):
    """Lines about what differs between a source and its image."""
    if {path.encode() for path in view} != set(got):
        yield f"objects: {sorted(got)}, and not {sorted(view)}"
        return
    for path, o in view.items():
        node = got[path.encode()]
        want = {name.encode(): value for name, value in values(o).items()
                if name != NFS4 and not excluded(options, name)}
        if o.acl and len(o.acl) == 3:
            want.pop(ACCESS.encode(), None)
        if node.xattrs != want:
            yield f"{path}: attributes {sorted(node.xattrs)}, and not {sorted(want)}"
        acl = unpacked(node.xattrs.get(ACCESS.encode(), b""))
        image = Object(o.kind, node.mode, node.uid, node.gid, {}, [], [], [])
        for uid, gid in PAIRS if o.kind != "l" else ():
            had, has = may(o, o.acl, uid, gid), may(image, acl, uid, gid)
            if has & ~had or (not options and not o.nfs4 and "system.richacl" not in o.attrs and
                              o.acl and has != had):
                yield f"{path}: {uid}:{gid} may {has}, and by the source {had}: {o}"
                break


def named(path, view, form):
    """How a message names an object."""
    return f"line {list(view).index(path) + 1}: ".encode() if form == "manifest" else path.encode()


def judge(seed, work, count):
    """What is wrong with the image of the source of @seed."""
    rng = random.Random(f"rights {seed}")
    form = KINDS[seed % len(KINDS)]
    view, options = made(rng, form), rng.choice(OPTIONS)
    source, image = os.path.join(work, "source"), os.path.join(work, "image")
    how = {"tree": plant, "tar": archive, "manifest": manifest}[form](rng, view, source)
    how, unread = how if form == "tar" else (how, set())
    given = [how[0], image] if form != "tree" else [image, source]
    done = images.run(images.MKFS, "-q", "-f", *options, *given)
    wrong = [(path, list(names)) for path, o in view.items()
             if (names := list(reasons(path, o, options, unread)))]
    count[f"rights, {form}"] = count.get(f"rights, {form}", 0) + 1
    if wrong:
        if done.returncode != 1 or os.path.exists(image) or \
                not any(named(path, view, form) in done.stderr for path, _ in wrong):
            yield f"exit {done.returncode} for {wrong}: {done.stderr.decode('utf-8', 'replace')}"
    elif done.returncode:
        yield f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')}"
    else:
        yield from compared(view, options, images.json_listing(image))
    if form == "tree":
        shutil.rmtree(source)
    for left in (source, image):
        if os.path.exists(left):
            os.unlink(left)
