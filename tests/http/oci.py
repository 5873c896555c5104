# SPDX-License-Identifier: GPL-2.0
"""Artifacts of registries: made, pushed by skopeo, and read where they are."""
import base64
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import cases
from registry import MANIFEST, DockerRegistry, Registry, missing, sha256
from server import FAULTS, Server, answer, says
from world import BUILD, QUICK, Environment, at_once, certificate, error_of, has

# A name of this machine that does not look like one
FAR = "[::ffff:127.0.0.1]"


def part(world):
    layout(world)
    pushed(world)
    tokens(world)
    forms(world)
    expired(world)
    passwords(world)
    plain(world)
    downgrade(world)
    hostile(world)
    names(world)
    escaped(world)
    pieces(world)


def layout(world):
    """By Python's json and hashlib: what is written is what the specifications say."""
    folder = world.work / "layout"
    ended = world.tool("dsfs oci", "--json", world.image, folder)
    told = json.loads(ended[1])
    index = json.loads((folder / "index.json").read_text())
    version = json.loads((folder / "oci-layout").read_text())
    blobs = {f"sha256:{path.name}": path.read_bytes()
             for path in (folder / "blobs/sha256").iterdir()}
    at = index["manifests"][0]
    manifest = json.loads(blobs[at["digest"]])
    layer = manifest["layers"][0]
    cases.result(version == {"imageLayoutVersion": "1.0.0"} and told["manifest"] == at["digest"] and
                 len(index["manifests"]) == len(manifest["layers"]) == 1 and len(blobs) == 3,
                 "a layout of a manifest and two blobs", ended[2])
    cases.result(all(sha256(data) == name for name, data in blobs.items()) and
                 all(len(blobs[part["digest"]]) == part["size"]
                     for part in (at, layer, manifest["config"])), "digests and sizes are right")
    cases.result(blobs[layer["digest"]] == world.bytes, "one blob is the image")
    kept = world.digest(world.image)
    notes = manifest["annotations"]
    cases.result(notes["vnd.dsfs.digest"] == kept and notes["vnd.dsfs.generation"] == "1" and
                 notes["vnd.dsfs.image-bytes"] == str(len(world.bytes)) and
                 notes["vnd.dsfs.files"] == str(len(world.files)) and
                 all(isinstance(value, str) for value in notes.values()), "annotations", notes)
    again = world.tool("dsfs oci", world.image, folder)
    cases.result(again[0] == 1 and "exists" in again[2], "a folder that is there is left alone",
                 again)
    behind(world, blobs[layer["digest"]])
    cut(world)


def behind(world, blob):
    """What lies behind the image in its file is no part of it."""
    long, folder = world.work / "long.dsfs", world.work / "layout-long"
    long.write_bytes(world.bytes + bytes(1 << 20))
    told = json.loads(world.tool("dsfs oci", "--json", long, folder)[1])
    cases.result(told["blob"] == sha256(blob) and told["bytes"] == len(blob),
                 "the same artifact of a device that is longer", told)


def cut(world):
    """A run that fails leaves nothing."""
    folder = world.work / "layout-cut"
    ended = subprocess.run(["bash", "-c", 'ulimit -f 64; exec "$@"', "-",
                            BUILD / "dsfs", "oci", world.image, folder],
                           capture_output=True, check=False)
    cases.result(ended.returncode == 1 and b"File too large" in ended.stderr and
                 not folder.exists(), "a disk that is full: nothing is left", ended)
    without = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    ended = subprocess.run([*(() if os.geteuid() else without), "bash", "-c",
                            'umask 777; exec "$@"', "-", BUILD / "dsfs", "oci",
                            world.image, folder], capture_output=True, check=False)
    cases.result(ended.returncode == 1 and b"open: Permission denied" in ended.stderr and
                 not folder.exists(), "a folder that cannot be opened: nor is it", ended)


def pushed(world):
    if missing():
        cases.skip("docker-registry", f"not installed: {missing()}")
        return
    registry = DockerRegistry(world.work / "registry")
    try:
        real(world, registry, world.work / "layout")
    finally:
        registry.stop()


def skopeo(*args):
    return subprocess.run(["skopeo", *args], capture_output=True, check=False)


