# SPDX-License-Identifier: GPL-2.0
"""How many requests are in flight: a server that holds its answers until so many are there."""
import threading

import cases
from server import Server
from world import at_once, make

FILES = 450
# A number that does not come is an error, and all goes on.
PATIENCE = 60
# What is held is not lost.
SOURCE = "backoff=1,timeout=600"


class Waves:
    """For each number, and the answer to them: so many requests are held, and then let go; 1: the
    one that came first, for each further one of the held ones.  What comes behind all is right."""

    def __init__(self, server, *waves):
        self.server, self.waves = server, list(waves)
        self.changed = threading.Condition()
        self.held, self.most, self.missing = [], [], None
        self.accepted = None

    def __call__(self, request):
        with self.changed:
            if not self.waves:
                return None
            self.held.append(request)
            self.most.append(len(self.held))
            self.go_on()
            if not self.changed.wait_for(lambda: request not in self.held, PATIENCE):
                self.missing = self.missing or (self.waves[0], len(self.held))
                self.waves.clear()
                self.release(len(self.held))
            return request.fault

    def go_on(self):
        if self.waves and len(self.held) == self.waves[0][0]:
            count, fault, released = self.waves.pop(0)
            self.accepted = self.accepted or self.server.accepted
            self.release(released or count, fault)

    def release(self, count, fault=None):
        for request in self.held[:count]:
            request.fault = fault
        del self.held[:count]
        self.changed.notify_all()


def wave(count, fault=None, released=None):
    return count, fault, released


def part(world):
    tree, image = world.work / "small", world.work / "small.dsfs"
    tree.mkdir()
    files = {f"{i:03}": b"%d small" % i * (500 + i) for i in range(FILES)}
    for name, data in files.items():
        (tree / name).write_bytes(data)
    make(image, tree)
    data = image.read_bytes()
    grows(world, data, files)
    shrinks(world, data, files)
    strangers(world, data, files)


def opened(world, data, source=SOURCE):
    server = Server({"/set": data, "/other": data})
    image = world.open(server.url("/set"), source)
    image.load()
    server.log.clear()
    return server, image


def shuffled(files):
    """An order in which those near each other in the image, which would come together, are not"""
    return [f"{i * 211 % FILES:03}" for i in range(len(files))]


def is_right(image, files, names):
    return image.read_batch(names) == [files[name] for name in names]


def grows(world, data, files):
    for limit, source in (128, SOURCE), (100, f"{SOURCE},connections=100"):
        server, image = opened(world, data, source)
        server.fault = waves = Waves(server, wave(64), wave(limit))
        good = is_right(image, files, shuffled(files))
        cases.result(good and not waves.missing and waves.accepted == 64,
                     f"64 requests in flight, and then {limit}", waves.missing, waves.accepted)
        cases.result(server.count() == FILES, f"a batch of {FILES}: {server.count()} requests")
    cases.result(server.accepted <= 100, f"at most 100: {server.accepted}")


def shrinks(world, data, files):
    """Of 64 that are refused 32 are left.  The 32 answers to them make room for one more."""
    server, image = opened(world, data)
    server.fault = waves = Waves(server, wave(64, "busy"), *31 * [wave(32, None, 1)], wave(32),
                                 wave(33), wave(34))
    good = is_right(image, files, shuffled(files))
    cases.result(good and server.count() == FILES + 64, "64 are refused: each is sent once more",
                 server.count())
    cases.result(not waves.missing and max(waves.most[64:64 + 32 + 31]) == 32,
                 "32 are in flight then, and one more for each windowful", waves.missing)


def strangers(world, data, files):
    """An image whose server holds all, and then refuses all once, beside another one"""
    server, throttled = opened(world, data)
    other = world.open(server.url("/other"), SOURCE)
    names, seen, going = shuffled(files), set(), threading.Event()

    def fault(request):
        if request.path == "/other":
            return None
        going.wait(PATIENCE)
        first = request.key not in seen
        seen.add(request.key)
        return "busy" if first else None

    server.fault = fault
    good, before = [], []

    def read(i):
        if i:
            good.append(is_right(other, files, names))
            before.append(going.is_set() or len(good) > 1)
            going.set()
            good.append(is_right(other, files, names[::-1]))
        else:
            good.append(is_right(throttled, files, names))

    at_once(2, read)
    cases.result(all(good) and before == [False], "an image beside one whose server holds all")
    cases.result(len(seen) == FILES and server.count("/set") == 2 * FILES,
                 "and that one, refused once for each, comes to its end", server.count("/set"))
