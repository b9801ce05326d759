# SPDX-License-Identifier: Apache-2.0
"""Arrays moved, repeated, padded and cut; diagonals and triangles."""

import functools
import operator

import numpy

from ._creation import filled, tri
from ._engine import SMALL, empty, from_numpy, iota, normalize_axes, normalize_axis
from ._fallback import call_real
from ._native import array_of, native, quick
from ._shape import broadcast_to, concatenate
from . import _core


@quick
@native
def roll(a, shift, axis=None):
    """Elements moved along an axis; what leaves at the end comes in at the beginning."""
    a = array_of(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = tuple(shift) if hasattr(shift, "__len__") else (shift,)
    if len(shifts) != len(axes):
        if 1 not in (len(shifts), len(axes)):
            raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
        shifts, axes = shifts * max(1, len(axes)) if len(shifts) == 1 else shifts, tuple(axes) * len(shifts) if len(axes) == 1 else tuple(axes)
    for amount, place in zip(shifts, axes):
        a = _rolled(a, operator.index(amount), normalize_axis(place, a.ndim))
    return a if shifts else a.copy()


def _rolled(a, shift, axis):
    extent = a.shape[axis]
    shift = shift % extent if extent else 0
    return _core.roll(a, shift, axis) if shift else a.copy()


@native
def tile(A, reps):
    """An array repeated as a whole, `reps` times along each axis."""
    A = array_of(A)
    reps = tuple(operator.index(r) for r in reps) if hasattr(reps, "__len__") else (operator.index(reps),)
    dims = max(len(reps), A.ndim)
    reps, shape = (1,) * (dims - len(reps)) + reps, (1,) * (dims - A.ndim) + A.shape
    apart = A.reshape([part for extent in shape for part in (1, extent)])
    wide = broadcast_to(apart, [part for pair in zip(reps, shape) for part in pair])
    result = empty(wide.shape, A.dtype)
    result[...] = wide
    return result.reshape([r * extent for r, extent in zip(reps, shape)])


@native
def repeat(a, repeats, axis=None):
    """Each element repeated; `repeats` is a number, or one for each place along the axis."""
    a = array_of(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = normalize_axis(axis, a.ndim)
    counts = numpy.asarray(repeats)
    if counts.ndim == 0 or counts.size == 1:
        if not numpy.can_cast(counts.dtype, numpy.int64, "safe"):
            raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the rule 'safe'")
        count = int(counts.reshape(()))
        if count < 0:
            raise ValueError("repeats may not contain negative values.")
        shape = a.shape[: axis + 1] + (count,) + a.shape[axis + 1:]
        result = empty(shape, a.dtype)
        result[...] = a.reshape(a.shape[: axis + 1] + (1,) + a.shape[axis + 1:])
        return result.reshape(a.shape[:axis] + (a.shape[axis] * count,) + a.shape[axis + 1:])
    places = numpy.repeat(numpy.arange(a.shape[axis]), counts)
    return a.take(from_numpy(places), axis)


@native
def append(arr, values, axis=None):
    """Values after an array; both flat if there is no axis."""
    arr, values = array_of(arr), array_of(values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), arr.ndim - 1 if arr.ndim == 1 else 0
    return concatenate((arr, values), axis=axis)


@native
def insert(arr, obj, values, axis=None):
    """A copy with values before places along an axis."""
    arr = array_of(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis(axis, arr.ndim)
    extent = arr.shape[axis]
    values = array_of(values).astype(arr.dtype)
    if values.ndim < arr.ndim:
        values = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
    chosen = obj if isinstance(obj, slice) else numpy.asarray(obj)
    if numpy.ndim(chosen) == 0 and not isinstance(obj, slice):
        # NumPy's rule for one place: the first axis of the values lies along `axis`.
        values = values.transpose([other for other in range(1, axis + 1)] + [0] + list(range(axis + 1, values.ndim)))
        count = values.shape[axis]
    else:
        count = numpy.insert(numpy.zeros(extent, bool), chosen, True).size - extent
        count = values.shape[axis] if count == 1 else count
    # Which value, or -1 for elements that were there before: NumPy's rules for places, on numbers.
    order = numpy.insert(numpy.full(extent, -1), chosen, numpy.arange(count) if count != 1 else 0)
    before = (slice(None),) * axis
    result = empty(arr.shape[:axis] + (order.size,) + arr.shape[axis + 1:], arr.dtype)
    result[before + (from_numpy(numpy.flatnonzero(order < 0)),)] = arr
    new = numpy.flatnonzero(order >= 0)
    if values.shape[axis] == count:
        values = values.take(from_numpy(order[new]), axis)
    result[before + (from_numpy(new),)] = values
    return result


@native
def delete(arr, obj, axis=None):
    """A copy without places along an axis."""
    arr = array_of(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis(axis, arr.ndim)
    kept = numpy.delete(numpy.arange(arr.shape[axis]), obj if isinstance(obj, slice) else numpy.asarray(obj))
    return arr.take(from_numpy(kept), axis)


@native
def resize(a, new_shape):
    """An array of a new shape, filled by repeating the elements."""
    new_shape = tuple(operator.index(extent) for extent in ((new_shape,) if hasattr(new_shape, "__index__") else new_shape))
    if any(extent < 0 for extent in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    a = array_of(a).ravel()
    size = 1
    for extent in new_shape:
        size *= extent
    if a.size == 0 or size == 0:
        return filled(new_shape, 0, a.dtype)
    return tile(a, -(-size // a.size))[:size].reshape(new_shape)


def _pairs(value, dims, what):
    """(before, after) for each axis, from a number, a pair, or pairs; a dict names axes."""
    if isinstance(value, dict):
        pairs = [(0, 0)] * dims
        for axis, pair in value.items():
            pairs[normalize_axis(axis, dims)] = tuple(pair) if hasattr(pair, "__len__") else (pair, pair)
        return pairs
    table = numpy.asarray(value)
    if what == "pad_width" and table.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    table = numpy.broadcast_to(table, (dims, 2))
    if what == "pad_width" and (table < 0).any():
        raise ValueError("index can't contain negative values")
    return [tuple(row) for row in table.tolist()]


@native
def pad(array, pad_width, mode="constant", **kwargs):
    """An array with more elements around it."""
    array = array_of(array)
    widths = _pairs(pad_width, array.ndim, "pad_width")
    gathers = mode in ("edge", "wrap", "reflect", "symmetric") and not kwargs
    if gathers and all(extent or not any(pair) for extent, pair in zip(array.shape, widths)):
        for axis, pair in enumerate(widths):
            if any(pair):
                places = numpy.pad(numpy.arange(array.shape[axis]), pair, mode=mode)
                array = array.take(from_numpy(places), axis)
        return array
    if mode != "constant" or set(kwargs) - {"constant_values"}:
        return call_real("fallback", f"np.pad with mode {mode!r}", numpy.pad, (array, pad_width, mode), kwargs)
    return _padded(array, widths, _pairs(kwargs.get("constant_values", 0), array.ndim, "constant_values"))


def _padded(array, widths, values):
    shape = tuple(low + extent + high for extent, (low, high) in zip(array.shape, widths))
    flat = {value for pair in values for value in pair}
    result = filled(shape, flat.pop(), array.dtype) if len(flat) == 1 else empty(shape, array.dtype)
    if flat:
        for axis, ((low, high), (first, last)) in enumerate(zip(widths, values)):
            before = (slice(None),) * axis
            result[before + (slice(0, low),)] = first
            result[before + (slice(shape[axis] - high, None),)] = last
    result[tuple(slice(low, low + extent) for extent, (low, _) in zip(array.shape, widths))] = array
    return result


@native
def trim_zeros(filt, trim="fb", axis=None):
    """A view without the zeros at the ends."""
    original, filt = filt, array_of(filt)
    if filt.ndim == 0:
        return filt
    ends = trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(filt.ndim) if axis is None else normalize_axes(axis, filt.ndim)
    places = filt.nonzero()
    index = []
    for place in range(filt.ndim):
        if place not in axes:
            index.append(slice(None))
        elif places[place].size == 0:
            index.append(slice(0, 0))
        else:
            index.append(slice(int(places[place].min()) if "f" in ends else None, int(places[place].max()) + 1 if "b" in ends else None))
    return original[index[0]] if isinstance(original, (list, tuple)) and filt.ndim == 1 else filt[tuple(index)]


# ---- Diagonals and triangles ---------------------------------------------------------------------


@native
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of a diagonal."""
    return array_of(a).diagonal(offset, axis1, axis2)


@native
def diag(v, k=0):
    """The diagonal of a matrix, or the matrix with that diagonal."""
    v = array_of(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    side = v.size + abs(k)
    result = filled((side, side), 0, v.dtype)
    begin = k if k >= 0 else -k * side
    result.reshape(-1)[begin: begin + v.size * (side + 1): side + 1][: v.size] = v
    return result


@functools.lru_cache(maxsize=32)
def _small_triangle(rows, columns, k):
    """The same array each time, so that rounds of a loop that use it do the same; nobody else sees it."""
    return from_numpy(numpy.tri(rows, columns, k, bool))


def _triangle(shape, k):
    rows, columns = shape
    return _small_triangle(rows, columns, k) if rows * columns <= SMALL else tri(rows, columns, k, bool)


def _masked(m, k, lower):
    m = array_of(m)
    if m.ndim == 0:
        raise IndexError("list index out of range")
    mask = _triangle((m.shape * 2 if m.ndim == 1 else m.shape)[-2:], k if lower else k - 1)
    zero = numpy.zeros((), m.dtype)
    return _core.where(mask, m, zero) if lower else _core.where(mask, zero, m)


@native
def tril(m, k=0):
    """What lies on and below a diagonal; zeros above."""
    return _masked(m, k, True)


@native
def triu(m, k=0):
    """What lies on and above a diagonal; zeros below."""
    return _masked(m, k, False)


@native
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    return array_of(a).diagonal(offset, axis1, axis2).sum(-1, dtype=dtype, out=out)


@native
def fill_diagonal(a, val, wrap=False):
    """Writes values on the main diagonal of an array."""
    from ._fallback import writes_first
    values = numpy.ndim(val)
    if wrap or values or getattr(a, "ndim", 0) < 2 or len(set(a.shape)) > 1 and a.ndim > 2:
        return writes_first(numpy.fill_diagonal, "np.fill_diagonal")(a, val, wrap)
    places = iota(min(a.shape))
    a[(places,) * a.ndim] = val


@native
def kron(a, b):
    """The Kronecker product."""
    a, b = array_of(a), array_of(b)
    dims = max(a.ndim, b.ndim)
    left = a.reshape([part for extent in (1,) * (dims - a.ndim) + a.shape for part in (extent, 1)])
    right = b.reshape([part for extent in (1,) * (dims - b.ndim) + b.shape for part in (1, extent)])
    shape = [x * y for x, y in zip((1,) * (dims - a.ndim) + a.shape, (1,) * (dims - b.ndim) + b.shape)]
    return (left * right).reshape(shape)