def real(world, registry, folder):
    at = f"docker://{registry.host}/sets/flowers:v1"
    ended = skopeo("copy", "--dest-tls-verify=false", f"oci:{folder}", at)
    cases.result(ended.returncode == 0, "skopeo pushes it to docker-registry", ended.stderr)
    raw = skopeo("inspect", "--raw", "--tls-verify=false", at)
    digest = json.loads((folder / "index.json").read_text())["manifests"][0]["digest"]
    cases.result(sha256(raw.stdout) == digest, "and finds the same manifest there", raw)
    url = f"oci://{registry.host}/sets/flowers"
    ended = world.tool("fsck.dsfs", "--digest", f"{url}:v1")
    cases.result(ended[0] == 0 and b"clean" in ended[1], "fsck.dsfs of the registry: clean", ended)
    # fsck.dsfs has read all of it; to docker-registry a request is dear.
    for name in ":v1", f"@{digest}":
        wrong = world.wrong(world.open(url + name), list(world.files)[::8])
        cases.result(not wrong, f"files, by {name[:8]}", *wrong)
    world.reads("the digest of the image behind the tag", f"{url}:v1@{world.digest(url + ':v1')}")
    world.refused("another one", f"{url}:v1@dsfs1-data:{0:064x}", "digest kept")
    world.refused("no such tag", f"{url}:v2", "manifest", "404")
    world.refused("no such digest", f"{url}@sha256:{0:064x}", "manifest", "404")
    generations(world, registry)


def cut_up(world, image, out):
    """The pieces of an image, and their layout, as dsfs oci tells of it and as it is"""
    subprocess.run([BUILD / "dsfs", "pieces", "--size=1M", image, out], check=True,
                   stdout=subprocess.DEVNULL)
    layout = Path(f"{out}.{len(list(out.iterdir()))}.oci")
    ended = world.tool("dsfs oci", "--json", out / "set.list", layout)
    return ended, layout


def generations(world, registry):
    """A generation sends the registry what is new in it: a layer a piece."""
    image, tree, out = world.work / "in/set.dsfs", world.work / "in/tree", world.work / "in/out"
    tree.mkdir(parents=True)
    shutil.copy(world.image, image)
    (tree / "added.bin").write_bytes(b"added" * 1000)
    store, sizes = world.work / "registry/store", []
    for tag in "g1", "g2":
        _ended, folder = cut_up(world, image, out)
        ended = skopeo("copy", "--dest-tls-verify=false", f"oci:{folder}",
                       f"docker://{registry.host}/sets/cut:{tag}")
        cases.result(ended.returncode == 0, f"pieces of {tag}: skopeo pushes them", ended.stderr)
        sizes.append([path.stat().st_size for path in store.glob("**/data")])
        if tag == "g1":
            subprocess.run([BUILD / "dsfs", "add", "-q", image, tree], check=True)
    cases.result(len(sizes[1]) == len(sizes[0]) + 5 and sum(sizes[1]) < sum(sizes[0]) + (1 << 18),
                 "new: a blob of data, metadata, a head, the list, and a manifest",
                 len(sizes[0]), len(sizes[1]), sum(sizes[1]) - sum(sizes[0]))
    url = f"oci://{registry.host}/sets/cut"
    new = world.open(f"{url}:g2")
    wrong = world.wrong(world.open(f"{url}:g1"), list(world.files)[::8]) + \
        world.wrong(new, list(world.files)[::8])
    cases.result(not wrong and new["added.bin"] == b"added" * 1000, "both are read there", *wrong)


