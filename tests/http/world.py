# SPDX-License-Identifier: GPL-2.0
"""An image, what is in it, and the tools."""
import os
import random
import subprocess
import threading
from pathlib import Path

import cases
from server import Server

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
# Nothing waits long here, and a lost request is noticed soon.
QUICK = "backoff=1,timeout=2"


class World:
    def __init__(self, work):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("MAKEFLAGS", "MAKELEVEL")}
        subprocess.run(["make", "-s", "lib", "tools"], cwd=TOP, check=True, env=environment)
        self.work = Path(work)
        self.folder = self.work / "served"
        self.tree = self.work / "tree"
        self.image = self.folder / "set.dsfs"
        self.folder.mkdir()
        self.make_tree()
        make(self.image, self.tree, "--digest")
        self.bytes = self.image.read_bytes()

    def make_tree(self):
        """Samples of a cat's and a dog's size, holes, and a large one."""
        self.files = {}
        draw = random.Random(27)
        for i in range(400):
            size = draw.choice((3, 900, 4096, 30000, 32768, 65537, 110000))
            # No two are the same: they would be one request.
            self.files[f"class-{i % 4}/{i}.bin"] = b"%03d" % i + draw.randbytes(size - 3)
        self.files["twins/1"] = self.files["twins/2"] = draw.randbytes(20000)
        self.files["large"] = draw.randbytes(3 << 20)
        self.files["holes"] = bytes(100000) + b"data" * 5000 + bytes(300000) + b"end"
        for path, data in self.files.items():
            target = self.tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def tool(self, name, *args, source=None, **options):
        """What a tool, with words behind its name, wrote to both outputs, and how it ended"""
        name, *words = name.split()
        more = ["--source", source] if source else []
        done = subprocess.run([BUILD / name, *words, *more, *args], capture_output=True,
                              check=False, **options)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace")

    def digest(self, where):
        return self.tool("dsfs digest", where)[1].decode().strip()

    def open(self, url, source=QUICK, **options):
        import dsfs
        return dsfs.Image(url, source=source, **options)

    def served(self, source=QUICK, path="/set", load=True):
        """A server of the image, and the image opened there, its metadata loaded"""
        server = Server({"/set": self.bytes})
        image = self.open(server.url(path), source)
        if load:
            image.load()
        return server, image

    def wrong(self, image, paths=None):
        """Those of all samples, or of some, that are not what they should be; they are read
        in an order of its own."""
        paths = list(paths or self.files)
        random.shuffle(paths)
        return [path for path in paths if image[path] != self.files[path]]

    def right(self, image):
        return not self.wrong(image)

    def reads(self, name, where, source=QUICK):
        """A case: an image, or the one at an address, holds the right bytes."""
        found = []
        text = error_of(lambda: found.append(
            (self.open(where, source) if isinstance(where, str) else where)["large"]))
        return cases.result(found == [self.files["large"]], name, text)

    def refused(self, name, where, *words, source=QUICK):
        """A case: it cannot be opened, and the error, which is returned, has the words."""
        text = error_of(self.open, where, source)
        has(name, text, *words)
        return text or ""


class Environment:
    """What is set in it is gone behind it."""

    def __init__(self, **variables):
        self.variables = variables

    def __enter__(self):
        self.before = dict(os.environ)
        os.environ.update(self.variables)

    def __exit__(self, *_error):
        os.environ.clear()
        os.environ.update(self.before)


def make(image, tree, *options):
    subprocess.run([BUILD / "mkfs.dsfs", "--quiet", *options, image, tree], check=True)


def certificate(folder, host, name):
    """One for HOST, and its key, in files that are called by NAME"""
    key, crt = folder / f"{host}-key.pem", folder / f"{host}-crt.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", f"/CN={host}", "-addext", f"subjectAltName={name}",
                    "-keyout", key, "-out", crt], check=True, capture_output=True)
    return crt, key


def has_fuse():
    return not os.geteuid() and os.path.exists("/dev/fuse") and (BUILD / "dsfs-fuse").exists()


def at_once(count, function):
    """function(i) by that many threads; returns when all have ended."""
    threads = [threading.Thread(target=function, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def error_of(function, *args, **options):
    """The text of the OSError that a call raises; None if it raises none."""
    try:
        function(*args, **options)
    except OSError as error:
        return str(error)
    return None


def has(name, text, *words):
    """A case: a text holds all words."""
    missing = [word for word in words if word not in (text or "")]
    return cases.result(not missing, name, f"text: {text}", f"missing: {missing}")
