#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
peak.py FILE CMD... - run CMD, and leave in FILE what it took, as "NAME NUMBER" lines:

    wall, cpu       seconds
    resident        MiB of memory at most, pages of mapped files among them, which the kernel takes
                    back when it needs them
    anonymous       MiB of memory that is in no file, at most, of what is seen ten times a second
    read            MiB that the disk was asked for
    temporary       the same of files without a name in $TMPDIR that it has open, in MiB on disk

Exits as CMD does.
"""
import os
import subprocess
import sys
import threading
import time

TEMPORARY = os.environ.get("TMPDIR", "/var/tmp")


def anonymous(pid):
    """MiB of a process that are in no file."""
    with open(f"/proc/{pid}/status") as status:
        return max([int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon")],
                   default=0)


def temporary(pid):
    """MiB of its temporary files."""
    fds = [f"/proc/{pid}/fd/{fd}" for fd in os.listdir(f"/proc/{pid}/fd")]
    stats = [os.stat(fd) for fd in fds if os.readlink(fd).startswith(TEMPORARY + "/") and
             os.readlink(fd).endswith("(deleted)")]
    return sum(s.st_blocks for s in stats) / 2048


def watch(pid, peaks, ended):
    """Keep the largest values until the process has ended."""
    while not ended.wait(0.1):
        for look in (anonymous, temporary):
            try:
                peaks[look.__name__] = max(peaks[look.__name__], look(pid))
            except (OSError, ValueError):  # it has just closed that, or ended
                pass


def main():
    start = time.monotonic()
    process = subprocess.Popen(sys.argv[2:])
    peaks = {"anonymous": 0, "temporary": 0}
    ended = threading.Event()
    watcher = threading.Thread(target=watch, args=(process.pid, peaks, ended))
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    ended.set()
    watcher.join()
    with open(sys.argv[1], "w") as out:
        print(f"wall {time.monotonic() - start:.2f}", file=out)
        print(f"cpu {usage.ru_utime + usage.ru_stime:.2f}", file=out)
        print(f"read {usage.ru_inblock / 2048:.1f}", file=out)
        print(f"resident {usage.ru_maxrss / 1024:.1f}", file=out)
        for name, peak in peaks.items():
            print(f"{name} {peak:.1f}", file=out)
    return os.waitstatus_to_exitcode(status)


sys.exit(main())