def pieces(world):
    """What a registry says of an image in pieces is asked for with its token, and not trusted."""
    image, out = world.work / "cut/set.dsfs", world.work / "cut/out"
    image.parent.mkdir()
    shutil.copy(world.image, image)
    ended, folder = cut_up(world, image, out)
    told, text = json.loads(ended[1]), (out / "set.list").read_bytes()
    parts = {f"sha256:{piece['sha256']}": (out / piece["name"]).read_bytes()
             for piece in json.loads(text)["pieces"]}
    made = {f"sha256:{path.name}": path.read_bytes()
            for path in (folder / "blobs/sha256").iterdir()}
    manifest = json.loads(made[told["manifest"]])
    cases.result(told["blob"] == sha256(text) and told["pieces"] == len(parts) and
                 [layer["digest"] for layer in manifest["layers"]] == [sha256(text), *parts] and
                 all(made[name] == data for name, data in [*parts.items(), (sha256(text), text)]),
                 "pieces: a blob each, behind that of the list", told)
    registry = Registry(text)
    registry.realm = registry.server.url("/token")
    registry.manifest = made[told["manifest"]]
    for name, data in parts.items():
        registry.server.objects[f"/v2/sets/x/blobs/{name}"] = data
        registry.server.tags[f"/v2/sets/x/blobs/{name}"] = '"one"'
    registry.lives = 20
    opened = world.open(registry.url())
    cases.result(world.right(opened) and registry.tokens > 2,
                 f"are read, by {registry.tokens} tokens of 20 uses")
    registry.lives = 1 << 30
    lost = list(parts)[2]
    del registry.server.objects[f"/v2/sets/x/blobs/{lost}"]
    text = error_of(world.wrong, world.open(registry.url()))
    has("one that the registry has lost", text, "404", lost[:30])
    (out / lost[7:]).write_bytes(parts[lost][:-1] + b"!")
    ended = world.tool("dsfs oci", out / "set.list", folder / "new")
    cases.result(ended[0] == 1 and f"the list says {lost}" in ended[2] and
                 not (folder / "new").exists(), "one that is not as listed: nothing is left", ended)


def tokens(world):
    registry = Registry(world.bytes)
    registry.realm = registry.server.url("/token")
    world.reads("a token for anybody", registry.url())
    cases.result(registry.tokens == 1, f"is asked for once ({registry.tokens})")
    registry.login = "me", "s3cret"
    world.refused("a token for which a password is wanted, and none is known", registry.url(),
                  "token", "401")
    login(world, registry)
    world.reads("a password of ~/.docker/config.json", registry.url())
    cases.result(all(request.path == "/token" for request in registry.server.log
                     if request.headers.get("authorization", "").startswith("Basic")),
                 "it is sent to the server of tokens alone")
    registry.realm, registry.basic = None, True
    world.reads("a registry that wants the password", registry.url())
    logins(world).unlink()
    world.refused("and none is known", registry.url(), "no password",
                  "~/.docker/config.json: no file")


def forms(world):
    """What skopeo finds in files of all forms, in all places; where both find nothing, it is said."""
    if missing():
        cases.skip("forms of logins", f"not installed: {missing()}")
        return
    registry, draw, wrong, found = Registry(world.bytes), random.Random(16), [], 0
    registry.realm, registry.login = registry.server.url("/token"), ("who", "ever")
    home, host = world.work / "logins", registry.host
    paths = [home / path for path in ("run/containers/auth.json", ".config/containers/auth.json",
                                      ".docker/config.json", ".dockercfg")]
    urls = [f"https://{host}", f"http://{host}/v1/", f"https://{host}/v2/", "https://other/"]
    keys = [host, f"{host}/sets", f"{host}/sets/x", f"{host}/set", "other", f"{host}/sets/x/y",
            host[1:]]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)

    def sent(function):
        registry.server.log.clear()
        text = function()
        return {request.headers.get("authorization") for request in registry.server.log
                if request.path == "/token"}, text

    for i in range(40):
        more = {"REGISTRY_AUTH_FILE": str(draw.choice(paths[:3]))} if not i % 8 else {}
        for path in paths:
            path.unlink(missing_ok=True)
            if draw.randrange(3):
                continue
            used = draw.sample(keys, draw.randrange(3)) + draw.sample(urls, draw.randrange(2))
            if path.name == ".dockercfg":
                used = draw.sample([host, *urls], 1)
            auths = {key: {"auth": base64.b64encode(f"me:{draw.random()}".encode()).decode()}
                     if draw.randrange(8) else {} for key in used}
            path.write_text(json.dumps(auths if path.name == ".dockercfg" else {"auths": auths}))
        with Environment(HOME=str(home), XDG_RUNTIME_DIR=str(home / "run"), **more):
            theirs, _ = sent(lambda: skopeo("inspect", "--tls-verify=false",
                                            f"docker://{host}/sets/x:v1"))
            ours, text = sent(lambda: error_of(world.open, registry.url()))
        found += ours != {None}
        if theirs != ours or "auth.json: " not in text and "config.json: " not in text:
            wrong.append((theirs, ours, text, *(path.read_text() for path in paths
                                                if path.exists())))
    cases.result(not wrong and 8 < found < 40, f"40 sets of files with logins, {found} with one for "
                 "this name: those of skopeo", *wrong[:3])


