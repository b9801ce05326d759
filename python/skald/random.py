# SPDX-License-Identifier: Apache-2.0
"""numpy.random.

A generator that was given a seed gives NumPy's own numbers, bit for bit: a script that sets a seed asks
for these.  A generator without a seed is free to choose: large arrays come from a counter-based generator
(Philox), element by element where they are used, and are never stored if nobody asks for them.
SKALD_RANDOM=philox makes seeded generators counter-based too; SKALD_RANDOM=numpy makes none so.
"""

import math
import os

import numpy

from . import _core
from ._engine import SMALL, ndarray, to_numpy
from ._fallback import to_ours, to_real
from ._record import refuse_in_replays

_POLICY = os.environ.get("SKALD_RANDOM", "auto")
if _POLICY not in ("auto", "philox", "numpy"):
    raise ImportError(f"SKALD_RANDOM is {_POLICY!r}; it must be auto, philox or numpy")

BitGenerator = numpy.random.BitGenerator
SeedSequence = numpy.random.SeedSequence
MT19937 = numpy.random.MT19937
PCG64 = numpy.random.PCG64
PCG64DXSM = numpy.random.PCG64DXSM
Philox = numpy.random.Philox
SFC64 = numpy.random.SFC64
u = _core.ufuncs


class Counter:
    """A key and the number of draws so far: the whole state of a counter-based generator."""

    __slots__ = ("key", "drawn")

    def __init__(self, seed=None):
        self.key = int(SeedSequence(seed).generate_state(1, numpy.uint32)[0])
        self.drawn = 0

    def _take(self, shape):
        refuse_in_replays("random numbers are drawn, which would be the same at every call")
        start, self.drawn = self.drawn, self.drawn + math.prod(shape)
        return start

    def bits(self, shape):
        return _core.random_bits(self.key, self._take(shape), shape)

    def uniform(self, shape):
        return _core.random_uniform(self.key, self._take(shape), shape)

    def normal(self, shape):
        """Box and Muller: the radius from one draw, the angle from another."""
        radius = u["sqrt"](-2.0 * u["log1p"](-self.uniform(shape)))
        return radius * u["cos"](2.0 * numpy.pi * self.uniform(shape))

    def exponential(self, shape):
        return -u["log1p"](-self.uniform(shape))

    def integers(self, low, span, shape, dtype):
        """Numbers from low to low + span - 1; the bias is below 2**-32."""
        bits = self.bits(shape)
        if span <= 2**32:
            chosen = ((bits >> numpy.uint64(32)) * numpy.uint64(span)) >> numpy.uint64(32)
        else:
            chosen = bits % numpy.uint64(span)
        return chosen.astype(dtype) + numpy.array(low, dtype)


def _shape(size):
    """A tuple, if `size` asks for an array that is worth a counter; else None."""
    if size is None:
        return None
    shape = (int(size),) if hasattr(size, "__index__") else tuple(int(s) for s in size)
    return shape if math.prod(shape) > SMALL else None


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class _Lazy:
    """Large draws from a counter; everything else goes to NumPy's generator, whose class comes next."""

    _counter = None

    def _start(self, seed):
        seeded = seed is not None
        if _POLICY == "philox" or (_POLICY == "auto" and not seeded):
            simple = seed is None or isinstance(seed, (int, numpy.integer))
            self._counter = Counter(int(seed) if seeded and simple else None)
        else:
            self._counter = None

    def _uniform(self, size):
        shape = _shape(size) if self._counter else None
        return None if shape is None else self._counter.uniform(shape)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Numbers evenly spread from `low` to `high`."""
        drawn = self._uniform(size) if _number(low) and _number(high) else None
        return self._real("uniform", low, high, size) if drawn is None else low + (high - low) * drawn

    def standard_normal(self, size=None, *rest, **more):
        """Numbers of the normal distribution."""
        shape = _shape(size) if self._counter and not rest and not more else None
        return self._real("standard_normal", size, *rest, **more) if shape is None else self._counter.normal(shape)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Numbers of a normal distribution."""
        shape = _shape(size) if self._counter and _number(loc) and _number(scale) and scale >= 0 else None
        return self._real("normal", loc, scale, size) if shape is None else loc + scale * self._counter.normal(shape)

    def exponential(self, scale=1.0, size=None):
        """Numbers of an exponential distribution."""
        shape = _shape(size) if self._counter and _number(scale) and scale >= 0 else None
        return self._real("exponential", scale, size) if shape is None else scale * self._counter.exponential(shape)

    def _integers(self, name, low, high, size, dtype, inclusive):
        first, last = (0, low) if high is None else (low, high)
        span = last - first + inclusive if isinstance(first, int) and isinstance(last, int) else 0
        shape = _shape(size) if self._counter and 0 < span < 2**63 else None
        kind = numpy.dtype(dtype)
        fits = kind.kind in "iu" and shape is not None and numpy.iinfo(kind).min <= first and last - 1 + inclusive <= numpy.iinfo(kind).max
        return self._counter.integers(first, span, shape, kind) if fits else None

    def _real(self, name, *arguments, **keywords):
        refuse_in_replays("random numbers are drawn, which would be the same at every call")
        method = getattr(super(_Lazy, self), name)
        return to_ours(method(*[to_real(a) for a in arguments], **{k: to_real(v) for k, v in keywords.items()}))

    def shuffle(self, x, *rest, **more):
        """Puts the parts of a sequence into random order, in place."""
        refuse_in_replays("random numbers are drawn, which would be the same at every call")
        method = super().shuffle
        return method(to_numpy(x) if type(x) is ndarray else x, *rest, **more)


