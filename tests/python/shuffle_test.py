# SPDX-License-Identifier: GPL-2.0
"""Shuffle: what its order is, how random it is, and what a state of it is good for."""
import hashlib
import itertools
import json
import math
import pickle
import tracemalloc
import unittest
from unittest import mock

import dsfs
from dsfs import permutation, shuffle
from dsfs.permutation import Permutation

BILLION = 10 ** 9
SIZES = 0, 1, 2, 3, 4, 10, 16, 17, 255, 1000, 4096


class SplitMix64:
    """The generator, a number after the other."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) % 2 ** 64
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2 ** 64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2 ** 64
        return z ^ z >> 31


def by_the_document(n, seed, epoch):
    """Version 1 as Documentation/design.rst defines it, by tables."""
    a = math.ceil(math.sqrt(n))
    b = math.ceil(n / a)
    rounds = 24 if n < 65536 else 12
    words = b"".join(hashlib.sha256(
        b"dsfs.Shuffle\0\0\0\0" + b"".join(v.to_bytes(8, "little")
                                           for v in (1, n, seed, epoch, block))).digest()
                     for block in range(6))
    tables = []
    for i in range(rounds):
        generator = SplitMix64(int.from_bytes(words[8 * i:8 * i + 8], "little"))
        tables.append([generator.next() for _ in range(a if i % 2 else b)])

    def encipher(x):
        left, right = x // b, x % b
        for i, table in enumerate(tables):
            if i % 2:
                right = (right + table[left]) % b
            else:
                left = (left + table[right]) % a
        return left * b + right

    for x in range(n):
        x = encipher(x)
        while x >= n:
            x = encipher(x)
        yield x


class Order(unittest.TestCase):
    def test_it_is_the_one_of_the_document(self):
        # Another order needs another version: this is what keeps the states of old jobs.
        self.assertEqual(permutation.VERSION, 1)
        for n, seed, epoch in ((1, 0, 0), (6, 1, 0), (1000, 7, 3), (65535, 2 ** 64 - 1, 1),
                               (70000, 5, 2 ** 40)):
            self.assertEqual(list(dsfs.Shuffle(n, seed, epoch)),
                             list(by_the_document(n, seed, epoch)), n)

    def test_each_number_comes_once(self):
        for n in SIZES:
            self.assertEqual(sorted(dsfs.Shuffle(n, seed=3)), list(range(n)))

    def test_with_and_without_numpy_it_is_the_same(self):
        if permutation._numpy() is None:
            self.skipTest("no numpy")
        for n in 40, 65535, 65536, 10 ** 6 + 1, BILLION, 2 ** 62, permutation.N_MAX:
            order = Permutation(n, 2 ** 64 - 1, 2)
            for at in range(0, 3), range(n - 40, n), range(n - 5, n + 60, 2), \
                    range(0, n, n // 39):
                with mock.patch.object(permutation, "_numpy", lambda: None):
                    self.assertEqual(Permutation(n, 2 ** 64 - 1, 2).many(at), order.many(at), n)

    def test_seeds_epochs_and_sizes_have_their_own(self):
        seen = {tuple(dsfs.Shuffle(n, seed, epoch)[:12])
                for n, seed, epoch in itertools.product((1000, 1001), range(8), range(8))}
        self.assertEqual(len(seen), 128)

    def test_where_a_number_is(self):
        for n in 1, 2, 7, 1000, BILLION, permutation.N_MAX:
            order = dsfs.Shuffle(n, 9, 9)
            for at in {0, n // 2, n - 1}:
                self.assertEqual(order.index(order[at]), at)
        self.assertRaisesRegex(ValueError, "7 is not in the shuffle of 7",
                               dsfs.Shuffle(7).index, 7)
        self.assertIn(6, dsfs.Shuffle(7))
        self.assertNotIn(-1, dsfs.Shuffle(7))
        self.assertNotIn("1", dsfs.Shuffle(BILLION))

    def test_it_is_a_sequence(self):
        order = dsfs.Shuffle(100, 4)
        numbers = list(order)
        order.set_epoch(0)
        self.assertEqual(len(order), 100)
        self.assertEqual([order[i] for i in range(-100, 100)], numbers * 2)
        self.assertEqual((order[90:], order[:3], order[::-7]),
                         (numbers[90:], numbers[:3], numbers[::-7]))
        self.assertRaisesRegex(IndexError, "100 of a shuffle of 100", lambda: order[100])
        self.assertEqual(list(pickle.loads(pickle.dumps(order))), numbers)

    def test_wrong_numbers_are_refused(self):
        for error, text, args in ((ValueError, "n: -1 is not in", (-1,)),
                                  (ValueError, "n: 9223372036854775808", (2 ** 63,)),
                                  (TypeError, "n: 1.5 is not a whole", (1.5,)),
                                  (ValueError, "seed: -1", (1, -1)),
                                  (TypeError, "seed: 'a'", (1, "a")),
                                  (ValueError, "epoch: -1", (1, 1, -1))):
            self.assertRaisesRegex(error, text, dsfs.Shuffle, *args)


class Size(unittest.TestCase):
    """A billion samples: in steps, not in seconds."""

    def steps_of(self, function):
        real = permutation._draw
        with mock.patch.object(permutation, "_draw", side_effect=real) as draw:
            function()
        return draw.call_count

    def test_an_index_and_its_place_take_a_few_steps(self):
        order = dsfs.Shuffle(BILLION, 1)
        for at in 0, BILLION // 3, BILLION - 1:
            # Twelve rounds; once more where what came out was above.
            self.assertLessEqual(self.steps_of(lambda: order.index(order[at])), 48)

    def resume(self):
        order = dsfs.Shuffle(BILLION)
        order.load_state_dict(dict(dsfs.Shuffle(BILLION, 1, 5).state_dict(),
                                   position=987654321))
        return next(iter(order))

    def test_a_resume_takes_as_many_as_it_does_at_the_beginning(self):
        few = self.steps_of(self.resume)
        self.assertLessEqual(few, 24 * 1024)
        self.assertEqual(self.resume(), dsfs.Shuffle(BILLION, 1, 5)[987654321])

    def test_it_takes_less_than_a_megabyte(self):
        self.resume()
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        order = dsfs.Shuffle(BILLION, 1)
        order.index(order[123])
        for _ in itertools.islice(dsfs.Sampler(None, order, paths=lambda i: None), 5000):
            pass
        self.resume()
        self.assertLess(tracemalloc.get_traced_memory()[1], 10 ** 6)
        self.assertLess(len(json.dumps(order.state_dict())), 100)


class Ranks(unittest.TestCase):
    def test_what_all_took_is_a_prefix(self):
        order = dsfs.Shuffle(103, 5)[:]
        for world in 1, 2, 3, 8, 103, 200:
            passes = [iter(dsfs.Sampler(None, dsfs.Shuffle(103, 5), paths=lambda i: None,
                                        rank=rank, world=world)) for rank in range(world)]
            turns = itertools.chain(*itertools.zip_longest(*passes))
            self.assertEqual([i for i in turns if i is not None], order)

    def lengths(self, tail, world=4, n=10):
        samplers = [dsfs.Sampler(None, dsfs.Shuffle(n, 5), paths=lambda i: None, rank=rank,
                                 world=world, tail=tail) for rank in range(world)]
        lists = [list(sampler) for sampler in samplers]
        self.assertEqual([len(x) for x in samplers], [len(x) for x in lists])
        turns = itertools.chain(*itertools.zip_longest(*lists))
        return [len(x) for x in lists], [i for i in turns if i is not None]

    def test_tails(self):
        order = dsfs.Shuffle(10, 5)[:]
        self.assertEqual(self.lengths("keep"), ([3, 3, 2, 2], order))
        self.assertEqual(self.lengths("drop"), ([2] * 4, order[:8]))
        self.assertEqual(self.lengths("repeat"), ([3] * 4, order + order[:2]))
        order = dsfs.Shuffle(3, 5)[:]
        self.assertEqual(self.lengths("repeat", 7, 3), ([1] * 7, order * 2 + order[:1]))
        self.assertEqual(self.lengths("drop", 7, 3), ([0] * 7, []))

    def test_wrong_ones_are_refused(self):
        for text, options in (("rank: 2 is not in 0 ... 1, of a world of 2",
                               {"rank": 2, "world": 2}),
                              ("rank: 0 is not in 0 ... -1", {"world": 0}),
                              ("tail: 'cut' is none of keep, drop, repeat", {"tail": "cut"})):
            self.assertRaisesRegex(ValueError, text, dsfs.Sampler, None, dsfs.Shuffle(9),
                                   paths=[], **options)
        self.assertRaisesRegex(TypeError, "world and tail are for a Shuffle: range says",
                               dsfs.Sampler, None, range(9), paths=[], world=2)


def after(count, order):
    source = iter(order)
    return [next(source) for _ in range(count)]


class States(unittest.TestCase):
    def both(self):
        order = dsfs.Shuffle(50, 7)
        yield order
        # What is prefetched has not come.
        yield dsfs.Sampler(None, dsfs.Shuffle(50, 7), paths=lambda i: None, window=9)

    def test_they_say_what_comes_next(self):
        expected = dsfs.Shuffle(50, 7, 2)[:]
        for order in self.both():
            order.set_epoch(2)
            begun = after(20, order)
            state = json.loads(json.dumps(order.state_dict()))
            self.assertEqual(state, {"version": 1, "n": 50, "seed": 7, "epoch": 2,
                                     "position": 20})
            for other in dsfs.Shuffle(50), \
                    dsfs.Sampler(None, dsfs.Shuffle(50, 1), paths=lambda i: None, window=3):
                other.load_state_dict(state)
                self.assertEqual(other.state_dict(), state)
                # As trainers do, once they have loaded a state
                other.set_epoch(2)
                self.assertEqual(begun + list(other), expected)
                self.assertEqual(list(other), dsfs.Shuffle(50, 7, 3)[:])

    def test_of_iterators(self):
        for order in self.both():
            source = iter(order)
            begun = [next(source) for _ in range(20)]
            state = source.state_dict()
            again = iter(order)
            again.load_state_dict(state)
            self.assertEqual(again.state_dict(), state)
            # Before the epoch was known to the trainer
            self.assertEqual(begun + list(again), dsfs.Shuffle(50, 7)[:])
            self.assertRaisesRegex(RuntimeError, "has begun", again.load_state_dict, state)

    def test_an_iterator_with_a_state_that_is_not_used_is_a_pass(self):
        # So does StatefulDataLoader, if an epoch had ended: it makes a second iterator.
        order = dsfs.Shuffle(50, 7)
        iter(order).load_state_dict(dict(order.state_dict(), epoch=4, position=50))
        self.assertEqual(list(order), dsfs.Shuffle(50, 7, 5)[:])

    def test_an_epoch_may_be_set_until_an_iterator_begins(self):
        # As StatefulDataLoader does it: the sampler gets its state, then the iterator; only
        # then does a trainer tell the epoch.
        state = dict(dsfs.Shuffle(50, 7, 4).state_dict(), position=20)
        for epoch, start in (4, 20), (5, 0):
            for order in self.both():
                order.load_state_dict(state)
                source = iter(order)
                source.load_state_dict(state)
                order.set_epoch(epoch)
                self.assertEqual(list(source), dsfs.Shuffle(50, 7, epoch)[start:])
                self.assertEqual(list(order), dsfs.Shuffle(50, 7, epoch + 1)[:])

    def test_each_pass_is_an_epoch(self):
        for order in self.both():
            passes = [list(order), after(5, order), list(order)]
            self.assertEqual(passes, [dsfs.Shuffle(50, 7)[:], dsfs.Shuffle(50, 7, 1)[:5],
                                      dsfs.Shuffle(50, 7, 2)[:]])
            order.set_epoch(1)
            self.assertEqual(list(order), dsfs.Shuffle(50, 7, 1)[:])
            order.set_epoch(1)
            self.assertEqual(list(order), dsfs.Shuffle(50, 7, 1)[:])

    def test_another_epoch_leaves_the_place(self):
        order = dsfs.Shuffle(50, 7)
        order.load_state_dict(dict(order.state_dict(), epoch=4, position=30))
        order.set_epoch(5)
        self.assertEqual(list(order), dsfs.Shuffle(50, 7, 5)[:])

    def test_an_epoch_that_is_set_does_not_change_a_pass(self):
        order = dsfs.Shuffle(5000, 7)
        source = iter(order)
        begun = [next(source) for _ in range(3)]
        order.set_epoch(9)
        self.assertEqual(begun + list(source), dsfs.Shuffle(5000, 7)[:])

    def test_wrong_ones_are_refused(self):
        good = dsfs.Shuffle(50).state_dict()
        for text, change in (("state is of 51 samples, this shuffle has 50", {"n": 51}),
                             ("of version 2 of the shuffle, this is version 1", {"version": 2}),
                             ("position: 51 is not in 0 ... 50", {"position": 51}),
                             ("position: -1", {"position": -1}), ("epoch: -1", {"epoch": -1}),
                             ("seed: -1", {"seed": -1})):
            order = dsfs.Shuffle(50, 3)
            self.assertRaisesRegex(ValueError, text, order.load_state_dict, dict(good, **change))
            self.assertEqual(order.state_dict(), dsfs.Shuffle(50, 3).state_dict())
        self.assertRaisesRegex(ValueError, "has no n, seed, epoch, position",
                               order.load_state_dict, {"version": 1})

    def test_samplers_of_others_have_none(self):
        self.assertFalse(hasattr(dsfs.Sampler(None, range(9), paths=[]), "state_dict"))
        self.assertTrue(hasattr(type(dsfs.Sampler(None, shuffle.Shuffle(9), paths=[])),
                                "state_dict"))
