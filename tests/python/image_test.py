# SPDX-License-Identifier: GPL-2.0
"""Images without a mount: the same as the tree, in threads and processes, and damaged."""
import array
import errno
import io
import mmap
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from unittest import mock

try:
    from importlib.resources.abc import Traversable
except ImportError:
    from importlib.abc import Traversable

import dsfs
from dsfs import batch, handle, library
from images import ODD, TOP, ImageCase, make_image, pattern, regular_files, write


class Tree(ImageCase):
    def setUp(self):
        self.it = dsfs.Image(self.image)
        self.addCleanup(self.it.close)

    def join(self, path):
        return os.path.join(os.fsencode(self.root), os.fsencode(path))

    def contents(self, path):
        with open(self.join(path), "rb") as file:
            return file.read()

    def test_the_mapping_is_the_tree(self):
        paths = list(regular_files(os.fsencode(self.root)))
        self.assertEqual([os.fsencode(path) for path in self.it], paths)
        self.assertEqual(len(self.it), len(paths))
        items = list(self.it.items())
        self.assertEqual(len(items), len(paths))
        for path, data in items:
            self.assertEqual(data, self.contents(path), path)
            self.assertIn(path, self.it)

    def test_a_missing_key_is_a_keyerror(self):
        for path in ("gone", "gone/x", "deep", "sizes/1/x", "broken-link", "loop-link", "pipe",
                     "x" * 300, ""):
            self.assertNotIn(path, self.it)
            self.assertRaises(KeyError, self.it.__getitem__, path)
            self.assertIsNone(self.it.get(path))
        for key in 5, None, "nul\0":
            self.assertNotIn(key, self.it)

    def test_paths_are_of_any_kind(self):
        odd = os.fsdecode(b"deep/a/b/" + ODD)
        for path in odd, os.fsencode(odd), "/" + odd, "deep//a/./b/../b/" + odd[9:]:
            self.assertEqual(self.it[path], b"odd")
        self.assertEqual(self.it.listdir("deep/a/b"), [os.fsdecode(ODD)])
        self.assertEqual(self.it.listdir(b"deep/a/b"), [ODD])
        entry, = self.it.scandir(b"/deep/a/b")
        self.assertEqual((entry.name, entry.path), (ODD, b"/deep/a/b/" + ODD))
        self.assertEqual(self.it.read(entry), b"odd")
        self.assertRaises(ValueError, self.it.read, "deep\0")

    def test_walk_is_that_of_os(self):
        for follow in False, True:
            for top in "", "deep", "dir-link":
                real = [(os.path.relpath(path, self.root), set(dirs), set(files)) for
                        path, dirs, files in os.walk(os.path.join(self.root, top),
                                                     followlinks=follow)]
                ours = [(path or ".", set(dirs), set(files)) for
                        path, dirs, files in self.it.walk(top, followlinks=follow)]
                self.assertEqual(sorted(ours, key=str), sorted(real, key=str))
        self.assertEqual([path for path, _, _ in self.it.walk()],
                         ["", "deep", "deep/a", "deep/a/b", "empty", "many", "sizes"])

    def test_a_walk_with_links_in_circles_ends(self):
        root = os.path.join(self.top, "circles")
        write(f"{root}/a/b/file", b"")
        write(f"{root}/c/file", b"")
        for link, to in {"a/up": "..", "a/b/one": ".", "a/b/two": ".", "c/self": "../c",
                         "c/across": "../a/b", "a/b/across": "../../c", "alias": "a/b",
                         "again": "a/b"}.items():
            os.symlink(to, f"{root}/{link}")
        make_image(root + ".dsfs", root)
        with dsfs.Image(root + ".dsfs") as it:
            paths = [path for path, _, _ in it.walk(followlinks=True)]
            self.assertEqual(paths, ["", "a", "a/b", "a/b/across", "again", "c"])
            self.assertEqual(len(list(it.walk("a/b", followlinks=True))), 2)

    def test_walk_leaves_out_what_is_taken_out(self):
        seen = []
        for path, directories, _files in self.it.walk():
            seen.append(path)
            if "a" in directories:
                directories.remove("a")
        self.assertIn("deep", seen)
        self.assertNotIn("deep/a", seen)

    def test_a_pattern_finds_what_pathlib_finds(self):
        root = os.path.join(self.top, "patterns")
        for name in "a/b/c.jpg", "a/b/d/c.jpg", "a/.b/c.jpg", "a/c.png", "x[1]/c.jpg", "c.jpg":
            write(f"{root}/{name}", b"")
        for link, to in {"a/gone.jpg": "nowhere", "a/up": "..", "link": "a/b"}.items():
            os.symlink(to, f"{root}/{link}")
        make_image(root + ".dsfs", root)
        with dsfs.Image(root + ".dsfs") as it:
            for wanted in ("*", "*/*", "*.jpg", "a/*.jpg", "**/c.jpg", "**/*.jpg", "a/**/c.*",
                            "**/b/**/c.jpg", "gone/*", "link/c.jpg", "x[[]1]/c.jpg",
                            "?/[!c]*", "a/c.png/*", "link/*", "**/**/c.jpg", "a/./c.png"):
                real = sorted(str(path.relative_to(root)) for path in Path(root).glob(wanted))
                self.assertEqual(sorted(it.glob(wanted)), real, wanted)
            self.assertEqual(list(it.glob(b"a/*.png")), [b"a/c.png"])
            self.assertEqual(list(it.glob("a/b/**")), ["a/b/d", "a/b/c.jpg", "a/b/d/c.jpg"])
            self.assertRaises(ValueError, lambda: list(it.glob("")))

    def test_what_is_there_is_as_os_says(self):
        for path in ("", "deep", "gone", "sizes/1", "sizes/1/x", "broken-link", "loop-link", "pipe",
                     "dir-link", "file-link", "x" * 300):
            real = self.join(path)
            for ours, theirs in ((self.it.exists, os.path.exists), (self.it.isdir, os.path.isdir),
                                 (self.it.isfile, os.path.isfile), (self.it.islink, os.path.islink)):
                self.assertEqual(ours(path), theirs(real), (path, theirs))
            self.assertEqual(self.it.exists(path, follow_symlinks=False), os.path.lexists(real), path)

    def test_files_are_traversable_as_those_of_packages(self):
        root = self.it.files()
        self.assertIsInstance(root, Traversable)
        self.assertEqual(sorted(child.name for child in root.iterdir()), sorted(self.it.listdir()))
        self.assertTrue(root.is_dir() and not root.is_file())
        leaf = root / "many" / "0012"
        self.assertTrue(leaf.is_file() and not (root / "gone").is_file())
        with leaf.open() as text, leaf.open("rb") as raw:
            self.assertEqual((text.read(), raw.read()), ("12", b"12"))
        self.assertEqual((leaf.read_text(), leaf.read_bytes(), leaf.name), ("12", b"12", "0012"))
        self.assertRaises(ValueError, leaf.open, "w")

    def test_scandir_is_that_of_os(self):
        def of(entry):
            return (entry.name, entry.is_file(), entry.is_dir(), entry.is_symlink(),
                    entry.is_file(follow_symlinks=False), entry.is_dir(follow_symlinks=False))
        for path in "", "deep", "many", "empty", "dir-link":
            with os.scandir(os.path.join(self.root, path)) as entries:
                # Of this one os tells neither.
                real = sorted(of(entry) for entry in entries if entry.name != "loop-link")
            ours = [of(entry) for entry in self.it.scandir(path) if entry.name != "loop-link"]
            self.assertEqual(sorted(ours), real)
            self.assertEqual([os.fsencode(x[0]) for x in ours],
                             sorted(os.fsencode(x[0]) for x in ours))
        for entry in self.it.scandir("many"):
            self.assertEqual(entry.inode(), entry.stat().st_ino)

    def test_stat_is_that_of_os(self):
        for path in ("", "deep/a/z", "holes", "zhard", "pipe", "file-link", "dir-link",
                     "sizes/300000"):
            for follow in True, False:
                ours = self.it.stat(path, follow_symlinks=follow)
                real = os.stat(self.join(path), follow_symlinks=follow)
                for name in ("st_mode", "st_nlink", "st_uid", "st_gid", "st_mtime_ns",
                             "st_mtime", "st_rdev"):
                    self.assertEqual(getattr(ours, name), getattr(real, name), (path, name))
                if not os.path.isdir(self.join(path)):
                    self.assertEqual(ours.st_size, real.st_size, path)
        self.assertEqual(self.it.stat("holes").st_ino, self.it.stat("zhard").st_ino)
        self.assertLess(self.it.stat("holes").st_blocks * 512, 700000)

    def test_links_and_attributes(self):
        self.assertEqual(self.it.readlink("file-link"), os.fsdecode(b"deep/a/b/" + ODD))
        self.assertEqual(self.it.readlink(b"file-link"), b"deep/a/b/" + ODD)
        self.assertEqual(self.it.readlink("dir-link"), "deep/a")
        self.assertEqual(self.it.listxattr("deep/a/z"), ["user.colour", "user.empty"])
        self.assertEqual(self.it.getxattr("deep/a/z", "user.colour"), b"blue\0green")
        self.assertEqual(self.it.getxattr("deep/a/z", "user.empty"), b"")
        self.assertEqual(self.it.listxattr("deep"), [os.fsdecode(b"user." + ODD)])
        self.assertEqual(self.it.getxattr("deep", b"user." + ODD), b"odd")
        self.assertEqual(self.it.listxattr("empty"), [])
        self.assertRaises(ValueError, self.it.getxattr, "deep", "user.x\0")

    def test_errors_are_those_of_os(self):
        cases = (("gone", FileNotFoundError, self.it.read),
                 ("sizes/1/x", NotADirectoryError, self.it.read),
                 ("deep", IsADirectoryError, self.it.read),
                 ("sizes/1", NotADirectoryError, self.it.listdir),
                 ("sizes/1", NotADirectoryError, self.it.scandir),
                 ("gone", FileNotFoundError, self.it.scandir),
                 ("gone", FileNotFoundError, self.it.open),
                 ("gone", FileNotFoundError, self.it.stat))
        for path, kind, function in cases:
            with self.assertRaises(kind) as caught:
                function(path)
            self.assertEqual(caught.exception.filename, path)
            self.assertNotRegex(str(caught.exception), r"(inode|directory) \d")
        for number, function, args in ((errno.ELOOP, self.it.read, ("loop-link",)),
                                       (errno.EINVAL, self.it.readlink, ("deep",)),
                                       (errno.ENODATA, self.it.getxattr, ("deep", "user.no"))):
            with self.assertRaises(OSError) as caught:
                function(*args)
            self.assertEqual(caught.exception.errno, number)
            self.assertNotRegex(str(caught.exception), r"(inode|directory) \d")
        with self.assertRaisesRegex(FileNotFoundError, r"\[Errno 2\] No such file or directory: 'gone/x'"):
            self.it.read("gone/x")

    def test_parts_of_a_file(self):
        data = self.contents("sizes/300000")
        for position, length in ((0, 1), (32767, 2), (299999, 5), (300000, 5), (400000, 1),
                                 (5, 0), (0, 1 << 62)):
            self.assertEqual(self.it.pread("sizes/300000", length, position),
                             data[position:position + length])
        self.assertRaises(ValueError, self.it.pread, "holes", 1, -1)
        self.assertRaises(ValueError, self.it.pread, "holes", -1, 1)
        self.assertRaises(ValueError, self.it.readinto, "holes", bytearray(1), -1)
        for far in 2**63, 2**64, 2**64 + 40000:
            self.assertEqual(self.it.readinto("holes", bytearray(1), far), 0)
            self.assertEqual(self.it.pread("holes", 1, far), b"")
            with self.it.open("holes", buffering=0) as raw:
                raw.seek(far)
                self.assertEqual((raw.read(1), raw.readall()), (b"", b""))

    def test_into_a_buffer(self):
        data = self.contents("sizes/32769")
        buffer = bytearray(b"." * 40000)
        self.assertEqual(self.it.readinto("sizes/32769", buffer), 32769)
        self.assertEqual(buffer, data + b"." * (40000 - 32769))
        view = memoryview(buffer)[10:20]
        self.assertEqual(self.it.readinto("sizes/32769", view, 100), 10)
        self.assertEqual(buffer, data[:10] + data[100:110] + data[20:] + b"." * 7231)
        numbers = array.array("I", [0] * 4)
        self.assertEqual(self.it.readinto("sizes/32769", numbers), 16)
        self.assertEqual(numbers.tobytes(), data[:16])
        self.assertEqual(self.it.readinto("holes", bytearray()), 0)
        self.assertRaises(TypeError, self.it.readinto, "holes", b"constant")
        view.release()
        buffer.extend(b"nothing holds on to it")

    def test_contents_are_objects_of_their_own(self):
        first = self.it["sizes/1"]
        self.assertEqual(first, pattern(1, 1))
        self.assertEqual(bytes([first[0]]), first)
        self.assertEqual(bytes(range(256))[1:2], b"\1")
        self.assertEqual(self.it["sizes/0"], b"")

    def test_file_objects(self):
        data = self.contents("holes")
        with self.it.open("holes") as file, open(self.join("holes"), "rb") as real:
            self.assertIsInstance(file, io.BufferedReader)
            for do in (lambda f: f.read(10), lambda f: f.seek(39990), lambda f: f.read(70000),
                       lambda f: f.seek(-5, os.SEEK_END), lambda f: f.read(), lambda f: f.tell(),
                       lambda f: f.seek(800000), lambda f: f.read(5), lambda f: f.seek(3),
                       lambda f: f.seek(4, os.SEEK_CUR), lambda f: f.read(),
                       lambda f: (f.readable(), f.seekable(), f.writable())):
                self.assertEqual(do(file), do(real))
        with self.it.open("holes", buffering=0) as raw:
            self.assertEqual(raw.size, 700000)
            buffer = bytearray(50000)
            self.assertEqual(raw.readinto(buffer), 50000)
            self.assertEqual(buffer, data[:50000])
            self.assertEqual(raw.readall(), data[50000:])
            self.assertEqual(raw.read(1), b"")
            self.assertRaises(OSError, raw.seek, -1)
            self.assertRaises(ValueError, raw.seek, 0, 7)
        self.assertRaises(ValueError, raw.read)
        self.assertRaises(ValueError, raw.tell)
        self.assertRaises(ValueError, self.it.open, "holes", "wb")
        text = io.TextIOWrapper(self.it.open("many/0007"))
        self.assertEqual(text.read(), "7")

    def test_a_part_of_a_file_may_be_the_image(self):
        path = self.copy()
        with open(path, "rb") as file:
            data = file.read()
        write(path, b"x" * 8192 + data + b"y" * 4096)
        with dsfs.Image(path, offset=8192, length=len(data)) as inner:
            self.assertEqual(list(inner), list(self.it))
            self.assertEqual(inner["sizes/300000"], self.it["sizes/300000"])
            again = pickle.loads(pickle.dumps(inner))
            self.assertEqual(again["deep/a/z"], b"last")


