# SPDX-License-Identifier: GPL-2.0
"""torchvision's ImageFolder on an image, without a mount and without torchvision.

The same samples, in the same order and with the same numbers of classes, as
torchvision.datasets.ImageFolder has of a mount.  PyTorch is not needed either, but if
it is there this is one of its data sets.
"""
import contextlib
import io
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from .coming import Coming
from .filesystem import PathArg
from .image import Image

try:
    from torch.utils.data import Dataset as _Dataset
except ImportError:
    _Dataset = object

# Those of torchvision
EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def pil_loader(data: bytes) -> Any:
    """A picture in RGB, by Pillow."""
    from PIL import Image as Picture
    with Picture.open(io.BytesIO(data)) as picture:
        return picture.convert("RGB")


def has_extension(path: str, extensions: Union[str, Tuple[str, ...]] = EXTENSIONS) -> bool:
    return path.lower().endswith(extensions)


class Buffers:
    """A buffer for each thread that reads at a time.

    One that is too small is left to whoever still has views of it.
    """

    def __init__(self) -> None:
        self._free: List[bytearray] = []

    def __reduce__(self) -> Tuple[Any, ...]:
        return Buffers, ()

    @contextlib.contextmanager
    def one(self, size: int) -> Iterator[bytearray]:
        buffer = self._free.pop() if self._free else bytearray()
        if len(buffer) < size:
            buffer = bytearray(size + size // 4)
        try:
            yield buffer
        finally:
            self._free.append(buffer)


class ImageFolder(_Dataset):  # type: ignore[misc]
    """A data set of a folder for each class.

    image	a dsfs.Image, or the path of one
    root	the folder in it that holds those of the classes
    transform, target_transform
		what becomes of a picture and of the number of its class
    loader	makes a picture of the bytes of a file; by Pillow, if not given
    is_valid_file
		tells of a path in the image whether it is a sample; if not given, the
		extension does
    allow_empty	a class may have no samples
    views	a batch is read into a buffer, and loader gets writable views of it, which the
		next batch overwrites, instead of bytes: so none of it is new memory.  If not
		given, that is so for the loader that is taken if none is given

    classes, class_to_idx, samples, imgs and targets are as torchvision has them; paths
    are those in the image.  A batch is read at once: PyTorch asks for one by
    __getitems__().  Of an image on a server, what a dsfs.Sampler has told of is asked for
    ahead, where the data set is read in the process of the sampler.

    >>> from dsfs.torch import ImageFolder
    >>> flowers = ImageFolder("flowers.dsfs", loader=bytes.decode)
    >>> flowers.classes, len(flowers)
    (['rose', 'tulip'], 3)
    >>> flowers[2]
    ('a white tulip', 1)
    """

    # pylint: disable=super-init-not-called
    # PyTorch's has nothing to set up.
    def __init__(self, image: Union[Image, PathArg], root: str = "",
                 transform: Optional[Callable[[Any], Any]] = None,
                 target_transform: Optional[Callable[[int], Any]] = None,
                 loader: Callable[[bytes], Any] = pil_loader,
                 is_valid_file: Optional[Callable[[str], bool]] = None,
                 allow_empty: bool = False, views: Optional[bool] = None) -> None:
        self.image = image if isinstance(image, Image) else Image(image)
        self.root = root.strip("/")
        self.transform = transform
        self.target_transform = target_transform
        self.loader = loader
        self.extensions = EXTENSIONS if is_valid_file is None else None
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = self._samples(is_valid_file or has_extension, allow_empty)
        self.targets = [target for _path, target in self.samples]
        self.imgs = self.samples
        self.views = loader is pil_loader if views is None else views
        self._buffers = Buffers()
        self.coming = Coming(self.image) if self.image.is_far else None
        # Here, and not in each worker
        self.image.load()

    def find_classes(self, directory: str) -> Tuple[List[str], Dict[str, int]]:
        """The classes in a folder of the image, and their numbers."""
        classes = sorted(entry.name for entry in self.image.scandir(directory)
                         if entry.is_dir())
        if not classes:
            raise FileNotFoundError(f"{self.image!r}: no folder of a class in {directory!r}")
        return classes, {name: number for number, name in enumerate(classes)}

    def _files(self, folder: str) -> Iterable[str]:
        # In torchvision's order: folders by their paths, then names.
        for path, _directories, names in sorted(self.image.walk(folder, followlinks=True)):
            for name in sorted(names):
                yield os.path.join(path, name)

    def _samples(self, is_valid: Callable[[str], bool],
                 allow_empty: bool) -> List[Tuple[str, int]]:
        samples: List[Tuple[str, int]] = []
        empty = []
        for name in sorted(self.class_to_idx):
            before = len(samples)
            target = self.class_to_idx[name]
            samples += [(path, target) for path in self._files(os.path.join(self.root, name))
                        if is_valid(path)]
            if len(samples) == before:
                empty.append(name)
        if empty and not allow_empty:
            which = f": extensions are {' '.join(self.extensions)}" if self.extensions else ""
            raise FileNotFoundError(f"{self.image!r}: no samples in {', '.join(empty)}{which}")
        return samples

    def _sample(self, data: bytes, target: int) -> Tuple[Any, Any]:
        picture = self.loader(data)
        if self.transform is not None:
            picture = self.transform(picture)
        return picture, target if self.target_transform is None else self.target_transform(target)

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Tuple[Any, Any]:
        path, target = self.samples[index]
        if self.coming:
            self.coming.reading(path)
        return self._sample(self.image.read(path), target)

    def __getitems__(self, indices: Sequence[int]) -> List[Tuple[Any, Any]]:
        """A batch: all of its files are asked for before the first is waited for."""
        chosen = [self.samples[index] for index in indices]
        if self.coming and chosen:
            self.coming.reading(chosen[0][0])
        paths = [path for path, _target in chosen]
        if not self.views:
            return [self._sample(data, target) for data, (_path, target) in
                    zip(self.image.read_batch(paths), chosen)]
        with self._buffers.one(sum(self.image.stat(path).st_size for path in paths)) as buffer:
            return [self._sample(data, target) for data, (_path, target) in
                    zip(self.image.read_batch(paths, into=buffer), chosen)]

    def __repr__(self) -> str:
        return (f"Dataset {type(self).__name__}\n    Number of datapoints: {len(self)}\n"
                f"    Root location: {self.image!r}, {self.root!r}")
