# SPDX-License-Identifier: Apache-2.0
"""bohrium.random: one counter-based generator whose numbers are the same with `bohrium=True` and False."""

import numpy

import skald
from skald.random import Counter


def _sized(shape):
    if shape is None:
        return None
    return (int(shape),) if hasattr(shape, "__index__") else tuple(int(s) for s in shape)


class RandomState:
    """A counter-based generator; each draw may give an array of Skald or of NumPy."""

    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        """Starts again, from a seed or from anywhere."""
        self._counter = Counter(None if seed is None else int(seed))

    def get_state(self):
        """Key and number of draws."""
        return ("Random123", self._counter.drawn, self._counter.key)

    def set_state(self, state):
        """Goes on from a state that `get_state` gave."""
        self._counter.drawn, self._counter.key = int(state[1]), int(state[2])

    def _draw(self, make, size, dtype, bohrium):
        shape = _sized(size)
        drawn = make((1,) if shape is None else shape)
        drawn = drawn if dtype is None else drawn.astype(dtype)
        if shape is None:
            return numpy.asarray(drawn)[0]
        return drawn if bohrium else numpy.array(drawn)

    def random123(self, shape=None, bohrium=True):
        """Unsigned integers of 64 bits."""
        return self._draw(self._counter.bits, shape, None, bohrium)

    def random_sample(self, shape=None, dtype=numpy.float64, bohrium=True):
        """Numbers from 0 to 1."""
        return self._draw(self._counter.uniform, shape, dtype, bohrium)

    random = random_sample

    def rand(self, *shape, dtype=numpy.float64, bohrium=True):
        """Numbers from 0 to 1 in an array of this shape."""
        return self.random_sample(shape or None, dtype, bohrium)

    def randn(self, *shape, dtype=numpy.float64, bohrium=True):
        """Normal numbers in an array of this shape."""
        return self.standard_normal(shape or None, dtype, bohrium)

    def standard_normal(self, shape=None, dtype=numpy.float64, bohrium=True):
        """Normal numbers."""
        return self._draw(self._counter.normal, shape, dtype, bohrium)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=numpy.float64, bohrium=True):
        """Numbers of a normal distribution."""
        return self._draw(lambda s: loc + scale * self._counter.normal(s), size, dtype, bohrium)

    def standard_exponential(self, shape=None, dtype=numpy.float64, bohrium=True):
        """Numbers of the exponential distribution."""
        return self._draw(self._counter.exponential, shape, dtype, bohrium)

    def exponential(self, scale=1.0, size=None, dtype=numpy.float64, bohrium=True):
        """Numbers of an exponential distribution."""
        return self._draw(lambda s: scale * self._counter.exponential(s), size, dtype, bohrium)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=numpy.float64, bohrium=True):
        """Numbers evenly spread from `low` to `high`."""
        return self._draw(lambda s: low + (high - low) * self._counter.uniform(s), size, dtype, bohrium)

    def randint(self, low, high=None, size=None, dtype=numpy.int64, bohrium=True):
        """Integers from `low` up to, but not including, `high`."""
        first, last = (0, low) if high is None else (low, high)
        if last <= first:
            raise ValueError("low >= high")
        return self._draw(lambda s: self._counter.integers(int(first), int(last - first), s, numpy.int64), size, dtype, bohrium)

    def random_integers(self, low, high=None, size=None, dtype=numpy.int64, bohrium=True):
        """Integers from `low` to `high`, both included."""
        first, last = (1, low) if high is None else (low, high)
        return self.randint(first, last + 1, size, dtype, bohrium)

    def tomaxint(self, shape=None, bohrium=True):
        """Integers from 0 to the greatest one."""
        return self._draw(lambda s: (self._counter.bits(s) >> numpy.uint64(1)).astype(numpy.int64), shape, None, bohrium)

    def random_of_dtype(self, dtype, shape=None, bohrium=True):
        """Numbers of any dtype: small integers, bools, or from 0 to 1."""
        kind = numpy.dtype(dtype)
        if kind.kind in "biu":
            return self._draw(lambda s: self._counter.integers(0, 2 if kind.kind == "b" else 100, s, numpy.int64), shape, kind, bohrium)
        if kind.kind == "c":
            return self._draw(lambda s: self._counter.uniform(s) + 1j * self._counter.uniform(s), shape, kind, bohrium)
        return self._draw(self._counter.uniform, shape, kind, bohrium)


_global = RandomState()
for _name in [n for n in dir(RandomState) if not n.startswith("_")]:
    globals()[_name] = getattr(_global, _name)


def shuffle(x):
    """Puts the parts of a sequence into random order, in place."""
    skald.random.shuffle(x)


def permutation(x):
    """A sequence in random order."""
    return skald.random.permutation(x)