def logins(world):
    """Where passwords are"""
    folder = world.work / ".docker"
    folder.mkdir(exist_ok=True)
    return folder / "config.json"


def login(world, registry, auth=None):
    auth = auth or registry.password().partition(" ")[2]
    logins(world).write_text(json.dumps({"auths": {registry.host: {"auth": auth}}}))


def expired(world):
    """Many readers find the token refused at once; one asks for another."""
    registry = Registry(world.bytes)
    registry.realm = registry.server.url("/token")
    image = world.open(registry.url())
    image.load()
    registry.tokens = before = 100
    paths = list(world.files)
    wrong = []

    def work(i):
        try:
            wrong.extend(world.wrong(image, paths[i::8]))
        except OSError as error:
            wrong.append(str(error))

    at_once(8, work)
    cases.result(not wrong and registry.tokens == before + 1,
                 f"a token that ran out is renewed once: {registry.tokens - before}", *wrong[:3])
    registry.lives = 40
    cases.result(world.right(image) and registry.tokens > before + 5,
                 f"one of 40 requests: {registry.tokens - before} renewed")
    registry.realm = registry.server.url("/none")
    registry.tokens += 1
    text = error_of(image.read, "large")
    has("no other is to be had", text, "token", "401", "oci://")
    registry.realm = registry.server.url("/token")
    registry.give_token = lambda connection, request: answer(connection, 200, b"eyJhIn")
    text = error_of(world.open, registry.url()) or ""
    cases.result("no JSON" in text and "eyJ" not in text, "a token that is no JSON", text)


def passwords(world):
    """To where blobs are, nothing of it goes; nor is it shown."""
    store = Server({f"/v2/sets/x/blobs/{sha256(world.bytes)}": world.bytes})
    registry = Registry(world.bytes)
    url = registry.url()
    registry.realm = registry.server.url("/token")
    registry.login = "me", "s3cret"
    registry.store = store.url("", "127.0.0.1")
    login(world, registry)
    world.reads("blobs of another server", url)
    cases.result(store.count() > 2 and not any("authorization" in request.headers
                                               for request in store.log), "it is told nothing")
    registry.server.fault = "forbidden"
    text = error_of(world.open, url) or ""
    cases.result("403" in text and "s3cret" not in text and "token-" not in text,
                 "messages show none of it", text)
    realm, registry.realm = registry.realm, None
    registry.server.fault = lambda request: ("forbidden" if "/blobs/" in request.path else
                                             "registry")
    text = error_of(world.open, url) or ""
    cases.result("says 403" in text and "401" not in text, "a blob that nobody gets", text)
    registry.realm = realm
    registry.server.fault = "registry"
    for bad in "a b", "bWU6\r\nX-Other: 1":
        login(world, registry, bad)
        world.refused(f"what is no base64: {bad[:3]}", url, "base64")
    for name, text, words in (
            ("that is no JSON", "{", "no JSON"),
            ("that is too long", "{}" + " " * 2**20, "longer than 1048576 bytes"),
            ("with a secret in what is no JSON", '{"auths": {"x": {"auth": bWU6czNjcmV0}}}', "")):
        logins(world).write_text(text)
        text = world.refused(f"a file {name}", url, "config.json", words)
        cases.result("bWU" not in text, "is not shown", text)
    logins(world).unlink()


def plain(world):
    registry = Registry(world.bytes)
    url = registry.url().replace("localhost", FAR)
    before = registry.server.count()
    text = error_of(world.open, url, f"{QUICK},retries=0")
    cases.result(text and registry.server.count() == before, "https, but for this machine", text)
    world.reads("unless plain-http is asked for", url, f"{QUICK},plain-http")


def downgrade(world):
    """A registry of https that names a server of tokens without it"""
    crt, key = certificate(world.work, "here", "IP:::ffff:127.0.0.1")
    other = Registry(world.bytes)
    registry = Registry(world.bytes, tls=(crt, key))
    registry.host = registry.host.replace("localhost", FAR)
    registry.login = "me", "s3cret"
    login(world, registry)
    source = f"{QUICK},cafile={crt}"
    registry.realm = other.server.url("/token")
    world.refused("tokens without https are not asked for", registry.url(), "https",
                  source=source)
    cases.result(other.server.count() == 0, "and nothing is told there")
    registry.realm = registry.server.url("/token", FAR)
    world.reads("those with it are", registry.url(), source)
    logins(world).unlink()


