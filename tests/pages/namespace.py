# SPDX-License-Identifier: GPL-2.0
"""
namespace.py PAGE BLOCK... - run the blocks of Python that a page prints, one behind the other,
with what the page takes for granted: a job's own names.  PyTorch is the stub of tests/python.
A loader or a sampler that a block makes is read to its end.  Run by tests/pages/type.
"""
import sys
import traceback
import types
from pathlib import Path

from torch.utils.data import BatchSampler, DataLoader, SequentialSampler
from torch.utils.data.distributed import DistributedSampler

PATHS = sorted(str(path) for path in Path("/srv/imagenet/train").rglob("*.JPEG"))


class ImageFolder:
    """What torchvision's has and samplers look at; a picture is its bytes."""

    def __init__(self, root, transform=None):
        self.samples = [(str(path), 0) for path in sorted(Path(root).rglob("*.JPEG"))]
        assert self.samples, root
        self.images = self.masks = [path for path, _ in self.samples]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return Path(self.samples[index][0]).read_bytes(), 0


def state_of(n):
    """What a job has saved that reads the page for the first time."""
    return {"version": 1, "n": n, "seed": 7, "epoch": 0, "position": n // 2}


def job(page):
    """The names that a job of this page has already."""
    names = {"DataLoader": DataLoader, "transform": None, "epoch": 0}
    if page == "training":
        names.update(ImageFolder=ImageFolder, start=4096, length=8192)
    if page == "python":
        dataset = ImageFolder("/srv/imagenet/train")
        names.update(dataset=dataset, shuffled_paths=PATHS,
                     DistributedSampler=lambda data: DistributedSampler(data, 2, 0),
                     batches=BatchSampler(SequentialSampler(dataset), 4, False), rank=0, world=1,
                     epochs=2, train=len, checkpoint={"loader": state_of(len(dataset))},
                     transform=lambda picture: picture.size, paths=["rose/1.jpg"], starts=[0],
                     ends=[10], torchvision=types.ModuleType("torchvision"))
    return names


def main(page, *blocks):
    names = job(page)
    for block in blocks:
        text = Path(block).read_text()
        name = f"{page}:{Path(block).stem.split('-')[1]}: {text.splitlines()[0]}"
        before = dict(names)
        try:
            exec(compile(text, block, "exec"), names)
            for made in "loader", "sampler":
                if names.get(made) is not before.get(made) and hasattr(names[made], "__iter__"):
                    assert list(names[made]), made
        except Exception:
            for line in traceback.format_exc().splitlines():
                print("#", line)
            print("not ok -", name, flush=True)
            return 1
        print("ok -", name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
