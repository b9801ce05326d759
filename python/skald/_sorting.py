# SPDX-License-Identifier: Apache-2.0
"""Order on devices: sorts, the places of elements in order, distinct elements, by programs of our own (kernels/sort.fut).

NumPy's sorts are better on a processor.  On a device its arrays would have to come home first.
"""

import operator

import numpy

from . import _core
from ._engine import ndarray, normalize_axis
from ._kernels import kernel

SECONDS = 6e-8
"""What NumPy takes for an element of a large array, about."""


def is_theirs():
    """True where NumPy's sorts are the ones to take."""
    return _core.option("backend") == "cpu"


def _entry(name, a, *sizes):
    """The entry point for arrays of this type; None: NumPy should do it."""
    if type(a) is not ndarray or a.ndim == 0 or a.size < 2 or is_theirs():
        return None
    return kernel("sort", name, a.dtype, SECONDS * a.size, lambda dtype: (*sizes, numpy.arange(2, dtype=dtype)))


def _in_rows(name, a, axis):
    """What the entry point makes of the rows along an axis, and the way back; None: NumPy should do it."""
    if is_theirs():
        return None
    from ._shape import moveaxis
    axis = normalize_axis(axis, a.ndim)
    single = name == "sorted" and a.ndim == 1
    entry = _entry(name if single or name != "sorted" else "sorted_rows", a, *(() if single else (2,)))
    if entry is None:
        return None
    moved = moveaxis(a, axis, -1)
    flat = moved.ravel()
    made = entry(flat) if single else entry(a.shape[axis], flat)
    if name == "order":
        made = made % a.shape[axis]
    return moveaxis(made.reshape(moved.shape), -1, axis)


def sort(a, axis):
    """A sorted copy, or None."""
    return _in_rows("sorted", a, axis)


def argsort(a, axis):
    """The places of elements in sorted order, equal ones as they were, or None."""
    return _in_rows("order", a, axis)


def are_places(kth, extent):
    """Can these be asked of np.partition?"""
    try:
        places = [operator.index(each) for each in (kth if isinstance(kth, (tuple, list)) else (kth,))]
    except TypeError:
        return False
    return all(-extent <= each < extent for each in places)


def unique(a, index, inverse, counts):
    """The distinct elements in order and what else is asked for, as np.unique gives it, or None."""
    entry = _entry("distinct_places" if index or inverse else "distinct", a)
    if entry is None:
        return None
    found = entry(a.ravel())
    more = [found[1]] if counts else []
    if inverse:
        more.insert(0, found[3].reshape(a.shape))
    if index:
        more.insert(0, found[2])
    return (found[0], *more) if more else found[0]
