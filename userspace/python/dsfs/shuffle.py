# SPDX-License-Identifier: GPL-2.0
"""Shuffle: the order of an epoch, and how far it has come.

Why: a resumed job must see the rest of its epoch, and nothing of it twice, also if it goes
on with another number of processes.  So a state is one position in an order that all
processes share, not a count of each of them: the processes of a job take turns, rank r of
world takes each world-th position, and after every step of all of them what was taken is a
prefix of the order.
"""
import operator
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import permutation

_KEYS = ("version", "n", "seed", "epoch", "position")
# Indices that are computed at once
_CHUNK = 1024

State = Dict[str, int]
TAILS = ("keep", "drop", "repeat")


def _whole(name: str, value: Any, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a whole number") from None
    if not 0 <= number <= most:
        raise ValueError(f"{name}: {number} is not in 0 ... {most}")
    return number


class Place:
    """How far a pass has come, as if all ranks had come as far."""

    def __init__(self, epoch: int, start: int, world: int, n: int) -> None:
        self.epoch = epoch
        self.start = start
        self.yielded = 0
        self._world = world
        self._n = n

    @property
    def position(self) -> int:
        return min(self._n, self.start + self.yielded * self._world)


class Shuffle(Sequence[int]):
    """The numbers below n in a random order, which is another one in each epoch.

    n		how many
    seed	0 ... 2^64 - 1; the same seed gives the same orders everywhere
    epoch	the first epoch

    shuffle[i] is computed when it is asked for, so a shuffle of any size takes some
    hundred bytes; a slice is a list, and index() tells where a number is.

    >>> from dsfs import Shuffle
    >>> shuffle = Shuffle(10 ** 9, seed=1)
    >>> shuffle.index(shuffle[123456789])
    123456789
    >>> sorted(Shuffle(8, seed=1)) == list(range(8))
    True

    An iteration is a pass over an epoch.  The first one begins where state_dict() said,
    if such a state was loaded; each later one is of the next epoch, or of that of
    set_epoch().
    """

    def __init__(self, n: int, seed: int = 0, epoch: int = 0) -> None:
        self.n = _whole("n", n, permutation.N_MAX)
        self.seed = _whole("seed", seed, permutation.SEED_MAX)
        # Where the next pass begins; None: at the epoch behind that of the last one
        self._next: Optional[Place] = None
        self._last = self._place(epoch, 0)
        self._order: Optional[permutation.Permutation] = None
        self.set_epoch(epoch)

    def _place(self, epoch: int, start: int, world: int = 1) -> Place:
        epoch = _whole("epoch", epoch, permutation.SEED_MAX)
        return Place(epoch, _whole("position", start, self.n), world, self.n)

    # --- the order ---

    def order(self) -> permutation.Permutation:
        """That of the epoch."""
        if self._order is None:
            self._order = permutation.Permutation(self.n, self.seed, self.epoch)
        return self._order

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, position: int) -> int: ...

    @overload
    def __getitem__(self, position: slice) -> List[int]: ...

    def __getitem__(self, position: Union[int, slice]) -> Union[int, List[int]]:
        if isinstance(position, slice):
            return self.order().many(range(self.n)[position])
        try:
            return self.order().at(range(self.n)[position])
        except IndexError:
            raise IndexError(f"position {position} of a shuffle of {self.n}") from None

    def __contains__(self, value: object) -> bool:
        # A range would look for what is no int at each of its places.
        try:
            return 0 <= operator.index(value) < self.n  # type: ignore[arg-type]
        except TypeError:
            return False

    def index(self, value: int, start: int = 0, stop: Optional[int] = None) -> int:
        """The position of a number."""
        if value in self:
            position = self.order().position(operator.index(value))
            if position in range(self.n)[start:stop]:
                return position
        raise ValueError(f"{value!r} is not in the shuffle of {self.n}")

    def count(self, value: object) -> int:
        return int(value in self)

    def __repr__(self) -> str:
        return f"Shuffle({self.n}, seed={self.seed}, epoch={self.epoch})"

    # --- how far it is ---

    @property
    def place(self) -> Place:
        return self._next or self._last

    @property
    def epoch(self) -> int:
        """The epoch of what comes next."""
        return self.place.epoch

    @property
    def position(self) -> int:
        """How many of the epoch are done."""
        return self.place.position

    def set_epoch(self, epoch: int) -> None:
        """The next pass is of this epoch: from its beginning, or where a state for it says."""
        if self._next is None or epoch != self._next.epoch:
            self._next = self._place(epoch, 0)
            self._order = None

    @property
    def is_set(self) -> bool:
        """Has a state or an epoch been set since the last pass began?"""
        return self._next is not None

    def upcoming(self) -> Place:
        """Where the next pass begins."""
        return self._next or self._place(self._last.epoch + 1, 0)

    def begin(self, world: int = 1, place: Optional[Place] = None) -> Place:
        """A pass begins, by world processes: where?  At place, unless set_epoch() said else."""
        if place is None or self._next is not None and self._next.epoch != place.epoch:
            place = self.upcoming()
        self._last = self._place(place.epoch, place.start, world)
        self._next = self._order = None
        return self._last

    def _read(self, state: State) -> Place:
        missing = [key for key in _KEYS if key not in state]
        if missing:
            raise ValueError(f"the state of a shuffle has no {', '.join(missing)}")
        if state["version"] != permutation.VERSION:
            raise ValueError(f"the state is of version {state['version']} of the shuffle, "
                             f"this is version {permutation.VERSION}")
        if state["n"] != self.n:
            raise ValueError(f"the state is of {state['n']} samples, "
                             f"this shuffle has {self.n}")
        return self._place(state["epoch"], state["position"])

    def state_of(self, epoch: int, position: int) -> State:
        return dict(zip(_KEYS, (permutation.VERSION, self.n, self.seed, epoch, position)))

    def state_dict(self) -> State:
        """What comes next, in five numbers: of all ranks alike, after a step of all."""
        return self.state_of(self.epoch, self.position)

    def load_state_dict(self, state: State) -> None:
        """Go on as the state says, with its seed.  Another n is a ValueError."""
        place = self._read(state)
        self.seed = _whole("seed", state["seed"], permutation.SEED_MAX)
        self._next, self._order = place, None

    def bind(self, state: State) -> Place:
        """The same for one pass: later ones are of later epochs, even if it never begins."""
        self.load_state_dict(state)
        self._last = place = self.place
        self._next = None
        return place

    def __iter__(self) -> "Pass":
        return Pass(self)


