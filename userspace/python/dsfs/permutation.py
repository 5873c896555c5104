# SPDX-License-Identifier: GPL-2.0
"""A permutation of range(n) that needs no list: each of its values is computed on its own.

Why: a shuffled list of a billion indices takes 8 GB in each process, and a job that resumes
has to make it again.  Here a place in the order is a number, and the same key gives the same
order to all processes, on every machine and with every version of Python.

The construction is the generalized Feistel network with cycle walking of J. Black and
P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002.  A number is a pair of
(left, right) below (a, b), with a * b just above n.  A round adds to one half a function of
the other; what comes out at n or above is enciphered again.  The function of a round is a
number of the generator SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014), whose seed
for each round comes from SHA-256 of the key.

It is to shuffle, not to hide: nobody has looked for attacks on so small a cipher.
Documentation/design.rst defines each step; another order needs another VERSION.
"""
import functools
import hashlib
import math
import struct
from typing import Any, List, Tuple

VERSION = 1
N_MAX = (1 << 63) - 1
SEED_MAX = (1 << 64) - 1
# Halves of a few values need more rounds until each order is as likely as any other.
FEW = 1 << 16
ROUNDS_FEW, ROUNDS = 24, 12
# From here on an array is faster.
_ARRAY_MIN = 32

_MASK = (1 << 64) - 1
_GAMMA = 0x9e3779b97f4a7c15


@functools.lru_cache(maxsize=None)
def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _seeds(n: int, seed: int, epoch: int) -> Tuple[int, ...]:
    """The seed of each round."""
    rounds = ROUNDS_FEW if n < FEW else ROUNDS
    stream = b""
    for block in range(rounds // 4):
        message = struct.pack("<16s5Q", b"dsfs.Shuffle", VERSION, n, seed, epoch, block)
        stream += hashlib.sha256(message).digest()
    return struct.unpack(f"<{rounds}Q", stream)


# The next two take ints, and arrays of numpy.uint64, which wrap at 64 bits by themselves.

def _draw(seed: int, number: Any) -> Any:
    """One of the numbers of SplitMix64 with a seed."""
    z = (seed + (number + 1) * _GAMMA) & _MASK
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & _MASK
    return z ^ (z >> 31)


class Permutation:
    """Of range(n), by a seed and the number of an epoch."""

    def __init__(self, n: int, seed: int, epoch: int) -> None:
        self.n = n
        self._seeds = _seeds(n, seed, epoch)
        self._a = math.isqrt(n - 1) + 1 if n else 1
        self._b = -(-n // self._a)

    def _forward(self, value: Any) -> Any:
        a, b = self._a, self._b
        left, right = value // b, value % b
        for i in range(0, len(self._seeds), 2):
            left = (left + _draw(self._seeds[i], right) % a) % a
            right = (right + _draw(self._seeds[i + 1], left) % b) % b
        return left * b + right

    def _backward(self, value: int) -> int:
        a, b = self._a, self._b
        left, right = divmod(value, b)
        for i in range(len(self._seeds) - 2, -1, -2):
            right = (right - _draw(self._seeds[i + 1], left)) % b
            left = (left - _draw(self._seeds[i], right)) % a
        return left * b + right

    def at(self, position: int) -> int:
        """The value at a position; both are below n."""
        value: int = self._forward(position)
        while value >= self.n:
            value = self._forward(value)
        return value

    def position(self, value: int) -> int:
        """The position that a value is at."""
        position = self._backward(value)
        while position >= self.n:
            position = self._backward(position)
        return position

    def many(self, positions: range) -> List[int]:
        """The values at positions, of which those from n on are counted from 0 again."""
        numpy = _numpy() if len(positions) >= _ARRAY_MIN else None
        if numpy is None:
            return [self.at(position % self.n) for position in positions]
        values = numpy.arange(positions.start, positions.stop, positions.step, numpy.uint64)
        values = self._forward(values % self.n)
        outside = values >= self.n
        while outside.any():
            values[outside] = self._forward(values[outside])
            outside = values >= self.n
        result: List[int] = values.tolist()
        return result
