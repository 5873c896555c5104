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
from world import BUILD, error_of, has


class Interrupted(Exception):
    pass


def part(world):
    workers(world)
    while_reading(world)
    no_thread(world)
    interrupted(world)
    harmless(world)
    stopped(world)


def workers(world):
    """As a DataLoader's: the image is open before they are born, and the parent goes on."""
    server = Server({"/set": world.bytes})
    image = world.open(server.url("/set"))
    paths = list(world.files)
    image.will_need(paths[:40])

    def work(share, queue):
        queue.put([path for path in paths[share::4] if image[path] != world.files[path]])

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=work, args=(i, queue)) for i in range(4)]
    for child in children:
        child.start()
    mine = [path for path in paths if image[path] != world.files[path]]
    wrong = [path for child in children for path in queue.get()]
    for child in children:
        child.join()
    cases.result(not wrong and not any(child.exitcode for child in children),
                 "4 children of a process with an open image", *wrong[:5])
    cases.result(not mine, "and the process itself", *mine[:5])


def while_reading(world):
    """Forks while other threads wait for the server"""
    server = Server({"/set": world.bytes})
    image = world.open(server.url("/set"))
    image.load()
    paths = list(world.files)
    stop, wrong = threading.Event(), []

    def read():
        while not stop.is_set():
            for path in paths[::7]:
                if image[path] != world.files[path]:
                    wrong.append(path)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    ended = []
    for i in range(40):
        child = os.fork()
        if not child:
            good = all(image[path] == world.files[path] for path in paths[i::50])
            os._exit(0 if good else 1)
        ended.append(os.waitpid(child, 0)[1])
    stop.set()
    for thread in threads:
        thread.join()
    cases.result(not any(ended) and not wrong, "40 forks while 4 threads read", ended, *wrong[:5])


def no_thread(world):
    """A child that cannot start its thread, because no memory is large enough for a stack"""
    server = Server({"/set": world.bytes})
    image = world.open(server.url("/set"))
    image.load()
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
    server = Server({"/set": world.bytes})
    image = world.open(server.url("/set"), "timeout=600")
    image.load()
    begun = threading.Event()

    def fault(_request):
        begun.set()
        return "stall"

    server.fault = fault
    return server, image, begun


def signal_when(begun):
    """SIGUSR1 to this process, once a request is there"""
    def wait():
        begun.wait()
        os.kill(os.getpid(), signal.SIGUSR1)
    threading.Thread(target=wait, daemon=True).start()


def interrupted(world):
    _server, image, begun = stalled(world)

    def raise_it(*_args):
        raise Interrupted

    old = signal.signal(signal.SIGUSR1, raise_it)
    signal_when(begun)
    try:
        image.read("large")
        cases.result(False, "a signal ends a wait")
    except Interrupted:
        cases.result(True, "a signal ends a wait")
    signal.signal(signal.SIGUSR1, old)


def harmless(world):
    server, image, begun = stalled(world)
    seen = []

    def note(*_args):
        seen.append(1)
        server.fault = lambda request: None

    old = signal.signal(signal.SIGUSR1, note)
    signal_when(begun)
    good = image["large"] == world.files["large"]
    cases.result(good and seen, "one that raises nothing loses nothing")
    signal.signal(signal.SIGUSR1, old)


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
