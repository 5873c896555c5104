#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
orders.py TREE WINDOW PIECE SHARD - figures of the orders of dsfs order, one a line:
what, whose, the value and its unit, with tabs between them.

The files of TREE have no places, so the order of the device is that of their names.
Compared with it are a true shuffle, Python's random.shuffle, dsfs.Shuffle, windows of pieces,
and a shuffle buffer over shards: the shards are read in random order, and each file that is
drawn from the buffer at random is replaced by the next one.
"""
import os
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "userspace/python"))

BATCH = 256
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size_of(text):
    return int(text[:-1]) * UNITS[text[-1]]


def listed(tree, *options):
    done = subprocess.run(["build/dsfs", "order", "-0", "--seed=1", *options, tree],
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split("\0")[:-1]


def windows(order, sizes, window):
    """The parts of an order, which end at multiples of the size of a window."""
    total, part = 0, []
    end = window
    for i in order:
        part.append(i)
        total += sizes[i]
        if total >= end:
            yield part
            part, end = [], (total // window + 1) * window
    if part:
        yield part


def python_shuffle(n):
    order = list(range(n))
    random.Random(1).shuffle(order)
    return order


def keyed_shuffle(n):
    import dsfs
    return dsfs.Shuffle(n, seed=1)[:]


def shuffle_buffer(sizes, window, shard):
    draw = random.Random(1)
    shards = list(windows(range(len(sizes)), sizes, shard))
    draw.shuffle(shards)
    stream = [i for part in shards for i in part]
    room = window * len(sizes) // sum(sizes)
    held, order = stream[:room], []
    for i in stream[room:]:
        k = draw.randrange(len(held))
        order.append(held[k])
        held[k] = i
    draw.shuffle(held)
    return order + held


def places_of(order):
    places = [0] * len(order)
    for place, i in enumerate(order):
        places[i] = place
    return places


def rank_correlation(places):
    n = len(places)
    return 1 - 6 * sum((p - i) ** 2 for i, p in enumerate(places)) / n / (n * n - 1)


def classes_in_batches(order, classes):
    batches = len(order) // BATCH
    return sum(len({classes[i] for i in order[b * BATCH:(b + 1) * BATCH]})
               for b in range(batches)) / batches


def neighbour_distance(places):
    n = len(places)
    return sum(abs(a - b) for a, b in zip(places, places[1:])) / (n - 1) / n


def pieces(order, sizes, window):
    """Runs of neighbours, a file, if each window is read in the order of the device."""
    runs = 0
    for part in windows(order, sizes, window):
        part.sort()
        runs += 1 + sum(b != a + 1 for a, b in zip(part, part[1:]))
    return runs / len(order)


def main(tree, window_text, piece, shard):
    window = size_of(window_text)
    files = listed(tree, "--sorted")
    number = {path: i for i, path in enumerate(files)}
    sizes = [os.stat(path).st_size for path in files]
    classes = [os.path.dirname(path) for path in files]

    def numbers(*options):
        return [number[path] for path in listed(tree, *options)]

    orders = {
        "true_shuffle": numbers("--window=all"),
        "random.shuffle": python_shuffle(len(files)),
        "dsfs.Shuffle": keyed_shuffle(len(files)),
        "this_order": numbers(f"--window={window_text}", f"--piece={piece}"),
        "shuffle_buffer": shuffle_buffer(sizes, window, size_of(shard)),
    }

    def row(what, subject, value, unit):
        print(f"window {window_text}, pieces {piece}: {what}\t{subject}\t{value:.6g}\t{unit}")

    for subject, order in orders.items():
        places = places_of(order)
        row("rank correlation", subject, rank_correlation(places), "-")
        row("classes in a batch of 256", subject, classes_in_batches(order, classes), "classes")
        row("distance of neighbours", subject, neighbour_distance(places), "of all")
    # shards are read from end to end, whatever the buffer
    for subject in "true_shuffle", "random.shuffle", "dsfs.Shuffle", "this_order":
        row("pieces of the device", subject, pieces(orders[subject], sizes, window),
            "pieces/file")


if __name__ == "__main__":
    main(*sys.argv[1:])
