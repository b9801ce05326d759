# SPDX-License-Identifier: Apache-2.0
"""numpy.lib.stride_tricks for arrays of ours: all windows of an array, as a view."""

import operator

import numpy

from . import _core
from ._engine import normalize_axes
from ._native import array_of


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of all windows of a shape; what lies within a window are the last axes."""
    x = array_of(x)
    windows = tuple(operator.index(extent) for extent in (window_shape if numpy.iterable(window_shape) else (window_shape,)))
    if any(extent < 0 for extent in windows):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(windows) != x.ndim:
            raise ValueError(f"Since axis is None, must provide window_shape for all dimensions of `x`; got {len(windows)} window_shape elements and `x.ndim` is {x.ndim}.")
    else:
        axes = tuple(normalize_axes((each,), x.ndim)[0] for each in (axis if numpy.iterable(axis) else (axis,)))
        if len(windows) != len(axes):
            raise ValueError(f"Must provide matching length window_shape and axis; got {len(windows)} window_shape elements and {len(axes)} axes elements.")
    extents, steps = list(x.shape), [stride // x.itemsize for stride in x.strides]
    for place, window in zip(axes, windows):
        if extents[place] < window:
            raise ValueError("window shape cannot be larger than input array shape")
        extents[place] -= window - 1
    result = _core.view(x, extents + list(windows), steps + [steps[place] for place in axes], 0)
    result._read_only = not writeable
    return result


BY_FUNCTION = {numpy.lib.stride_tricks.sliding_window_view: sliding_window_view}
