# SPDX-License-Identifier: GPL-2.0
"""dsfs-fuse over nginx."""
import os
import shutil
import signal
import subprocess
import threading
import time

import cases
from nginx import Nginx
from server import Server
from world import BUILD, has_fuse


def part(world):
    if has_fuse():
        ended(world)
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


def ended(world):
    """A server that went away: SIGTERM and umount end the daemon, and its readers, at once."""
    where = world.work / "mnt-away"
    where.mkdir()
    for name in "SIGTERM", "umount":
        server, begun = Server({"/set": world.bytes}), threading.Event()
        fuse = subprocess.Popen([BUILD / "dsfs-fuse", "-f", "-o", "timeout=600",
                                 server.url("/set"), where])
        while not os.path.ismount(where) and fuse.poll() is None:
            time.sleep(0.02)
        server.fault = lambda request, begun=begun: begun.set() or "stall"
        cat = subprocess.Popen(["cat", where / "large"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
        begun.wait()
        try:
            if name == "umount":
                cat.kill()
                cat.wait(timeout=60)
                subprocess.run(["umount", where], check=True, timeout=60)
            else:
                fuse.send_signal(signal.SIGTERM)
            told = fuse.wait(timeout=60), cat.wait(timeout=60), cat.stderr.read()
        except subprocess.SubprocessError as error:
            told = error,
            fuse.kill()
        cases.result(told[0] == 0 and told[1] and not os.path.ismount(where),
                     f"{name} ends a mount whose server does not answer", told)
        subprocess.run(["umount", "-l", where], check=False, capture_output=True)
