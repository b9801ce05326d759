# SPDX-License-Identifier: Apache-2.0
"""What the namespace needs of the engine, under names of its own.

Everything else of this package reaches the C++ extension `_core` through this file.
"""

import numpy

from . import _core

ndarray = _core.ndarray
# A real array becomes one of ours without a copy.
from_numpy = _core.adopt
# A real array that shares memory with ours for good; operations on ours are then not put off.
to_numpy = _core.to_numpy
# A real array becomes one of ours, and both keep seeing what is written into either.
share = _core.share
# A real array for reading during one call.
peek = _core.readonly
flush = _core.flush

_CORE_DTYPES = frozenset("?bBhHiIlLqQefdFD")


def is_core_dtype(dtype):
    """True for the dtypes that arrays of ours can have: bool, integers, floats and complex numbers."""
    return dtype.char in _CORE_DTYPES and dtype.isnative


def asarray(value, dtype=None):
    """An array of ours; a real NumPy array if its dtype is not one of ours."""
    if type(value) is ndarray:
        return value if dtype is None or value.dtype == dtype else value.astype(dtype)
    if hasattr(type(value), "__array__") and not isinstance(value, (numpy.ndarray, numpy.generic)):
        given = value.__array__()
        if type(given) is ndarray:
            return asarray(given, dtype)
    real = numpy.asarray(_plain(value), dtype=dtype)
    return from_numpy(real) if is_core_dtype(real.dtype) else real


def _plain(value):
    """Nested lists that hold arrays of ours, with real arrays in their place."""
    kind = type(value)
    if kind is ndarray:
        return peek(value)
    if kind is list or kind is tuple:
        for item in value:
            if type(item) in (ndarray, list, tuple):
                return [_plain(item) for item in value]
    return value


def plain(value):
    """A value that NumPy's own functions can read."""
    return _plain(value)


SMALL = 4096
"""Arrays of at most so many elements are not worth recording."""


def at_hand(*arrays):
    """True if all arrays are small and computed: NumPy is then quicker than a graph."""
    for a in arrays:
        if type(a) is ndarray and (a._is_pending or a.size > SMALL):
            return False
    return True


def empty(shape, dtype):
    return _core.empty(shape, dtype)


def full(shape, value, dtype):
    return _core.full(shape, value, dtype)


def iota(count, dtype=numpy.int64):
    """0, 1, 2 … as a producer that is never stored if nobody asks for it."""
    return _core.arange(0, 1, count, dtype)


def dtype_of(value):
    """What `numpy.result_type` takes: the dtype of arrays, Python numbers as they are (they are weak)."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, numpy.generic):
        return value
    if isinstance(value, (type, numpy.dtype, str)):
        return numpy.dtype(value)
    if hasattr(value, "dtype"):
        return value.dtype
    return numpy.asarray(_plain(value)).dtype


def result_type(*values):
    return numpy.result_type(*[dtype_of(value) for value in values])


def normalize_axis(axis, ndim, argument=None):
    """One axis as a number from 0; NumPy's AxisError, which names the argument, if there is none."""
    import operator
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise numpy.exceptions.AxisError(number, ndim, argument)
    return number % ndim if ndim else 0


def normalize_axes(axes, ndim, argument=None):
    """A tuple of axes from 0, without repetition."""
    chosen = tuple(normalize_axis(a, ndim, argument) for a in (axes if hasattr(axes, "__iter__") else (axes,)))
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"repeated axis in `{argument}` argument" if argument else "repeated axis")
    return chosen