def _passing(name, real):
    def method(self, *arguments, **keywords):
        return self._real(name, *arguments, **keywords)
    method.__name__ = name
    method.__doc__ = f"As numpy.random.{real.__name__}.{name}."
    return method


def _fill(cls, real, leave):
    """Methods for all distributions of NumPy's class that `cls` does not write itself."""
    for name in dir(real):
        if not name.startswith("_") and name not in leave and callable(getattr(real, name)) and not hasattr(_Lazy, name) and name not in vars(cls):
            setattr(cls, name, _passing(name, real))


class RandomState(_Lazy, numpy.random.RandomState):
    """NumPy's older generator.  With a seed its numbers are NumPy's."""

    def __init__(self, seed=None):
        numpy.random.RandomState.__init__(self, to_real(seed))
        self._start(seed)

    def seed(self, seed=None):
        """Starts again, from a seed or from anywhere."""
        numpy.random.RandomState.seed(self, to_real(seed))
        self._start(seed)

    def set_state(self, state):
        """Goes on where another generator was; its numbers are then NumPy's."""
        numpy.random.RandomState.set_state(self, to_real(state))
        self._counter = None

    def random_sample(self, size=None):
        """Numbers from 0 to 1."""
        drawn = self._uniform(size)
        return self._real("random_sample", size) if drawn is None else drawn

    random = random_sample

    def rand(self, *shape):
        """Numbers from 0 to 1 in an array of this shape."""
        return self.random_sample(shape or None)

    def randn(self, *shape):
        """Normal numbers in an array of this shape."""
        return self.standard_normal(shape or None)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from `low` up to, but not including, `high`."""
        drawn = self._integers("randint", low, high, size, dtype, 0)
        return self._real("randint", low, high, size, dtype) if drawn is None else drawn


_fill(RandomState, numpy.random.RandomState, ("get_state",))


class Generator(_Lazy, numpy.random.Generator):
    """NumPy's newer generator, made by `default_rng`."""

    def __init__(self, bit_generator):
        numpy.random.Generator.__init__(self, bit_generator)

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Numbers from 0 to 1."""
        drawn = self._uniform(size) if dtype in (numpy.float64, float, "d", "float64") and out is None else None
        if drawn is not None:
            return drawn
        if type(out) is ndarray:
            numpy.random.Generator.random(self, size, dtype, out=to_numpy(out))
            return out
        return self._real("random", size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """Integers from `low` up to `high`; including it, if `endpoint` is true."""
        drawn = self._integers("integers", low, high, size, dtype, 1 if endpoint else 0)
        return self._real("integers", low, high, size, dtype, endpoint) if drawn is None else drawn


_fill(Generator, numpy.random.Generator, ("spawn",))


def default_rng(seed=None):
    """A new generator.  With a seed its numbers are NumPy's."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, numpy.random.Generator):
        generator = Generator(seed.bit_generator)
        return generator
    generator = Generator(seed if isinstance(seed, BitGenerator) else PCG64(to_real(seed)))
    generator._start(seed)
    return generator


_global = RandomState()
_FUNCTIONS = [name for name in numpy.random.__all__ if hasattr(RandomState, name) and name not in ("RandomState", "Generator")]
for _name in _FUNCTIONS:
    globals()[_name] = getattr(_global, _name)
ranf = sample = random_sample = _global.random_sample
random = _global.random

__all__ = list(numpy.random.__all__)


def get_bit_generator():
    """The bit generator behind the functions of this module."""
    return _global._bit_generator


def set_bit_generator(bitgen):
    """Replaces the bit generator behind the functions of this module."""
    raise NotImplementedError("skald.random keeps one generator; make a RandomState of your own")