def share(left: int, rank: int, world: int, tail: str) -> int:
    """How many of the last left samples of an epoch a rank takes."""
    if tail == "keep":
        return (left - rank + world - 1) // world
    return left // world if tail == "drop" else -(-left // world)


class Pass(Iterator[int]):
    """The samples of one rank in an epoch, from a position on.

    It begins with the first sample that is asked for, since a DataLoader makes its iterators
    before the trainer says which epoch it is.

    ahead	what the numbers go through on their way: a prefetch, for one
    """

    def __init__(self, shuffle: Shuffle, rank: int = 0, world: int = 1, tail: str = "keep",
                 ahead: Callable[[Iterator[int]], Iterator[int]] = iter) -> None:
        self._shuffle = shuffle
        self._rank, self._world, self._tail = rank, world, tail
        self._ahead = ahead
        self._place: Optional[Place] = None
        self._source: Optional[Iterator[int]] = None

    def _numbers(self, order: permutation.Permutation, start: int) -> Iterator[int]:
        first = start + self._rank
        stop = first + self._world * share(order.n - start, self._rank, self._world, self._tail)
        for position in range(first, stop, self._world * _CHUNK):
            end = min(stop, position + self._world * _CHUNK)
            yield from order.many(range(position, end, self._world))

    def _begin(self) -> Iterator[int]:
        self._place = self._shuffle.begin(self._world, self._place)
        return self._ahead(self._numbers(self._shuffle.order(), self._place.start))

    def __next__(self) -> int:
        if self._source is None:
            self._source = self._begin()
        number = next(self._source)
        assert self._place is not None
        self._place.yielded += 1
        return number

    def state_dict(self) -> State:
        place = self._place or self._shuffle.upcoming()
        return self._shuffle.state_of(place.epoch, place.position)

    def load_state_dict(self, state: State) -> None:
        """Begin where a state says; not after it began."""
        if self._source is not None:
            raise RuntimeError("load_state_dict: this iterator has begun: take a new one")
        self._place = self._shuffle.bind(state)


