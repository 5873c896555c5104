#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""fuse-epoch - what one epoch through a daemon of FUSE costs.

  fuse-epoch.py cached|evicted IMAGE DIR READER... -- DAEMON...

Starts DAEMON, which stays in the foreground and mounts IMAGE on DIR; has the bytes of IMAGE
in the page cache or not; runs READER; unmounts.  Prints nanoseconds: of wall clock while
READER ran, of processor time of READER and of DAEMON meanwhile; and bytes that DAEMON
had from storage meanwhile.

Why not time(1): the daemon works before and after as well, and its processor time is known
to the nanosecond while it lives (clock_getcpuclockid(3)).
"""
import os
import resource
import subprocess
import sys
import time

PIECE = 1 << 20


def evict(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def fill(path):
    with open(path, "rb", buffering=0) as f:
        while f.read(PIECE):
            pass


def processor_time(pid):
    """Of a process with all of its threads; the clock's number is made as in libc."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def from_storage(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as f:
        return int(dict(line.split(": ") for line in f)["read_bytes"])


def children_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return int((usage.ru_utime + usage.ru_stime) * 1e9)


def epoch(pid, reader):
    before = time.monotonic_ns(), children_time(), processor_time(pid), from_storage(pid)
    told = subprocess.run(reader, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = time.monotonic_ns(), children_time(), processor_time(pid), from_storage(pid)
    if "errors=0" not in told.split():
        sys.exit(f"fuse-epoch: the reader says: {told}")
    return [b - a for a, b in zip(before, after)]


def main():
    state, image, folder = sys.argv[1:4]
    split = sys.argv.index("--")
    reader, daemon = sys.argv[4:split], sys.argv[split + 1:]
    with subprocess.Popen(daemon) as process:
        while not os.path.ismount(folder):
            if process.poll() is not None:
                sys.exit(f"fuse-epoch: {daemon[0]} ended with {process.returncode}")
            time.sleep(0.01)
        try:
            (fill if state == "cached" else evict)(image)
            print(*epoch(process.pid, reader))
        finally:
            subprocess.run(["umount", folder], check=True)


if __name__ == "__main__":
    main()
