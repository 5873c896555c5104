#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
far.py IMAGE TREE NAMES LIST ROUNDS SAMPLES MS - what tests/bench/http measures, and its rows.

IMAGE is of TREE; NAMES has many names, and contents for those in LIST.
"""
import concurrent.futures
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
# This folder has a part named http, and Python a package.
sys.path[0:1] = [str(TOP / "tests/http"), str(TOP / "userspace/python")]
os.environ["DSFS_LIBRARY"] = str(TOP / "build/libdsfs.so.0")
import dsfs
from nginx import Nginx

AHEAD = 512
CONNECTIONS = 64


def row(what, subject, value, unit):
    print("row", "http", "-", what, subject, f"{value:.6g}", unit, sep="\t", flush=True)


def target(what, value, sign, limit):
    print("target", "http", "-", what, f"{value:.6g}", sign, limit, sep="\t", flush=True)


def window(image, paths):
    """An epoch, some samples ahead: bytes that came."""
    total = 0
    image.will_need(paths[:AHEAD])
    for i, path in enumerate(paths):
        image.will_need(paths[i + AHEAD:i + AHEAD + 1])
        total += len(image.read(path))
    return total


def by_threads(where, paths):
    """The same of a mount."""
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        return sum(pool.map(lambda path: len((where / path).read_bytes()), paths))


def timed(function, *args):
    start = time.monotonic()
    result = function(*args)
    return time.monotonic() - start, result


class Bench:
    def __init__(self, work, args):
        self.image, self.tree, self.names = map(Path, args[:3])
        self.listed = Path(args[3]).read_text(encoding="ascii").split()
        self.rounds, count, delay = int(args[4]), int(args[5]), args[6]
        self.work = Path(work)
        os.mkdir(f"{work}/web")
        for name, path in (("set", self.image), ("names", self.names), ("tree", self.tree)):
            os.symlink(path.resolve(), f"{work}/web/{name}")
        self.server = Nginx(f"{work}/web", f"{work}/nginx")
        self.proxy = subprocess.Popen([TOP / "build/tests/delay", delay, str(self.server.port)],
                                      stdout=subprocess.PIPE, text=True)
        self.base = f"http://127.0.0.1:{int(self.proxy.stdout.readline())}"
        with dsfs.Image(self.image) as image:
            draw = random.Random(27)
            self.paths = draw.sample(sorted(image), count)
            self.sizes = [image.stat(path).st_size for path in self.paths]
            self.curl_config(image)

    def curl_config(self, image):
        """The ranges of the samples, as curl takes them."""
        self.ranges = []
        with open(self.work / "ranges", "w", encoding="ascii") as config:
            for path in self.paths:
                extents = image._file(path).extents()
                first, last = extents[0], extents[-1]
                self.ranges.append((first[1], last[1] + last[2] - 1))
                # A range is of all addresses up to the next "next".
                config.write("next\n" if len(self.ranges) > 1 else "")
                config.write(f'url="{self.base}/set"\nrange={first[1]}-{last[1] + last[2] - 1}\n'
                             'output=/dev/null\nsilent\n')

    def end(self):
        self.proxy.terminate()
        self.proxy.wait()
        self.server.stop()

    def curl(self):
        subprocess.run(["curl", "-sS", "--no-progress-meter", "--parallel",
                        "--parallel-max", str(CONNECTIONS), "-K", self.work / "ranges"], check=True)

    def cold(self):
        """Requests of a cold sample."""
        few = self.paths[:200]
        with dsfs.Image(f"{self.base}/set", source=f"connections={CONNECTIONS}") as image:
            image.load()
            self.server.requests()
            for path in few:
                image.read(path)
            each = len(self.server.requests()) / len(few)
        row("requests of a cold sample", "dsfs, Python", each, "")
        target("requests of a cold sample, Python", each, "<=", 1)
        if os.geteuid() or not os.path.exists("/dev/fuse"):
            return
        where = self.work / "mnt"
        where.mkdir()
        subprocess.run([TOP / "build/dsfs-fuse", f"{self.base}/set", where], check=True)
        try:
            self.server.requests()
            for path in few:
                (where / path).read_bytes()
            each = len(self.server.requests()) / len(few)
        finally:
            subprocess.run(["umount", where], check=True)
        row("requests of a cold sample", "dsfs-fuse, whole", each, "")
        target("requests of a cold sample, FUSE", each, "<=", 1)

    def first_batch(self):
        spent = []
        asked = 0
        for _ in range(self.rounds):
            self.server.requests()
            start = time.monotonic()
            with dsfs.Image(f"{self.base}/names") as image:
                got = image.read_batch(self.listed)
            spent.append(time.monotonic() - start)
            asked = len(self.server.requests())
            assert sum(map(len, got)) == 115712 * len(self.listed)
        seconds = statistics.median(spent)
        what = f"first batch of {len(self.listed)}, 1.28 million files"
        row(what, "dsfs", seconds, "s")
        row(what, "dsfs", asked, "requests")
        target(f"{what}: s", seconds, "<=", 5)
        target(f"{what}: requests", asked, "<=", 300)

    def epochs(self):
        """The subjects by turns: their seconds, and requests of the last round."""
        mounted = self.work / "rclone"
        mounted.mkdir()
        spent = {"dsfs": [], "curl": [], "rclone": []}
        asked = {}
        for _ in range(self.rounds):
            with dsfs.Image(f"{self.base}/set", source=f"connections={CONNECTIONS}") as image:
                image.load()
                self.round("dsfs", spent, asked, window, image, self.paths)
            self.round("curl", spent, asked, self.curl)
            if shutil.which("rclone") and not os.geteuid():
                self.rclone(mounted, spent, asked)
        n = len(self.paths)
        for name, seconds in spent.items():
            if seconds:
                row("samples a second", name, n / statistics.median(seconds), "1/s")
                row("requests a sample", name, asked[name] / self.counted(name), "")
        self.ratio(spent, "curl", 0.9)
        if spent["rclone"]:
            self.ratio(spent, "rclone", 10)
            part = asked["dsfs"] / n / (asked["rclone"] / self.counted("rclone"))
            target("requests, dsfs over rclone", part, "<=", 0.333)

    def counted(self, name):
        # rclone reads fewer: it is slow.
        return min(500, len(self.paths)) if name == "rclone" else len(self.paths)

    def round(self, name, spent, asked, function, *args):
        self.server.requests()
        seconds, got = timed(function, *args)
        lines = self.server.requests()
        asked[name] = len(lines)
        assert name == "curl" or got == sum(self.sizes[:self.counted(name)])
        if name != "rclone":
            self.same_bytes(name, lines)
        spent[name].append(seconds * len(self.paths) / self.counted(name))

    def same_bytes(self, name, lines):
        """Whoever asks for other ranges than the samples' is not compared."""
        ranges = [line.split()[2].partition("=")[2].split("-") for line in lines]
        got = sorted((int(first), int(last)) for first, last in ranges)
        if got != sorted(self.ranges):
            sys.exit(f"far: {name}: {len(set(got))} ranges, {sum(b - a + 1 for a, b in got)} bytes"
                     f", and not {len(self.ranges)}, "
                     f"{sum(b - a + 1 for a, b in self.ranges)} bytes")

    def rclone(self, where, spent, asked):
        daemon = subprocess.Popen(["rclone", "mount", f":http,url='{self.base}/tree':", where,
                                   "--read-only", "--config=/dev/null", "--http-no-head"],
                                  stderr=subprocess.DEVNULL)
        try:
            while not os.path.ismount(where):
                if daemon.poll() is not None:
                    sys.exit("far: rclone mount ended")
            self.round("rclone", spent, asked, by_threads, where,
                       self.paths[:self.counted("rclone")])
        finally:
            subprocess.run(["umount", where], check=False)
            daemon.terminate()
            daemon.wait()

    def ratio(self, spent, other, limit):
        ratios = [b / a for a, b in zip(spent["dsfs"], spent[other])]
        value = statistics.median(ratios)
        row("samples a second, dsfs over it", other, value, "")
        target(f"samples a second, dsfs over {other}", value, ">=", limit)

    def cached(self):
        source = f"connections={CONNECTIONS},cache-dir={self.work}/cache"
        with dsfs.Image(f"{self.base}/set", source=source) as image:
            image.load()
            window(image, self.paths)
        ratios = []
        with dsfs.Image(f"{self.base}/set", source=source) as far, dsfs.Image(self.image) as here:
            far.load()
            here.load()
            window(here, self.paths)
            window(far, self.paths)
            self.server.requests()
            for _ in range(self.rounds):
                local, _got = timed(window, here, self.paths)
                ratios.append(local / timed(window, far, self.paths)[0])
        asked = len(self.server.requests())
        row("second epoch by the cache", "dsfs", asked, "requests")
        row("second epoch by the cache, over a local image", "dsfs", statistics.median(ratios), "")
        target("second epoch by the cache: requests", asked, "<=", 0)
        target("second epoch by the cache, over a local image", statistics.median(ratios), ">=", 0.9)


def main(*args):
    with tempfile.TemporaryDirectory(dir=Path(args[0]).resolve().parent) as work:
        bench = Bench(work, args)
        try:
            bench.cold()
            bench.first_batch()
            bench.epochs()
            bench.cached()
        finally:
            bench.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