# A DataLoader whose state is where the trainer is.  The workers of a DataLoader are some batches
# ahead, so its sampler is, too, and the loader itself has no state.  What counts for a resume is
# what came out: a number of batches, and neither workers nor processes are part of it.

def _shuffle_of(loader: Any) -> Tuple[Shuffle, int]:
    """The Shuffle of a loader, and the processes that share it."""
    for of in (loader, getattr(loader, "batch_sampler", None)):
        sampler = getattr(of, "sampler", None)
        if isinstance(sampler, Shuffle):
            return sampler, 1
        shuffle = getattr(sampler, "shuffle", None)
        if isinstance(shuffle, Shuffle):
            return shuffle, int(getattr(sampler, "world", 1))
    raise TypeError(f"{type(loader).__name__}: its sampler is no dsfs.Shuffle and no "
                    "dsfs.Sampler with one, so it has no order to resume")


def _batch_of(loader: Any) -> int:
    """The samples of a batch."""
    batches = getattr(loader, "batch_sampler", None)
    size = getattr(loader, "batch_size", None) or getattr(batches, "batch_size", None)
    if size is None and batches is not None:
        raise TypeError(f"{type(batches).__name__}: it has no batch_size, so what a number of "
                        "batches comes to is not known")
    return int(size or 1)


class Resumable:
    """loader, and state_dict() and load_state_dict() of five numbers.

    loader	a DataLoader of PyTorch whose sampler is a Shuffle, or a Sampler with one

    The state counts the batches that were yielded, whatever the workers have read ahead: in
    the loop over a Resumable the batch in hand is done.  All ranks have the same state after
    the same number of batches, so that of rank 0 is enough.  It may be loaded with another
    number of ranks, of workers, or of samples in a batch.  Other attributes are the loader's.
    """

    def __init__(self, loader: Any) -> None:
        if not getattr(loader, "in_order", True):
            raise ValueError("in_order=False: batches that come out of turn cannot be counted")
        self._loader = loader
        self._shuffle, world = _shuffle_of(loader)
        self._samples = world * _batch_of(loader)
        self._place: Optional[Place] = None

    def _begin(self, place: Place) -> Place:
        self._place = Place(place.epoch, place.start, self._samples, self._shuffle.n)
        return self._place

    def __iter__(self) -> Iterator[Any]:
        # A generator: it begins with its first batch, when the trainer has set the epoch.
        place = self._begin(self._shuffle.upcoming())
        for batch in self._loader:
            place.yielded += 1
            yield batch
        if self._place is place:
            self._begin(Place(place.epoch + 1, 0, self._samples, self._shuffle.n))

    def __len__(self) -> int:
        return len(self._loader)

    def set_epoch(self, epoch: int) -> None:
        """The next iteration is of this epoch."""
        self._shuffle.set_epoch(epoch)

    def _where(self) -> Place:
        coming = self._shuffle.upcoming()
        if self._place is None or self._shuffle.is_set and coming.epoch != self._place.epoch:
            return coming
        return self._place

    @property
    def epoch(self) -> int:
        """The epoch of what comes next."""
        return self._where().epoch

    def state_dict(self) -> State:
        """What comes next."""
        where = self._where()
        return self._shuffle.state_of(where.epoch, where.position)

    def load_state_dict(self, state: State) -> None:
        """Go on there with the next iteration."""
        self._shuffle.load_state_dict(state)
        self._place = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._loader, name)
