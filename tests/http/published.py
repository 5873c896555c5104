# SPDX-License-Identifier: GPL-2.0
"""servers.rst, how to publish, as it is printed: each block, in one shell, with real servers."""
import json
import os
import shutil
import subprocess
import sys

import cases
from nginx import Nginx
from registry import PROGRAMS as REGISTRY, DockerRegistry
from world import BUILD, TOP

PAGE = TOP / "Documentation/servers.rst"
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
        cases.skip("servers.rst", f"not installed: {missing}")
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
                     f"servers.rst, the block at line {file.stem.partition('-')[2]}",
                     ended.stderr[-600:])
    kept(world, environment, ended)


def kept(world, environment, ended):
    """Three lists, whose generations share what did not change, and an object that is named by its
    digest; which none replaces"""
    folder = world.folder / "sets/flowers"
    lists = sorted(path.name for path in folder.glob("*.list"))
    checked = [world.tool("fsck.dsfs", folder / name)[0] for name in lists]
    cases.result(lists == ["flowers-1.list", "flowers-2.list", "flowers.list"] and not any(checked),
                 "the lists of both generations, and of the newest", lists, checked)
    first, second = ([piece["name"] for piece in json.loads((folder / name).read_text())["pieces"]]
                     for name in lists[:2])
    cases.result(len(second) == len(first) + 2 and second[1:len(first)] == first[1:],
                 "all but the head of the first is in the second", first, second)
    name = next(folder.glob("*.dsfs")).stem
    again = subprocess.run(["bash", "-c", "rclone copyto --ignore-existing /etc/passwd "
                            f"store:sets/flowers/{name}.dsfs"], env=environment, check=False)
    checked = world.tool("fsck.dsfs", folder / f"{name}.dsfs")
    cases.result(world.digest(folder / f"{name}.dsfs") == f"dsfs1-data:{name}" and
                 again.returncode == 0 and checked[0] == 0,
                 "the object has the digest that it is named by, and is not replaced")
    listed = sum(line.startswith("/class-0/new.bin") for line in ended.stdout.splitlines())
    cases.result(listed == 3, "the new file is listed of the object and of the registry, twice, and "
                 "not of the older generation", listed, ended.stdout[:300])
