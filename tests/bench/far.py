#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
far.py IMAGE TREE NAMES LIST ROUNDS SAMPLES MS... - what tests/bench/http measures, and its rows.

IMAGE is of TREE; NAMES has many names, and contents for those in LIST.  All is measured for
each distance of MS milliseconds, the longer ones with fewer samples.
"""
import concurrent.futures
import itertools
import multiprocessing
import os
import random
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
sys.path.append(str(TOP / "tests/bench"))
os.environ["DSFS_LIBRARY"] = str(TOP / "build/libdsfs.so.0")
import dsfs
import farpeers
from dsfs.torch import ImageFolder
from nginx import Nginx

AHEAD = 512
CONNECTIONS = 64
# A data loader, as users have it
WORKERS = 8
BATCH = 32
COLD = 200
# Subjects that read all samples
ALL_READ = ("dsfs", "dsfs.Sampler", "curl")


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


def read_whole(path):
    return len(path.read_bytes())


def read_pil(path):
    """As PIL does through torchvision: pieces, up to the end."""
    total, size = 0, 4096
    fd = os.open(path, os.O_RDONLY)
    while True:
        got = len(os.read(fd, size))
        if not got:
            os.close(fd)
            return total
        total += got
        size = 61440 if size == 4096 else 65536


PATTERNS = {"PIL": read_pil, "whole": read_whole}


def by_threads(where, paths):
    """The same of a mount."""
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        return sum(pool.map(lambda path: read_whole(where / path), paths))


def from_mount(where, pattern):
    return lambda batch: sum(PATTERNS[pattern](where / path) for path in batch)


def from_image(image):
    return lambda batch: sum(map(len, image.read_batch(batch)))


# What a worker does with a batch; set before workers are forked.
READ = None


def read_one(batch):
    return READ(batch)


def loader(read, paths):
    """The workers of a data loader, each of which has a batch at a time."""
    global READ
    READ = read
    batches = [paths[at:at + BATCH] for at in range(0, len(paths), BATCH)]
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        return sum(pool.imap(read_one, batches))


def by_sampler(folder, paths):
    """What a DataLoader without workers does, with a sampler of the default window."""
    numbers = {path: i for i, (path, _target) in enumerate(folder.samples)}
    sampler = iter(dsfs.Sampler(folder, [numbers[path] for path in paths]))
    return sum(len(data) for at in range(0, len(paths), BATCH) for data, _target in
               folder.__getitems__(list(itertools.islice(sampler, BATCH))))


def timed(function, *args):
    start = time.monotonic()
    result = function(*args)
    return time.monotonic() - start, result


class Bench:
    def __init__(self, work, args, delay, few):
        self.image, self.tree, self.names = map(Path, args[:3])
        self.listed = Path(args[3]).read_text(encoding="ascii").split()
        self.rounds, count = int(args[4]), int(args[5]) // few
        self.work = Path(work) / str(delay)
        self.delay = delay
        self.serve()
        with dsfs.Image(self.image) as image:
            draw = random.Random(27)
            self.paths = draw.sample(sorted(image), count)
            self.sizes = [image.stat(path).st_size for path in self.paths]
            self.curl_config(image)
            farpeers.write_lists(self.work / "lists", "tree-bucket", image)

    def serve(self):
        web = self.work / "web"
        web.mkdir(parents=True)
        for name, path in (("set", self.image), ("names", self.names), ("tree", self.tree),
                           ("tree-bucket", self.tree)):
            os.symlink(path.resolve(), web / name)
        self.server = Nginx(web, f"{self.work}/nginx",
                            farpeers.locations(self.work / "lists"))
        self.proxy = subprocess.Popen([TOP / "build/tests/delay", self.delay,
                                       str(self.server.port)], stdout=subprocess.PIPE, text=True)
        self.base = f"http://127.0.0.1:{int(self.proxy.stdout.readline())}"

    def row(self, what, *rest):
        row(f"{what}, {self.delay} ms", *rest)

    def target(self, what, *rest):
        target(f"{what}, {self.delay} ms", *rest)

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

    def asked_by(self, read, paths):
        """Requests a sample."""
        self.server.requests()
        for path in paths:
            read(path)
        return len(self.server.requests()) / len(paths)

    def mounts(self):
        """Names and commands of what mounts the tree there, or the image."""
        there = farpeers.available()
        peers = {"rclone": farpeers.rclone, "rclone, S3": farpeers.rclone_s3,
                 "rclone, S3, full": farpeers.rclone_s3, "s3fs": farpeers.s3fs}
        # with a cache of its own, which has nothing of an earlier round
        full = ("--vfs-cache-mode=full", f"--cache-dir={tempfile.mkdtemp(dir=self.work)}")
        more = {"rclone, S3, full": full}
        return {name: command(self.base, *more.get(name, ())) for name, command in peers.items()
                if name.split(",")[0] in there}

    def all_mounts(self):
        ours = {"dsfs-fuse": ["dsfs-fuse", f"{self.base}/set"]} if farpeers.has_fuse() else {}
        return {**ours, **self.mounts()}

    def cold(self):
        """Requests of a cold sample, after all names were read."""
        with dsfs.Image(f"{self.base}/set", source=f"connections={CONNECTIONS}") as image:
            image.load()
            each = self.asked_by(image.read, self.paths[:COLD])
        row("requests of a cold sample, whole", "dsfs, Python", each, "")
        target("requests of a cold sample, Python", each, "<=", 1)
        for name, command in self.all_mounts().items():
            with farpeers.mounted(self.work / "cold", command) as where:
                for _ in os.walk(where):
                    pass
                for i, (pattern, read) in enumerate(PATTERNS.items()):
                    each = self.asked_by(lambda path: read(where / path),
                                         self.paths[i * COLD:(i + 1) * COLD])
                    row(f"requests of a cold sample, {pattern}", name, each, "")
                    if name == "dsfs-fuse":
                        target(f"requests of a cold sample, FUSE, {pattern}", each, "<=", 1)

    def listing(self):
        """What all names cost, from nothing."""
        def note(name, walk):
            self.server.requests()
            seconds, count = timed(walk)
            row(f"names of {count} files", name, seconds, "s")
            row(f"names of {count} files", name, len(self.server.requests()), "requests")

        def of_image(path):
            with dsfs.Image(f"{self.base}/{path}") as image:
                return len(image)

        def of_mount(where):
            return sum(len(files) for _path, _folders, files in os.walk(where))

        note("dsfs", lambda: of_image("set"))
        note("dsfs", lambda: of_image("names"))
        commands = self.mounts()
        if "rclone" in commands:
            commands["rclone, HEAD"] = farpeers.rclone_head(self.base)
        for name, command in commands.items():
            with farpeers.mounted(self.work / "names", command) as where:
                note(name, lambda: of_mount(where))
        if "rclone" not in commands:
            return
        with dsfs.Image(self.names) as image:
            farpeers.write_lists(self.work / "lists", "many-bucket", image)
        with farpeers.mounted(self.work / "many", farpeers.rclone_s3(
                self.base, bucket="many-bucket")) as where:
            note("rclone, S3", lambda: of_mount(where))

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
        self.row(what, "dsfs", seconds, "s")
        self.row(what, "dsfs", asked, "requests")
        self.target(f"{what}: s", seconds, "<=", 5)
        self.target(f"{what}: requests", asked, "<=", 300)

    def epochs(self):
        """The subjects by turns: their seconds, and requests of the last round."""
        spent = {name: [] for name in ("dsfs", "dsfs.Sampler", "curl", "rclone")}
        asked = {}
        for _ in range(self.rounds):
            with dsfs.Image(f"{self.base}/set", source=f"connections={CONNECTIONS}") as image:
                image.load()
                self.round("dsfs", spent, asked, window, image, self.paths)
                self.round("dsfs.Sampler", spent, asked, by_sampler,
                           ImageFolder(image, loader=bytes), self.paths)
            self.round("curl", spent, asked, self.curl)
            if "rclone" in self.mounts():
                with farpeers.mounted(self.work / "rclone", self.mounts()["rclone"]) as where:
                    self.round("rclone", spent, asked, by_threads, where,
                               self.paths[:self.counted("rclone")])
        self.tell("samples a second", "requests a sample", spent, asked)
        self.ratio(spent, "dsfs", "curl", 0.9)
        self.ratio(spent, "dsfs.Sampler", "curl", 0.9)
        if spent["rclone"]:
            self.ratio(spent, "dsfs", "rclone", 10)
            part = asked["dsfs"] / len(self.paths) / (asked["rclone"] / self.counted("rclone"))
            self.target("requests, dsfs over rclone", part, "<=", 0.333)

    def tell(self, rate, requests, spent, asked):
        for name, seconds in spent.items():
            if seconds:
                self.row(rate, name, len(self.paths) / statistics.median(seconds), "1/s")
                self.row(requests, name, asked[name] / self.counted(name), "")

    def loaders(self):
        """The workers of a data loader, by turns, over the image and over mounts."""
        for pattern in PATTERNS:
            what = f"{WORKERS} workers, {pattern}"
            spent = {name: [] for name in ("dsfs", *self.all_mounts())}
            asked = {}
            for _ in range(self.rounds):
                with dsfs.Image(f"{self.base}/set", source=f"connections={CONNECTIONS}") as image:
                    image.load()
                    self.round("dsfs", spent, asked, loader, from_image(image), self.paths)
                for name, command in self.all_mounts().items():
                    self.load_mount(name, command, pattern, spent, asked)
            self.tell(f"samples a second, {what}", f"requests a sample, {what}", spent, asked)
            for other in self.mounts():
                self.ratio(spent, "dsfs", other, 10, f", {what}")
                self.ratio(spent, "dsfs-fuse", other, 1, f", {what}")

    def load_mount(self, name, command, pattern, spent, asked):
        """Names are read before, and are not counted."""
        with farpeers.mounted(self.work / "loader", command) as where:
            for _ in os.walk(where):
                pass
            self.round(name, spent, asked, loader, from_mount(where, pattern),
                       self.paths[:self.counted(name)])

    def counted(self, name):
        # Mounts read fewer: they are slow.
        return len(self.paths) if name in ALL_READ else min(512, len(self.paths))

    def round(self, name, spent, asked, function, *args):
        self.server.requests()
        seconds, got = timed(function, *args)
        lines = self.server.requests()
        asked[name] = len(lines)
        assert name == "curl" or got == sum(self.sizes[:self.counted(name)]), (name, got)
        if name in ALL_READ:
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

    def ratio(self, spent, ours, other, limit, more=""):
        if not spent[ours]:
            return
        value = statistics.median(b / a for a, b in zip(spent[ours], spent[other]))
        self.target(f"samples a second, {ours} over {other}{more}", value, ">=", limit)

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


def measure(bench, first):
    # Counts and the cache do not depend on how far the server is.
    if first:
        bench.cold()
        bench.listing()
    bench.first_batch()
    bench.epochs()
    bench.loaders()
    if first:
        bench.cached()


def main(*args):
    with tempfile.TemporaryDirectory(dir=Path(args[0]).resolve().parent) as work:
        for i, delay in enumerate(args[6:]):
            bench = Bench(work, args, delay, 2 if i else 1)
            try:
                measure(bench, not i)
            finally:
                bench.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