class CompressedTree(Tree):
    """The same of compressed files, and reads from the middle of one of several units."""
    options = ("--compress=zstd",)

    @classmethod
    def fill(cls, root):
        super().fill(root)
        write(os.path.join(os.fsencode(root), b"sizes/lines"),
              b"".join(b"%d\n" % i for i in range(100000)))

    def test_a_range_is_that_of_the_file(self):
        path = "sizes/lines"
        want = self.contents(path)
        self.assertEqual(self.it[path], want)
        for at, length in (0, 1), (131071, 2), (200000, 300000), (len(want) - 5, 10):
            with self.it.open(path) as file:
                file.seek(at)
                self.assertEqual(file.read(length), want[at:at + length])
        listing = subprocess.run([TOP / "build/dump.dsfs", "--inode=/" + path, self.image],
                                 check=True, capture_output=True, text=True).stdout
        self.assertIn("packed:", listing)


class Whole(ImageCase):
    @staticmethod
    def fill(root):
        write(f"{root}/file", b"first")

    def test_what_it_says_of_itself(self):
        make_image(self.image, self.root, "--force", "--label=flowers",
                   "--uuid=12345678-1234-1234-1234-123456789abc")
        with dsfs.Image(self.image) as it:
            self.assertEqual((it.info.files, it.info.content_bytes, it.info.directories),
                             (1, 5, 1))
            self.assertEqual(str(it.info.uuid), "12345678-1234-1234-1234-123456789abc")
            self.assertEqual(it.info.label, "flowers")
            self.assertIn(repr(self.image), repr(it))
            self.assertNotEqual(it, dsfs.Image(self.image))
            self.assertEqual(it, it)
        self.assertIn("closed", repr(it))

    def test_an_older_generation(self):
        path = self.copy()
        old = dsfs.Image(path)
        os.mkdir(f"{self.top}/new")
        write(f"{self.top}/new/file", b"second!")
        make_image(path, f"{self.top}/new", "--force", tool=("dsfs", "update"))
        with dsfs.Image(path) as it:
            self.assertEqual((it.generation, it.generations(), it["file"]),
                             (2, [2, 1], b"second!"))
        with dsfs.Image(path, generation=1) as it:
            self.assertEqual((it.generation, it["file"]), (1, b"first"))
        self.assertEqual(pickle.loads(pickle.dumps(old))["file"], b"first")
        # As in a child that has to open it again
        old._handle._calls.add(library.Error())
        old._handle.after_fork()
        self.assertEqual(old["file"], b"first")
        with self.assertRaisesRegex(FileNotFoundError, "generation 3"):
            dsfs.Image(path, generation=3)
        self.assertRaises(ValueError, dsfs.Image, path, generation=0)
        # What C would cut, to another number or another text
        for more in ({"generation": 1 + 2**64}, {"offset": 2**64}, {"offset": -1}, {"length": 2**64},
                     {"length": -2**64}, {"source": "retries=0\0,digest=none"}):
            self.assertRaises(ValueError, dsfs.Image, path, **more)
        self.assertRaisesRegex(ValueError, "null", dsfs.Image, "http://127.0.0.1:1/\0@sha256:0")

    def test_another_image_at_the_same_path_is_not_taken_for_it(self):
        path = self.copy()
        data = pickle.dumps(dsfs.Image(path))
        os.unlink(path)
        make_image(path, self.root)
        with self.assertRaises(OSError) as caught:
            pickle.loads(data)
        self.assertEqual(caught.exception.errno, errno.ESTALE)

    def test_what_is_no_image(self):
        before = os.listdir("/proc/self/fd")
        write(f"{self.top}/text", b"text" * 10000)
        os.mkfifo(f"{self.top}/fifo")
        for name, number in (("gone", errno.ENOENT), ("text", errno.EINVAL),
                             ("tree", errno.EISDIR), ("fifo", errno.ENOTBLK)):
            with self.assertRaises(OSError) as caught:
                dsfs.Image(f"{self.top}/{name}")
            self.assertEqual(caught.exception.errno, number)
            self.assertEqual(caught.exception.filename, f"{self.top}/{name}")
            if name == "text":
                self.assertEqual(caught.exception.strerror, "not a DSFS image")
        del caught
        self.assertEqual(os.listdir("/proc/self/fd"), before)

    def test_nothing_is_open_when_it_is_closed(self):
        before = os.listdir("/proc/self/fd")
        it = dsfs.Image(self.image)
        file = it.open("file")
        it.close()
        it.close()
        self.assertTrue(it.closed)
        self.assertEqual(file.read(), b"first")
        file.close()
        self.assertEqual(os.listdir("/proc/self/fd"), before)
        for use in (lambda: it["file"], lambda: "file" in it, lambda: list(it), lambda: it.info,
                    it.__enter__, lambda: pickle.dumps(it)):
            self.assertRaisesRegex(ValueError, "closed", use)

    def test_each_file_is_opened_once_and_freed(self):
        lib, counts = library.load(), {}

        def counted(name):
            real = getattr(lib, name)

            def call(*args):
                counts[name] = counts.get(name, 0) + 1
                return real(*args)
            return mock.patch.object(lib, name, call)
        with counted("dsfs_file_open"), counted("dsfs_file_close"):
            with dsfs.Image(self.image) as it:
                it.read("file")
                it.read_batch(["file", "/file"])
                with it.open("file", buffering=0) as file:
                    self.assertEqual((file.read(1), file.read(1), file.read(9)),
                                     (b"f", b"i", b"rst"))
        self.assertEqual(counts, {"dsfs_file_open": 4, "dsfs_file_close": 4})

    def test_without_the_library_only_images_miss(self):
        script = ("import sys, dsfs\nlist(dsfs.ahead([]))\n"
                  "try:\n    dsfs.Image(sys.argv[1])\n"
                  "except ImportError as e:\n    print(e)\n")
        done = subprocess.run([sys.executable, "-c", script, self.image], check=True, text=True,
                              capture_output=True,
                              env={"DSFS_LIBRARY": "/nowhere.so",
                                   "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertRegex(done.stdout, "^/nowhere.so: .*DSFS_LIBRARY$")


class Damage(ImageCase):
    def spoil(self, flip):
        path = self.copy()
        with open(path, "r+b") as file:
            file.seek(flip)
            byte = file.read(1)[0]
            file.seek(flip)
            file.write(bytes([byte ^ 1]))
        return path

    def where(self, path):
        with dsfs.Image(self.image) as it:
            data = it[path]
        with open(self.image, "rb") as file:
            return file.read().index(data)

    def test_of_data(self):
        path = self.spoil(self.where("sizes/300000") + 40000)
        with dsfs.Image(path) as it:
            for read in (lambda: it["sizes/300000"], lambda: it.pread("sizes/300000", 1, 39999),
                         lambda: it.readinto("sizes/300000", bytearray(50000)),
                         lambda: it.read_batch(["sizes/1", "sizes/300000"]),
                         lambda: it.open("sizes/300000").read(), lambda: it.check(data=True)):
                with self.assertRaises(dsfs.DamageError) as caught:
                    read()
                self.assertEqual(caught.exception.errno, errno.EBADMSG)
                self.assertIn("data checksum", str(caught.exception))
            self.assertEqual(it.pread("sizes/300000", 32768, 0), pattern(32768, 300000 & 255))
            it.check()
            self.assertEqual(it["sizes/1"], pattern(1, 1))
            again = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(again), again.errno), (dsfs.DamageError, errno.EBADMSG))
        with dsfs.Image(path, verify=False) as it:
            self.assertEqual(it.pread("sizes/300000", 1, 40000)[0],
                             pattern(300000, 300000 & 255)[40000] ^ 1)
            self.assertEqual(len(pickle.loads(pickle.dumps(it))["sizes/300000"]), 300000)

    def test_a_sparse_file_that_claims_to_be_large(self):
        with dsfs.Image(self.image) as it:
            blocks, start = it.info.metadata_bytes >> 12, it.info.image_bytes - it.info.metadata_bytes
        path = os.path.join(self.top, "claim")
        subprocess.run([TOP / "build/tests/mkcorrupt", self.image, f"super both meta_bytes={1 << 37}; "
                        f"super both image_bytes={start + (1 << 37)}; region both BLOCKSUMS "
                        f"start={blocks << 12}; region both BLOCKSUMS bytes={1 << 27}", path], check=True)
        os.truncate(path, start + (1 << 37))

        def all_read():
            with open("/proc/self/io", encoding="ascii") as file:
                return int(file.read().split()[1])
        before = all_read()
        self.assertRaisesRegex(dsfs.DamageError, "checksums", dsfs.Image, path)
        self.assertLess(all_read() - before, 16 << 20)

