# SPDX-License-Identifier: GPL-2.0
"""Forks and signals."""
import ctypes
import errno
import multiprocessing
import os
import signal
import subprocess
import threading

import cases
from server import Server
from world import BUILD, at_once, error_of, has, make

FORKS = 40 if os.environ.get("DSFS_LONG", "0") != "0" else 12


class Interrupted(Exception):
    pass


def part(world):
    workers(world)
    while_reading(world)
    no_thread(world)
    interrupted(world)
    behind_another(world)
    harmless(world)
    stopped(world)


def workers(world):
    """As a DataLoader's: the image is open before they are born, and the parent goes on."""
    _server, image = world.served(load=False)
    paths = list(world.files)
    image.will_need(paths[:40])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=lambda share: queue.put(world.wrong(image, share)),
                                args=(paths[i::4],)) for i in range(4)]
    for child in children:
        child.start()
    mine = world.wrong(image)
    wrong = [path for child in children for path in queue.get()]
    for child in children:
        child.join()
    cases.result(not wrong and not any(child.exitcode for child in children),
                 "4 children of a process with an open image", *wrong[:5])
    cases.result(not mine, "and the process itself", *mine[:5])


def while_reading(world):
    """Forks while other threads wait for the server"""
    _server, image = world.served()
    paths = list(world.files)
    stop, wrong, ended = threading.Event(), [], []

    def read():
        while not stop.is_set():
            wrong.extend(world.wrong(image, paths[::7]))

    def fork():
        for i in range(FORKS):
            child = os.fork()
            if not child:
                os._exit(1 if world.wrong(image, paths[i::50]) else 0)
            ended.append(os.waitpid(child, 0)[1])
        stop.set()

    at_once(5, lambda i: read() if i else fork())
    cases.result(len(ended) == FORKS and not any(ended) and not wrong,
                 f"{FORKS} forks while 4 threads read", ended, *wrong[:5])


def no_thread(world):
    """A child that cannot start its thread, because no memory is large enough for a stack"""
    _server, image = world.served()
    out, to = os.pipe()
    child = os.fork()
    if not child:
        libc = ctypes.CDLL(None)
        attributes = ctypes.create_string_buffer(64)
        libc.pthread_attr_init(attributes)
        libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(1 << 60))
        libc.pthread_setattr_default_np(attributes)
        os.write(to, str(error_of(image.read, "large")).encode())
        os._exit(0)
    os.waitpid(child, 0)
    has("a child without a thread says why", os.read(out, 4096).decode(), "bytes",
        os.strerror(errno.EAGAIN))
    os.close(out)
    os.close(to)


def stalled(world):
    server, image = world.served("timeout=600")
    begun = threading.Event()

    def fault(_request):
        begun.set()
        return "stall"

    server.fault = fault
    return server, image, begun


def with_signal(begun, handler, function):
    """A call in which SIGUSR1 comes to this process, once a request is there.  It comes until
    it is noticed: the call may not wait yet when the server has the request."""
    noticed = threading.Event()

    def send():
        begun.wait()
        while not noticed.wait(0.05):
            os.kill(os.getpid(), signal.SIGUSR1)

    def notice(*_args):
        if not noticed.is_set():
            noticed.set()
            handler()

    old = signal.signal(signal.SIGUSR1, notice)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        return function()
    finally:
        sender.join()
        signal.signal(signal.SIGUSR1, old)


def interrupted(world):
    _server, image, begun = stalled(world)

    def raise_it():
        raise Interrupted

    try:
        with_signal(begun, raise_it, lambda: image.read("large"))
        cases.result(False, "a signal ends a wait")
    except Interrupted:
        cases.result(True, "a signal ends a wait")


def behind_another(world):
    """What is waited for is another thread's request."""
    tree, names = world.work / "long-names", world.work / "long-names.dsfs"
    tree.mkdir()
    for i in range(8000):
        (tree / f"{i:04}{7 ** (i % 997 + 240)}"[:200]).touch()
    make(names, tree)
    for name, more in ("a sample of the cache", f",cache-dir={world.work / 'behind'}"), \
                      ("metadata", ""):
        server, begun = Server({"/set": world.bytes if more else names.read_bytes()}), \
            threading.Event()
        image = world.open(server.url("/set"), f"timeout=20,retries=0{more}")
        if more:
            image.load()
        server.fault = lambda _request, begun=begun: begun.set() or "stall"

        def call(image=image, more=more):
            return image.read("large") if more else image.stat(f"{4000:04}{7 ** 252}"[:200])

        other = threading.Thread(target=error_of, args=(call,), daemon=True)
        other.start()

        def raise_it(other=other):
            raise Interrupted(other.is_alive())

        begun.wait(60)
        try:
            ended = with_signal(begun, raise_it, call)
        except (Interrupted, OSError) as error:
            ended = error
        cases.result(str(ended) == "True", f"a signal ends a wait for another thread: {name}",
                     ended)


def harmless(world):
    server, image, begun = stalled(world)
    seen = []

    def note():
        seen.append(1)
        server.fault = None

    good = with_signal(begun, note, lambda: image["large"] == world.files["large"])
    cases.result(good and seen, "one that raises nothing loses nothing")


def stopped(world):
    """^C of a command that waits for a server"""
    server = Server({"/set": world.bytes})
    begun = threading.Event()

    def fault(request):
        if request.range[0] == 0:
            return None
        begun.set()
        return "stall"

    server.fault = fault
    fsck = subprocess.Popen([BUILD / "fsck.dsfs", "--source", "timeout=600", server.url("/set")],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            # what a shell runs in the background ignores it
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    begun.wait()
    fsck.send_signal(signal.SIGINT)
    cases.result(fsck.wait() & 32, "SIGINT ends fsck.dsfs while it waits", fsck.returncode)
