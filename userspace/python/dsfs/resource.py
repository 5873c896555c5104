# SPDX-License-Identifier: GPL-2.0
"""A file or directory of an image as importlib.resources has those of a package
(importlib.resources.abc.Traversable): for programs that read by such objects.
"""
import io
import posixpath
from typing import IO, TYPE_CHECKING, Any, Iterator

if TYPE_CHECKING:
    from .image import Image


class Resource:
    """A path of an image.

    >>> root = image.files()
    >>> (root / "rose" / "1.jpg").read_bytes(), root.joinpath("tulip/1.jpg").read_text()
    (b'a red rose', 'a white tulip')
    >>> sorted(child.name for child in root.iterdir() if child.is_dir())
    ['rose', 'tulip']
    """

    def __init__(self, image: "Image", path: str = "") -> None:
        self.image, self.path, self.name = image, path, posixpath.basename(path)

    def joinpath(self, *names: str) -> "Resource":
        return Resource(self.image, posixpath.join(self.path, *names))

    __truediv__ = joinpath

    def iterdir(self) -> Iterator["Resource"]:
        return (Resource(self.image, entry.path) for entry in self.image.scandir(self.path))

    def is_dir(self) -> bool:
        return self.image.isdir(self.path)

    def is_file(self) -> bool:
        return self.image.isfile(self.path)

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> IO[Any]:
        file: Any = self.image.open(self.path, "rb" if mode == "r" else mode)
        return io.TextIOWrapper(file, *args, **kwargs) if mode == "r" else file  # type: ignore[no-any-return]

    def read_bytes(self) -> bytes:
        return self.image.read(self.path)

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.read_bytes().decode(encoding)

    def __repr__(self) -> str:
        return f"<dsfs.resource.Resource {self.path!r} of {self.image!r}>"
