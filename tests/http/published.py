# SPDX-License-Identifier: GPL-2.0
"""publishing.rst as it is printed: each of its blocks, in one shell, with real servers."""
import os
import shutil
import subprocess
import sys

import cases
from nginx import Nginx
from registry import PROGRAMS as REGISTRY, DockerRegistry
from world import BUILD, TOP

PAGE = TOP / "Documentation/publishing.rst"
PROGRAMS = ("nginx", "rclone", "curl", *REGISTRY)


def blocks(world):
    """The files of the blocks, in the order of the page"""
    out = world.work / "blocks"
    out.mkdir()
    subprocess.run([sys.executable, TOP / "tests/pages/blocks", TOP / "tests/pages/table", PAGE,
                    out], check=True)
    return sorted(out.iterdir())


def folders(world):
    """What the page calls /srv, with some of the samples, and the folder to be in"""
    home = world.work / "publisher"
    for name in "flowers", "flowers-new":
        shutil.copytree(world.tree / "class-0", home / "srv" / name / "class-0")
    (home / "srv/flowers-new/class-0/new.bin").write_bytes(b"new")
    return home


def part(world):
    path = f"{os.environ['PATH']}:/usr/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if missing:
        cases.skip("publishing.rst", f"not installed: {missing}")
        return
    server = Nginx(world.folder, world.work / "nginx-published")
    registry = DockerRegistry(world.work / "registry-published")
    try:
        typed(world, {"https://data.example.org": server.url(""),
                      "/srv/": f"{folders(world)}/srv/",
                      # which has no certificate here
                      "docker://": "--dest-tls-verify=false docker://",
                      "registry.example.org": registry.host})
    finally:
        server.stop()
        registry.stop()


def typed(world, names):
    """A shell that ends with the first command that fails; it says which blocks it has done."""
    text = "set -euo pipefail\n"
    files = blocks(world)
    for file in files:
        body = file.read_text()
        for name, here in names.items():
            body = body.replace(name, here)
        text += f"{body}\nprintf '%s\\n' 'done {file.stem}' >&2\n"
    environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}",
                   "RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_STORE_TYPE": "alias",
                   "RCLONE_CONFIG_STORE_REMOTE": str(world.folder)}
    ended = subprocess.run(["bash", "-c", text], cwd=world.work / "publisher", env=environment,
                           capture_output=True, check=False, text=True)
    for file in files:
        cases.result(f"done {file.stem}" in ended.stderr.splitlines(),
                     f"publishing.rst, the block at line {file.stem.partition('-')[2]}",
                     ended.stderr[-600:])
    kept(world, environment, ended)


def kept(world, environment, ended):
    """Two objects, of which neither was replaced, and the word which is the newest"""
    folder = world.folder / "sets/flowers"
    names = sorted(path.stem for path in folder.glob("*.dsfs"))
    latest = (folder / "latest").read_text().strip()
    digests = [world.digest(folder / f"{name}.dsfs") for name in names]
    cases.result(len(names) == 2 and latest in names and
                 digests == [f"dsfs1-data:{name}" for name in names],
                 "each object has the digest that it is named by", names, digests, latest)
    again = subprocess.run(["bash", "-c", "rclone copyto --ignore-existing /etc/passwd "
                            f"store:sets/flowers/{latest}.dsfs"], env=environment, check=False)
    checked = world.tool("fsck.dsfs", folder / f"{latest}.dsfs")
    cases.result(again.returncode == 0 and checked[0] == 0,
                 "and none is replaced by what comes later")
    listed = sum(line.startswith("/class-0/new.bin") for line in ended.stdout.splitlines())
    cases.result(listed == 2, "the new file is listed of the newest in the registry, twice, and "
                 "not of the older generation", listed, ended.stdout[:300])
