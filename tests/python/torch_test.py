# SPDX-License-Identifier: GPL-2.0
"""ImageFolder on an image, with a DataLoader and its workers."""
import importlib.util
import os
import pickle
from unittest import mock

import torch
from torch.utils import data

import dsfs
from dsfs.torch import EXTENSIONS, ImageFolder, pil_loader
from images import CLASSES, ImageCase, folders_of, write

COUNT = 60
ENDINGS = {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}


def ten_times(number):
    return number * 10


def as_torchvision_does(root):
    """Classes, and (path below root, class) of all samples: os.walk() is sorted and follows
    links, names are sorted, and their case does not matter."""
    samples = []
    classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    for number, name in enumerate(classes):
        for path, _, names in sorted(os.walk(os.path.join(root, name), followlinks=True)):
            samples += [(os.path.relpath(os.path.join(path, file), root), number)
                        for file in sorted(names)
                        if os.path.splitext(file)[1].lower() in ENDINGS]
    return classes, samples


class Folders(ImageCase):
    @staticmethod
    def fill(root):
        folders_of(root, COUNT)
        # Where orders differ: "a-" comes before "a/", and a capital before any.
        for path in "eel/a/1.png", "eel/a-/1.png", "eel/B.JPG", "eel/a/b/c.webp", "dog/\xff.bmp":
            write(f"{root}/{path}", path.encode())
        os.symlink("../eel/a", f"{root}/dog/linked")
        os.symlink("000.jpg", f"{root}/cat/alias.jpg")
        os.symlink("cat", f"{root}/zebra")
        write(f"{root}/top.jpg", b"of no class")

    def folder(self, **options):
        return ImageFolder(self.image, loader=bytes.decode, **options)

    def test_samples_are_those_of_torchvision(self):
        classes, samples = as_torchvision_does(self.root)
        ours = self.folder()
        self.assertEqual(ours.classes, classes)
        self.assertEqual(ours.class_to_idx, {name: i for i, name in enumerate(classes)})
        self.assertEqual(ours.samples, samples)
        self.assertEqual(ours.imgs, samples)
        self.assertEqual(ours.targets, [target for _, target in samples])
        self.assertEqual(len(ours), len(samples))
        self.assertIn(f"Number of datapoints: {len(samples)}", repr(ours))

    def test_torchvisions_own_says_the_same(self):
        if not hasattr(torch, "Tensor") or not importlib.util.find_spec("torchvision"):
            self.skipTest("no PyTorch with torchvision")
        from torchvision import datasets
        theirs, ours = datasets.ImageFolder(self.root), self.folder()
        self.assertEqual(ours.samples, [(os.path.relpath(path, self.root), target)
                                        for path, target in theirs.samples])
        self.assertEqual((ours.classes, ours.class_to_idx, ours.targets),
                         (theirs.classes, theirs.class_to_idx, theirs.targets))
        self.assertEqual(EXTENSIONS, datasets.folder.IMG_EXTENSIONS)

    def test_a_sample_is_loaded_and_transformed(self):
        ours = self.folder(transform=str.upper, target_transform=ten_times)
        index = ours.samples.index(("eel/a/1.png", 2))
        self.assertEqual(ours[index], ("EEL/A/1.PNG", 20))
        self.assertEqual(self.folder()[index], ("eel/a/1.png", 2))
        self.assertEqual(ours[-1], ours[len(ours) - 1])
        self.assertRaises(IndexError, ours.__getitem__, len(ours))

    def test_a_batch_is_read_at_once(self):
        ours = self.folder()
        indices = [5, 3, 60, 3]
        real = [ours[index] for index in indices]
        with mock.patch.object(dsfs.Image, "read", side_effect=AssertionError("one by one")), \
                mock.patch.object(dsfs.Image, "read_batch", autospec=True,
                                  side_effect=dsfs.Image.read_batch) as read_batch:
            self.assertEqual(ours.__getitems__(indices), real)
        self.assertEqual(read_batch.call_count, 1)

    def test_a_batch_in_a_buffer(self):
        ours = self.folder()
        indices = [5, 3, 60, 3]
        real = [ours[index] for index in indices]
        kept = []

        def loader(view):
            kept.append(view)
            return bytes(view).decode()
        views = ImageFolder(self.image, loader=loader, views=True)
        self.assertEqual(views.__getitems__(indices), real)
        first = kept[0].obj
        self.assertIsInstance(first, bytearray)
        self.assertEqual(views.__getitems__(indices[1:]), real[1:])
        self.assertIs(kept[-1].obj, first)
        # Another process has one of its own, and a batch that needs more memory, too.
        self.assertEqual(pickle.loads(pickle.dumps(self.folder(views=False))).samples, ours.samples)
        self.assertEqual(views.__getitems__(list(range(60))), [ours[i] for i in range(60)])
        self.assertIsNot(kept[-1].obj, first)
        self.assertTrue(ImageFolder(self.image).views and not ours.views)

    def test_what_is_a_sample_may_be_said(self):
        ours = self.folder(is_valid_file=lambda path: path.endswith("notes.txt"),
                           allow_empty=True)
        self.assertEqual(ours.samples, [("cat/notes.txt", 0), ("zebra/notes.txt", 3)])
        with self.assertRaisesRegex(FileNotFoundError, "no samples in dog, eel$"):
            self.folder(is_valid_file=lambda path: path.endswith("notes.txt"))
        with self.assertRaisesRegex(FileNotFoundError, "no folder of a class in 'eel/a/b'"):
            self.folder(root="eel/a/b")
        self.assertRaises(FileNotFoundError, self.folder, root="gone")

    def test_a_folder_further_down(self):
        with dsfs.Image(self.image) as image:
            ours = ImageFolder(image, "/eel/", loader=bytes.decode)
            self.assertEqual(ours.samples, [("eel/a/1.png", 0), ("eel/a/b/c.webp", 0),
                                            ("eel/a-/1.png", 1)])
            self.assertEqual(ours[2], ("eel/a-/1.png", 1))

    def test_metadata_is_loaded_before_there_are_workers(self):
        with mock.patch.object(dsfs.Image, "load", autospec=True) as load:
            ours = self.folder()
        load.assert_called_once_with(ours.image)

    def test_workers_that_are_forked_and_spawned(self):
        ours = self.folder(transform=str.upper)
        real = [ours[index] for index in range(len(ours))]
        for method in "fork", "spawn":
            loader = data.DataLoader(ours, batch_size=8, sampler=range(len(ours)), num_workers=2,
                                     collate_fn=list, multiprocessing_context=method)
            self.assertEqual(sum(loader, []), real, method)

    def test_it_goes_with_the_samplers_and_pickle(self):
        ours = self.folder()
        sampler = dsfs.Sampler(ours)
        self.assertEqual(sorted(sampler), list(range(len(ours))))
        again = pickle.loads(pickle.dumps(ours))
        self.assertEqual(again.samples, ours.samples)
        self.assertEqual(again[7], ours[7])
        self.assertIsInstance(ours, data.Dataset)


class Pictures(ImageCase):
    @staticmethod
    def fill(root):
        for name in CLASSES:
            write(f"{root}/{name}/1.ppm", b"P6 2 1 255\n" + b"\1\2\3\4\5\6")

    def test_pillow_is_the_loader(self):
        if not importlib.util.find_spec("PIL"):
            self.skipTest("no Pillow")
        picture, target = ImageFolder(self.image)[1]
        self.assertEqual((picture.mode, picture.size, picture.tobytes(), target),
                         ("RGB", (2, 1), b"\1\2\3\4\5\6", 1))
        self.assertRaises(OSError, pil_loader, b"no picture")