class Batches(ImageCase):
    def setUp(self):
        self.it = dsfs.Image(self.image)
        self.addCleanup(self.it.close)

    def recorded(self, module, name, events):
        real = getattr(module, name)

        def record(*args):
            events.append((name,) + args)
            return real(*args)
        return mock.patch.object(module, name, record)

    def test_a_batch_is_one_call(self):
        paths = [f"many/{i:04}" for i in range(63, -1, -1)] + ["sizes/300000", "sizes/0"]
        calls = []
        real = handle.Handle.call

        def call(self, function, *args, **options):
            calls.append(function.__name__)
            return real(self, function, *args, **options)
        with mock.patch.object(handle.Handle, "call", call):
            data = self.it.read_batch(paths)
        self.assertEqual(data[:-2], [b"%d" % i for i in range(63, -1, -1)])
        self.assertEqual(data[-2:], [pattern(300000, 300000 & 255), b""])
        self.assertEqual([name for name in calls if "read" in name], ["dsfs_pread_many"])
        self.assertEqual({type(part) for part in data}, {bytes})

    def test_an_error_names_the_file_of_a_batch(self):
        path = self.copy()
        with open(path, "r+b") as file:
            at = file.read().index(self.it["sizes/300000"])
            file.seek(at + 1000)
            file.write(b"damage")
        with dsfs.Image(path) as it:
            with self.assertRaises(dsfs.DamageError) as caught:
                it.read_batch(["many/0001", "sizes/300000", "many/0002"])
            self.assertEqual((caught.exception.errno, caught.exception.filename),
                             (errno.EBADMSG, "sizes/300000"))
            self.assertEqual(it.read_batch(["many/0001"]), [b"1"])

    def test_a_batch_into_a_buffer_is_views_of_it(self):
        paths = ["sizes/0", "sizes/300000", "many/0007", "sizes/0", "holes", "file-link"]
        data = [self.it[path] for path in paths]
        size = sum(map(len, data))
        for buffer in bytearray(size + 9), array.array("Q", bytes(size // 8 * 8 + 16)), \
                mmap.mmap(-1, size), memoryview(bytearray(size)):
            views = self.it.read_batch(paths, into=buffer)
            self.assertEqual([bytes(view) for view in views], data)
            self.assertEqual(bytes(memoryview(buffer).cast("B")[:size]), b"".join(data))
            views[2][:1] = b"!"
            self.assertEqual(bytes(memoryview(buffer).cast("B")[300000:300001]), b"!")
            del views

        class Tensor:
            def numpy(self):
                return kept
        kept = bytearray(10)
        self.assertEqual(self.it.read_batch(["many/0012"], into=Tensor())[0].obj, kept)
        self.assertEqual(self.it.read_batch(["sizes/0"], into=bytearray())[0], b"")
        self.assertEqual(self.it.read_batch([], into=bytearray()), [])
        with self.assertRaisesRegex(ValueError, f"^into: {size - 1} bytes, {size} are needed$"):
            self.it.read_batch(paths, into=bytearray(size - 1))
        self.assertRaisesRegex(TypeError, "read-only", self.it.read_batch, paths, into=bytes(size))

    def test_the_memory_of_batches_is_kept(self):
        # 200 pages a batch, which glibc would give back and get again each time
        code = ("import dsfs, resource, sys\n"
                "it = dsfs.Image(sys.argv[1], verify=False)\n"
                "faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
                "def some(count):\n"
                "    before = faults()\n"
                "    for i in range(count): data = it.read_batch(['sizes/32769'] * 25)\n"
                "    return faults() - before\n"
                "some(5); print(some(20))\n")
        done = subprocess.run([sys.executable, "-c", code, self.image], check=True,
                              env={**os.environ, "PYTHONPATH": str(TOP / "userspace/python")},
                              capture_output=True, text=True)
        self.assertLess(int(done.stdout), 400)

    def test_one_path_is_no_list_of_them(self):
        for path in "abc", b"abc", Path("abc"):
            for call in self.it.read_batch, self.it.will_need, dsfs.read_many, dsfs.ahead:
                with self.assertRaisesRegex(TypeError, "is one path, expected a list of paths"):
                    call(path)

    def test_what_is_needed_is_asked_for(self):
        asked = []
        with mock.patch.object(handle.File, "readahead", lambda _file, *part: asked.append(part)):
            self.it.will_need(["sizes/300000", "holes"])
        self.assertEqual(asked, [(300000, 0), (self.it.stat("holes").st_size, 0)])

    def test_what_was_loaded_is_not_read_again(self):
        path = self.copy()
        with dsfs.Image(path) as it:
            it.load()
            os.truncate(path, 8192)
            real = dsfs.Image(self.image)
            self.assertEqual(list(it.walk()), list(real.walk()))
            self.assertEqual([it.stat(name) for name in it], [real.stat(name) for name in real])

    def test_advice_is_no_condition(self):
        paths = list(self.it)[:100]
        real = [self.it[path] for path in paths]
        with mock.patch.object(os, "posix_fadvise", side_effect=OSError(errno.EINVAL, "no")):
            self.it.will_need(paths)
            self.assertEqual(dsfs.read_many([self.image]), dsfs.read_many([self.image]))
        with mock.patch.object(os, "posix_fadvise"):
            del os.posix_fadvise
            self.it.will_need(paths)
        self.assertEqual(self.it.read_batch(paths), real)
        self.assertEqual(self.it.read_batch([]), [])
        self.assertRaises(FileNotFoundError, self.it.read_batch, ["many/0001", "gone"])

    def test_of_mounted_files(self):
        paths = [os.path.join(self.root, path) for path in self.it][:70]
        before = os.listdir("/proc/self/fd")
        events = []
        with self.recorded(os, "posix_fadvise", events), \
                self.recorded(batch, "_read", events):
            data = dsfs.read_many(paths)
        self.assertEqual(data, [self.it[os.path.relpath(path, self.root)] for path in paths])
        names = [event[0] for event in events]
        self.assertEqual(names, sorted(names, reverse=True))
        self.assertRaises(FileNotFoundError, dsfs.read_many, paths + ["/gone"])
        self.assertEqual(os.listdir("/proc/self/fd"), before)


def all_of(image):
    return {path: hash_of(data) for path, data in image.items()}


def hash_of(data):
    return len(data), sum(data)


def to_queue(image, results):
    results.put(all_of(image))


def forked(function):
    """What a child that is forked here returns, by a pipe."""
    read, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(write_end, repr(function()).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with open(read, encoding="ascii") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return text


class Parallel(ImageCase):
    def setUp(self):
        self.it = dsfs.Image(self.image)
        self.addCleanup(self.it.close)

    def test_eight_threads(self):
        real, found = all_of(dsfs.Image(self.image)), []
        threads = [threading.Thread(target=lambda: found.append(all_of(self.it)))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [real] * 8)

    def test_processes_that_are_forked_and_spawned(self):
        real = all_of(self.it)
        for method in "fork", "spawn":
            context = multiprocessing.get_context(method)
            results = context.Queue()
            children = [context.Process(target=to_queue, args=(self.it, results))
                        for _ in range(2)]
            for child in children:
                child.start()
            self.assertEqual([results.get(timeout=60) for _ in children], [real] * 2, method)
            for child in children:
                child.join()

    def test_a_relative_path_is_found_from_another_directory(self):
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.top)
        it = dsfs.Image("image.dsfs")
        data = pickle.dumps(it)
        os.chdir("/")
        self.assertEqual(pickle.loads(data)["deep/a/z"], b"last")

    def within_a_call(self, held):
        """A thread that is in the library until the event that is returned is set."""
        inside, leave = threading.Event(), threading.Event()

        def stay(_pointer, _error):
            inside.set()
            leave.wait()
            return 0
        thread = threading.Thread(target=lambda: held().call(stay))
        thread.start()
        inside.wait()

        def end():
            leave.set()
            thread.join()
        self.addCleanup(end)
        return end

    def test_a_child_does_not_wait_for_a_lock_of_its_parents_thread(self):
        def child():
            return (self.it._handle.pointer, self.it["deep/a/z"], file.read(),
                    self.it._handle.pointer == file.raw._file._image == before)

        def same():
            return file.read(), file.raw._file._image == self.it._handle.pointer
        before = self.it._handle.pointer
        file = self.it.open("deep/a/z")
        self.assertEqual(forked(child), repr((before, b"last", b"last", True)))
        end = self.within_a_call(lambda: self.it._handle)
        self.assertEqual(forked(child), repr((None, b"last", b"last", False)))
        self.assertEqual(forked(same), repr((b"last", True)))
        end()
        self.assertEqual(forked(child), repr((before, b"last", b"last", True)))

    def test_an_image_is_closed_when_the_last_call_has_ended(self):
        alive = weakref.ref(self.it._handle)
        end = self.within_a_call(alive)
        self.it.close()
        self.assertIsNotNone(alive())
        end()
        self.assertIsNone(alive())
