#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""batch - what batches of 64 cold samples cost: tests/bench/batch.

  batch.py one_by_one|read_batch|ImageFolder IMAGE PID ROUNDS

PID is the process that IMAGE lies behind.  Prints lines of a unit, a name and a number.
"""
import os
import random
import resource
import statistics
import sys
import time

from dsfs.torch import ImageFolder

BATCH = 64


def processor_time(pid):
    """Of a process with all of its threads; the clock's number is made as in libc."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def ways(path):
    folder = ImageFolder(path, loader=len)
    image = folder.image
    names = [name for name, _target in folder.samples]
    return {
        "one_by_one": lambda chosen: [image.read(names[i]) for i in chosen],
        "read_batch": lambda chosen: image.read_batch([names[i] for i in chosen]),
        "ImageFolder": folder.__getitems__,
    }, len(names)


def now(pid):
    waits = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    return time.monotonic_ns(), time.process_time_ns(), processor_time(pid), waits


def timed(function, chosen, pid):
    """Milliseconds of wall clock, own and of the process, and waits."""
    before = now(pid)
    function(chosen)
    wall, own, other, waits = (b - a for a, b in zip(before, now(pid)))
    return wall / 1e6, own / 1e6, other / 1e6, waits


def main():
    way, path, pid, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    cpu = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(0, cpu)
    for task in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(task), cpu)
    found, count = ways(path)
    fd = os.open(path, os.O_RDONLY)
    order = list(range(count))
    times = []
    for number in range(rounds):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        random.Random(number).shuffle(order)
        for at in range(0, count - BATCH + 1, BATCH):
            times.append(timed(found[way], order[at:at + BATCH], pid))
    walls, owns, _others, waits = zip(*times)
    waiting = [wall - own - other for wall, own, other, _waits in times]
    print("ms waiting", round(statistics.median(waiting), 2))
    print("ms waiting,_least", round(min(waiting), 2))
    print("ms processor_time", round(statistics.median(owns), 2))
    print("ms wall_clock", round(statistics.median(walls), 2))
    print("times waited", round(statistics.median(waits)))


if __name__ == "__main__":
    main()
