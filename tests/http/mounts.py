# SPDX-License-Identifier: GPL-2.0
"""dsfs-fuse over nginx."""
import shutil
import subprocess

import cases
from nginx import Nginx
from world import has_fuse


def part(world):
    if not has_fuse() or not shutil.which("nginx", path="/usr/sbin:/usr/bin"):
        cases.skip("fuse", "not root, no /dev/fuse, no libfuse 3 or no nginx")
        return
    server = Nginx(world.folder, world.work / "nginx-fuse")
    where = world.work / "mnt"
    where.mkdir()
    try:
        whole(world, server, where)
    finally:
        subprocess.run(["umount", "-l", where], check=False, capture_output=True)
        server.stop()


def whole(world, server, where):
    url = server.url("/set.dsfs?token=secret")
    ended = world.tool("dsfs-fuse", "-o", "connections=16,backoff=1", url, where)
    cases.result(ended[0] == 0, "mounts", ended[2])
    server.requests()
    subprocess.run(["find", where, "-size", "+100k"], check=True, capture_output=True)
    cases.result(not server.requests(), "names and attributes cost no request")
    with open("/proc/mounts") as mounts:
        line = [line for line in mounts if str(where) in line]
    cases.result(line and "set.dsfs" in line[0] and "secret" not in line[0],
                 "the list of mounts has the address without its query", *line)
    small = [path for path in world.files if path not in ("large", "twins/2")]
    good = all((where / path).read_bytes() == world.files[path] for path in small)
    asked = server.requests()
    cases.result(good and len(asked) == len(small),
                 f"{len(small)} cold samples: {len(asked)} requests")
    cases.result((where / "large").read_bytes() == world.files["large"], "a large file")
    cases.result(subprocess.run(["umount", where], check=False).returncode == 0, "unmounts")
    ended = world.tool("dsfs-fuse", server.url("/none?token=secret"), where)
    cases.result(ended[0] == 32 and "404" in ended[2] and "secret" not in ended[2],
                 "no such image", ended[2])