def hostile(world):
    registry = Registry(world.bytes)
    good, make = registry.manifest, registry.make
    layer = json.loads(good)["layers"][0]
    twice = good[:-1] + b', "layers": []}'
    index = "application/vnd.oci.image.index.v1+json"
    for name, manifest, words in (
            ("too long", good + b" " * (4 << 20), "more than 4194304 bytes"),
            ("no JSON", b"<html>", "no JSON"),
            ("an array", b"[]", "no object"),
            ("nested deeply", b'{"layers":' + b"[" * 100000 + b"]" * 100000 + b"}", "no JSON"),
            ("a member that is there twice", twice, "duplicate"),
            ("schema 1", make(schemaVersion=1), "schemaVersion"),
            ("an index", make(mediaType=index), index),
            ("no layers", make(layers=None), "0 layers"),
            ("no layer of ours", make(layer={"mediaType": "application/x"}), "0 layers"),
            ("two layers of ours", make(layers=[layer, layer]), "2 layers"),
            ("a digest that leads elsewhere", make(layer={"digest": "sha256:../../../x"}),
             "not sha256"),
            ("a digest and more", make(layer={"digest": sha256(world.bytes) + "/../x"}),
             "not sha256"),
            ("a digest with a NUL", good.replace(b"sha256:", b"sha256:\\u0000"), "NUL"),
            ("no size", make(layer={"size": None}), "size"),
            ("a size of 0", make(layer={"size": 0}), "size"),
            ("a size beyond all", make(layer={"size": 1 << 70}), "no JSON"),
            ("a size above the blob's", make(layer={"size": len(world.bytes) + 1}),
             f"the blob has {len(world.bytes)} bytes, its manifest says {len(world.bytes) + 1}"),
            ("a size below the blob's", make(layer={"size": len(world.bytes) - 1}),
             f"the blob has {len(world.bytes)} bytes"),
            ("a blob that is not there", make(layer={"digest": f"sha256:{0:064x}"}), "404")):
        registry.manifest = manifest
        world.refused(f"a manifest: {name}", registry.url(), words)
    registry.manifest = good
    world.reads("a manifest of the right digest", registry.url(f"@{sha256(good)}"))
    world.refused("one of another", registry.url(f"@{sha256(good + b' ')}"), "manifest",
                  sha256(good))
    without = json.loads(good)
    del without["mediaType"]
    registry.manifest = json.dumps(without).encode()
    world.reads("a manifest of 1.0, which need not say its type", registry.url())
    asked = {request.headers.get("accept") for request in registry.server.log
             if "/manifests/" in request.path}
    cases.result(asked == {MANIFEST}, "what is asked for is a manifest of the OCI's", asked)


def escaped(world):
    """What a server chose steers no terminal, also where no tool of ours shows it."""
    registry = Registry(world.bytes)
    registry.manifest = registry.make(mediaType="a\x1b[2Jb\u009bc\x7f")
    text = world.refused("a type with controls", registry.url(), "of type a?[2Jb??c?")
    cases.result(text.isprintable(), "is shown without", text)
    registry.server.fault = "steers"
    text = world.refused("a region with controls", registry.url(), "404")
    cases.result(text.isprintable(), "is shown without", text)


FAULTS["steers"] = says(404, b"", x_amz_bucket_region="a\x1b[2Jb", ETag="\x1b[2J")


def names(world):
    for name in ("host", "host/", "host/Name", "host/a//b", "host/../b", "host/a..b",
                 "host/a___b", "host/a:", "host/a:-",
                 "host/a:" + "t" * 129, "host/a@sha256:" + "A" * 64, "host/a@sha256:12",
                 "host/a:b/c@sha256:" + "0" * 64, "host/a:@sha256:" + "0" * 64,
                 "ho st/a", "me:s3cret@host/a"):
        text = world.refused(f"oci://{name[:20]} is no name", f"oci://{name}",
                             "oci://HOST/NAME:TAG")
        cases.result("s3cret" not in text, f"and shows nothing: {name[:8]}", text)
