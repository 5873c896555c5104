#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""job.py DISKS NSECS WORKERS LOADERS AHEAD - real training jobs, but for the training.
job.py DISKS NSECS first LIST AHEAD - from the mount to the samples of LIST.

torchvision's ImageFolder and PyTorch's DataLoader read an epoch from each disk of DISKS, a
file with lines NAME TYPE OPTIONS DEVICE, cold: it is mounted anew before.  The other
arguments are lists: nanoseconds that the device takes, worker processes, loaders, and
files ahead (userspace/python; 0: none).

  bytes		open().read(), nothing decoded
  pil		torchvision's default loader, a crop of 224 x 224, a tensor
  cv2		OpenCV's imread and resize to 224 x 224, a tensor

Each measurement is a line, WHAT, NAME and NAME=VALUE..., with tabs between them.  All
in one process, since to load PyTorch takes longer than an epoch.
"""
import fcntl
import itertools
import os
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import cv2
import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

import dsfs

BATCH = 25
# Samples where each takes its time: to decode, or as nobody prefetches on a slow device
FEW, SLOW = 200, 1000000
# _IOR('B', 2, struct bench_req): tests/bench/native/drivers/bench.h
REQUEST = struct.Struct("6I10Q")
BENCH_CLOCKS = 2 << 30 | REQUEST.size << 16 | ord("B") << 8 | 2
NSEC = "/sys/module/bench_disk/parameters/nsec"


def counts(disk):
    """Nanoseconds of wall and of the kernel's processor time; requests and bytes read."""
    stats = [Path(f"/sys/block/{name}/stat").read_text(encoding="ascii").split()
             for name in disk.devices]
    with open("/dev/bench", "rb", buffering=0) as bench:
        values = REQUEST.unpack(fcntl.ioctl(bench, BENCH_CLOCKS, bytes(REQUEST.size)))
    return (time.monotonic_ns(), values[9], sum(int(stat[0]) for stat in stats),
            sum(int(stat[2]) for stat in stats) * 512)


def read_bytes(path):
    with open(path, "rb") as f:
        return len(f.read())


def by_opencv(path):
    return torch.from_numpy(cv2.resize(cv2.imread(path), (224, 224)))


# How a sample is loaded, and what is done with it
LOADERS = {
    "bytes": (read_bytes, None),
    "pil": (datasets.folder.default_loader,
            transforms.Compose([transforms.CenterCrop(224), transforms.ToTensor()])),
    "cv2": (by_opencv, None),
}


def drop_caches():
    Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")


def set_nsec(nsec):
    Path(NSEC).write_text(str(nsec), encoding="ascii")


class Disk:
    def __init__(self, line):
        self.name, self.type, self.options, self.device = line.split()
        # A view has that of its image, too.
        self.devices = [os.path.basename(self.device)] + re.findall("device=/dev/(\\w+)", self.options)
        self.root = f"/mnt/fs/{self.name}"
        os.makedirs(self.root, exist_ok=True)

    def __enter__(self):
        subprocess.run(["mount", "-t", self.type, "-o", self.options, self.device, self.root],
                       check=True)
        return self

    def __exit__(self, *_exc):
        # The thread that prefetches may still have its last file open.
        for _ in range(100):
            if subprocess.run(["umount", self.root], check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise OSError(f"{self.root}: stays busy")


class ImageFolder(datasets.ImageFolder):
    """Without the folder that mke2fs makes, which holds no class."""

    def find_classes(self, directory):
        classes = [name for name in super().find_classes(directory)[0] if name != "lost+found"]
        return classes, {name: number for number, name in enumerate(classes)}


def epoch(disk, nsec, workers, loader, window):
    load, transform = LOADERS[loader]
    set_nsec(nsec)
    before = counts(disk)
    dataset = ImageFolder(disk.root, loader=load, transform=transform)
    scanned = counts(disk)
    order = torch.randperm(len(dataset), generator=torch.Generator().manual_seed(1)).tolist()
    if loader != "bytes" or nsec >= SLOW and not window:
        order = order[:FEW]
    sampler = dsfs.Sampler(dataset, order, window=window)
    data = DataLoader(dataset, BATCH, sampler=sampler, num_workers=workers)
    samples = sum(len(labels) for _, labels in data)
    after = counts(disk)
    set_nsec(0)
    wall, cpu, requests, device_bytes = (b - a for a, b in zip(scanned, after))
    return (f"wall={wall} cpu={cpu} requests={requests} device={device_bytes} files={samples} "
            f"errors=0 scan={scanned[0] - before[0]} scan_requests={scanned[2] - before[2]}")


class Kept:
    """Which files ImageFolder is to keep: those that are read, and the first of each class.

    It asks for each name it finds, so its calls are those of any scan.  All of 1.28 million
    are more pages than User Mode Linux can give a program (Documentation/performance.rst).  A class without a
    file is an error.
    """

    def __init__(self, root, paths):
        self.wanted = {f"{root}/{path}" for path in paths}
        self.folder = None
        self.asked = 0

    def __call__(self, path):
        self.asked += 1
        last, self.folder = self.folder, os.path.dirname(path)
        return self.folder != last or path in self.wanted


def first(disk, nsec, paths, window):
    """Of a job that starts: the mount, the scan and the first samples, a line each."""
    kept = Kept(disk.root, paths)
    drop_caches()
    set_nsec(nsec)
    begin = counts(disk)
    with disk:
        mounted = counts(disk)
        dataset = ImageFolder(disk.root, loader=read_bytes, is_valid_file=kept)
        scanned = counts(disk)
        at = {path: i for i, (path, _) in enumerate(dataset.samples)}
        order = [at[f"{disk.root}/{path}"] for path in paths]
        found = counts(disk)
        sampler = dsfs.Sampler(dataset, order, window=window)
        read = sum(len(labels) for _, labels in DataLoader(dataset, BATCH, sampler=sampler))
        done = counts(disk)
        set_nsec(0)
    for what, files, before, after in (("mount", 1, begin, mounted),
                                       ("scan", kept.asked, mounted, scanned),
                                       (f"{read} samples", read, found, done)):
        wall, cpu, requests, device_bytes = (b - a for a, b in zip(before, after))
        yield (f"{nsec // 1000} us, {what}, {window} ahead",
               f"wall={wall} cpu={cpu} requests={requests} device={device_bytes} "
               f"files={files} errors=0")


def every_first(disks, nsecs, paths, windows):
    for disk, nsec, window in itertools.product(disks, nsecs, windows):
        for what, values in first(disk, nsec, paths, window):
            print(f"{what}\t{disk.name}\t{values}", flush=True)


def every_epoch(disks, nsecs, workers, loaders, windows):
    for disk, nsec, count, loader, window in itertools.product(
            disks, nsecs, workers, loaders, windows):
        with disk:
            values = epoch(disk, nsec, count, loader, window)
        print(f"{nsec // 1000} us, PyTorch {loader}, {count} workers, {window} ahead\t"
              f"{disk.name}\t{values}", flush=True)


def numbers(text):
    return [int(word) for word in text.split()]


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__.strip())
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    # The same calls for all file systems
    os.environ["DSFS_PREFETCH"] = "always"
    _, disks, nsecs, workers, loaders, windows = sys.argv
    disks = [Disk(line) for line in Path(disks).read_text(encoding="ascii").splitlines()]
    if workers == "first":
        paths = Path(loaders).read_text(encoding="ascii").split()
        every_first(disks, numbers(nsecs), paths, numbers(windows))
    else:
        every_epoch(disks, numbers(nsecs), numbers(workers), loaders.split(), numbers(windows))


if __name__ == "__main__":
    main()
