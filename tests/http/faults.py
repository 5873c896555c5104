# SPDX-License-Identifier: GPL-2.0
"""A server that does wrong: no wrong byte, no hang, and an error that names object and cause."""
import collections
import os
import random
import subprocess
import threading

import cases
import hostile
from server import FAULTS, PASSING, Server, changed, says, told_as
from world import BUILD, QUICK, error_of, has

# A check that is left out is found by the first hundreds.
COUNT = 30000 if os.environ.get("DSFS_LONG", "0") != "0" else 2000
# In a row, of one range: fewer than the retries that are allowed
IN_A_ROW = 3
STALLS = 12
RETRIES = f"{QUICK},retries={IN_A_ROW + 1}"

# Not of the first request of an object
AT_FIRST = ("no_tag", "ignores_range", "other_range", "begins_early", "short_range", "packed")
# Each for ever, after the opening: what the error has to say
FOR_EVER = {
    "too_many": "429", "busy": "503", "broken": "500", "reset": "tries", "cut": "after",
    "ignores_range": "ignores Range", "other_range": "other bytes",
    "begins_early": "other bytes", "short_range": "other bytes",
    "wrong_bytes": "checksum", "packed": "Content-Encoding",
    "replaced": "replaced", "no_tag": "without ETag", "loop": "redirects", "forbidden": "403",
    "stall": "tries",
}


def part(world):
    passing(world)
    stalls(world)
    for name, words in FOR_EVER.items():
        for_ever(world, name, words)
    opening(world)
    final(world)
    replaced(world)
    gone(world)


class Plan:
    """Faults drawn by a seed, each range right again after a few."""

    def __init__(self, names, share, seed):
        self.names, self.share = names, share
        self.draw = random.Random(seed)
        self.row = collections.Counter()
        self.told = collections.Counter()
        self.lock = threading.Lock()

    def __call__(self, request):
        with self.lock:
            if self.row[request.key] >= IN_A_ROW or self.draw.random() > self.share:
                self.row[request.key] = self.row[request.key, "wrong"] = 0
                return None
            name = self.draw.choice(self.names)
            # What is opened is what the first answer says; and then a wrong range is final.
            if name in AT_FIRST and not request.range[0]:
                return None
            # What the library notices by checksums alone is asked for once more, not again
            # and again.
            if name == "wrong_bytes" and self.row[request.key, "wrong"]:
                return None
            self.row[request.key, "wrong"] |= name == "wrong_bytes"
            self.row[request.key] += 1
            self.told[name] += 1
            return name


def passing(world):
    server = Server({"/set": world.bytes})
    server.fault = plan = Plan(list(PASSING), 0.4, 1)
    draw = random.Random(2)
    paths = list(world.files)
    wrong, errors, rounds = [], [], 0
    while sum(plan.told.values()) < COUNT:
        rounds += 1
        image = world.open(server.url("/set"), RETRIES)
        draw.shuffle(paths)
        for at in range(0, len(paths), 40):
            batch = paths[at:at + 40]
            try:
                contents = image.read_batch(batch)
            except OSError as error:
                errors.append(str(error))
                continue
            wrong += [path for path, data in zip(batch, contents) if data != world.files[path]]
    cases.comment(f"{rounds} rounds, {server.count()} requests, faults: {dict(plan.told)}")
    cases.result(not wrong, f"{sum(plan.told.values())} faults of {len(plan.told)} kinds that "
                 "pass: no wrong byte", *wrong[:5])
    cases.result(not errors, "and no error", *errors[:5])
    cases.result(all(plan.told[name] for name in PASSING), "of all kinds", plan.told)


def stalls(world):
    server, image = world.served("backoff=1,timeout=1,retries=20")
    left = threading.Semaphore(STALLS)
    server.fault = lambda request: "stall" if left.acquire(blocking=False) else None
    paths = list(world.files)[:30]
    good = image.read_batch(paths) == [world.files[path] for path in paths]
    cases.result(good and not left.acquire(blocking=False), f"{STALLS} stalls: all is there")


def for_ever(world, name, words):
    server, image = world.served("backoff=1,timeout=1,retries=2", "/set?secret")
    server.fault = name
    before = server.count()
    text = error_of(image.read, "large")
    # A checksum names what it is of; the rest names the object.
    where = () if name == "wrong_bytes" else (server.url("/set"),)
    has(f"{name} for ever: {text}", text, words, *where)
    cases.result("secret" not in (text or "") and server.count() - before < 40,
                 f"{name}: tries have an end")


# What does not pass, at the opening: what the error has to say
FINAL = {
    "ignores_range": "ignores Range", "other_range": "other bytes", "short_range": "other bytes",
    "packed": "not pack it", "one_more": "other bytes", "more": "more bytes",
    "no_range": "Content-Range", "501": "501 Not Implemented", "505": "505", "511": "511",
    "405": "405", "long_header": "of headers", "headers": "of headers",
}
FAULTS.update(
    {code: says(int(code)) for code in ("501", "505", "511", "405")},
    one_more=told_as(lambda first, last: (first, last + 1)),
    more=changed(lambda body: body + b"zz", Content_Length=None),
    no_range=changed(bytes, Content_Range="bytes 0-1"),
    long_header=changed(bytes, X_Long="x" * 300000),
    headers=changed(bytes, **{f"X_{i}": "x" * 1000 for i in range(300)}))


def final(world):
    """What cannot pass is told at once, and what to do; a terminal is told of what may."""
    server = Server({"/set": world.bytes})
    for name, words in FINAL.items():
        server.fault = name
        before = server.count()
        text = error_of(world.open, server.url("/set"), "backoff=1,retries=3")
        has(f"to open it, {name}", text, words)
        cases.result(server.count() == before + 1, f"{name} is asked for once: "
                     f"{server.count() - before}")
    for name, address, words in (("nobody listens", "http://127.0.0.1:1/set", "running"),
                                 ("no such host", "http://host.invalid/set", "name right"),
                                 ("no https", f"https://127.0.0.1:{hostile.Proxy().port}/set",
                                  "port of https")):
        text = error_of(world.open, address, "retries=3,backoff=1")
        has(f"{name}: what to do", text, words)
        cases.result("tries" not in (text or ""), f"{name} is tried once", text)
    server.fault = "busy"
    told = subprocess.run(["script", "-qec", f"{BUILD}/dump.dsfs --source=retries=3,backoff=900 "
                           f"{server.url('/set')}", "/dev/null"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=False).stdout
    has("a terminal is told why it waits", told, "asked again", "503", "after 4 tries")


def opening(world):
    for name, words in ("forbidden", "403"), ("ignores_range", "ignores Range"), \
                       ("broken", "500"), ("loop", "redirects"):
        server = Server({"/set": world.bytes})
        server.fault = name
        url = server.url("/set")
        ended = world.tool("dump.dsfs", url, source="backoff=1,retries=1")
        cases.result(ended[0] == 1 and url in ended[2] and words in ended[2],
                     f"to open it, {name}: {ended[2].strip()}")


def replaced(world):
    """Another image at the same address, of the same length, by a server with If-Match."""
    server, image = world.served()
    server.objects["/set"], server.tags["/set"] = bytes(len(world.bytes)), '"two"'
    has("an object that is replaced", error_of(image.read, "large"), "replaced", server.url("/set"))
    server.objects["/set"], server.tags["/set"] = world.bytes + b"more", '"one"'
    has("one that grew under its tag", error_of(image.read, "large"), "replaced")


def gone(world):
    server, image = world.served()
    del server.objects["/set"]
    has("an object that is gone", error_of(image.read, "large"), "404", server.url("/set"))
