# SPDX-License-Identifier: Apache-2.0
"""Views, and arrays made of parts of others.

Views cost nothing.  What must be put together is an empty array that is written slice by slice: the
engine sees which part comes from where, and needs no temporary.
"""

import operator

import numpy

from . import _methods
from ._engine import at_hand, empty, from_numpy, normalize_axes, normalize_axis, peek, result_type
from ._native import alias, array_of, native, quick


@native
def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements with another shape."""
    a = array_of(a)
    if copy is True:
        a = a.copy()
    result = a.reshape(shape, order=order)
    if copy is False and not may_share_memory(a, result):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return result


def may_share_memory(a, b):
    base = b
    while base is not None:
        if base is a:
            return True
        base = getattr(base, "base", None)
    return numpy.may_share_memory(numpy.asarray(a), numpy.asarray(b))


@native
def ravel(a, order="C"):
    """All elements in one row; a view if possible."""
    return array_of(a).ravel(order)


@native
def transpose(a, axes=None):
    """The axes in reverse, or in the order given."""
    return array_of(a).transpose(axes)


alias("permute_dims", transpose)


@native
def matrix_transpose(x, /):
    """The last two axes exchanged."""
    x = array_of(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


@native
def swapaxes(a, axis1, axis2):
    """Two axes exchanged."""
    return array_of(a).swapaxes(axis1, axis2)


@native
def moveaxis(a, source, destination):
    """Axes moved to new places, the others in their order."""
    a = array_of(a)
    source, destination = normalize_axes(source, a.ndim, "source"), normalize_axes(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(a.ndim) if axis not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return a.transpose(order)


@native
def rollaxis(a, axis, start=0):
    """One axis moved before another."""
    a = array_of(a)
    axis = normalize_axis(axis, a.ndim)
    if start < 0:
        start += a.ndim
    if not 0 <= start <= a.ndim:
        raise numpy.exceptions.AxisError(start, a.ndim)
    order = [other for other in range(a.ndim) if other != axis]
    order.insert(start - 1 if axis < start else start, axis)
    return a.transpose(order)


@native
def squeeze(a, axis=None):
    """Axes of length one removed."""
    return array_of(a).squeeze(axis)


@native
def expand_dims(a, axis):
    """New axes of length one."""
    a = array_of(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    places = normalize_axes(axes, a.ndim + len(axes))
    extents = iter(a.shape)
    return a.reshape([1 if place in places else next(extents) for place in range(a.ndim + len(places))])


def _at_least(arrays, grow):
    grown = tuple(grow(array_of(a)) for a in arrays)
    return grown[0] if len(grown) == 1 else grown


@native
def atleast_1d(*arys):
    """Arrays with one axis at least."""
    return _at_least(arys, lambda a: a if a.ndim >= 1 else a.reshape(1))


@native
def atleast_2d(*arys):
    """Arrays with two axes at least; new ones come first."""
    return _at_least(arys, lambda a: a if a.ndim >= 2 else a.reshape((1,) * (2 - a.ndim) + a.shape))


@native
def atleast_3d(*arys):
    """Arrays with three axes at least; a vector lies along the second."""
    def grow(a):
        if a.ndim >= 3:
            return a
        return a[..., None] if a.ndim == 2 else a.reshape(1, -1, 1)
    return _at_least(arys, grow)


@native
def broadcast_to(array, shape, subok=False):
    """A read-only view of another shape, in which axes of length one are repeated."""
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    return _methods.broadcast_to(array_of(array), tuple(operator.index(s) for s in shape))


@native
def broadcast_arrays(*args, subok=False):
    """All arrays with their common shape, as views."""
    arrays = [array_of(a) for a in args]
    shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape) for a in arrays)


@native
def flip(m, axis=None):
    """The order of elements reversed along axes; all of them if none is named."""
    m = array_of(m)
    if axis is None and m.ndim == 1:
        return m[::-1]
    axes = range(m.ndim) if axis is None else normalize_axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if place in axes else slice(None) for place in range(m.ndim))]


@native
def fliplr(m):
    """Columns in reverse order."""
    m = array_of(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


@native
def flipud(m):
    """Rows in reverse order."""
    m = array_of(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


@native
def rot90(m, k=1, axes=(0, 1)):
    """A quarter turn, `k` times, in the plane of two axes."""
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = array_of(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    turns = k % 4
    if turns == 0:
        return m[:]
    if turns == 2:
        return flip(flip(m, axes[0]), axes[1])
    if turns == 1:
        return flip(m, axes[1]).swapaxes(*axes)
    return flip(m.swapaxes(*axes), axes[1])


@quick
@native
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an axis they have; flat ones if `axis` is None."""
    if not isinstance(arrays, (tuple, list)):
        arrays = list(array_of(arrays)) if hasattr(arrays, "__len__") else list(arrays)
    parts = [array_of(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if out is None and at_hand(*parts):
        return from_numpy(numpy.concatenate([peek(part) for part in parts], axis, dtype=dtype, casting=casting))
    if axis is None:
        parts, axis = [part.reshape(-1) for part in parts], 0
    first = parts[0]
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis(axis, first.ndim)
    total = 0
    for number, part in enumerate(parts):
        if part.ndim != first.ndim:
            raise ValueError("all the input arrays must have same number of dimensions, but the array at index 0 has "
                             f"{first.ndim} dimension(s) and the array at index {number} has {part.ndim} dimension(s)")
        for place in range(first.ndim):
            if place != axis and part.shape[place] != first.shape[place]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly, but along dimension "
                                 f"{place}, the array at index 0 has size {first.shape[place]} and the array at index {number} has size {part.shape[place]}")
        total += part.shape[axis]
    result = _joined_target(parts, first.shape[:axis] + (total,) + first.shape[axis + 1:], out, dtype, casting)
    begin, before = 0, (slice(None),) * axis
    for part in parts:
        result[before + (slice(begin, begin + part.shape[axis]),)] = part
        begin += part.shape[axis]
    return result


alias("concat", concatenate)


def _joined_target(parts, shape, out, dtype, casting):
    if out is not None:
        if dtype is not None:
            raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
        if out.shape != shape:
            raise ValueError("Output array is the wrong shape")
        wanted = out.dtype
    else:
        wanted = numpy.dtype(dtype) if dtype is not None else result_type(*parts)
    for part in parts:
        if not numpy.can_cast(part.dtype, wanted, casting):
            raise TypeError(f"Cannot cast array data from {part.dtype!r} to {wanted!r} according to the rule '{casting}'")
    return empty(shape, wanted) if out is None else out


@native
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape joined along a new axis."""
    parts = [array_of(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to stack")
    if len({part.shape for part in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis(axis, parts[0].ndim + 1)
    where = (slice(None),) * axis + (None,)
    return concatenate([part[where] for part in parts], axis=axis, out=out, dtype=dtype, casting=casting)


def _joined(tup, grow, axis, dtype, casting):
    parts = grow(*tup)
    parts = parts if isinstance(parts, tuple) else (parts,)
    if axis == 1 and parts and parts[0].ndim == 1:
        axis = 0
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@native
def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined as rows."""
    return _joined(tup, atleast_2d, 0, dtype, casting)


@native
def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined as columns; vectors one after the other."""
    return _joined(tup, atleast_1d, 1, dtype, casting)


@native
def dstack(tup):
    """Arrays joined along the third axis."""
    return _joined(tup, atleast_3d, 2, None, "same_kind")


@native
def column_stack(tup):
    """Vectors as the columns of a matrix."""
    return concatenate([a[:, None] if a.ndim == 1 else a.reshape(1, 1) if a.ndim == 0 else a for a in map(array_of, tup)], 1)


@native
def unstack(x, /, *, axis=0):
    """The parts of an array along an axis, as a tuple."""
    x = array_of(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


@native
def array_split(ary, indices_or_sections, axis=0):
    """Parts of an array along an axis, as equal as they can be, or cut at given places."""
    ary = array_of(ary)
    extent = ary.shape[normalize_axis(axis, ary.ndim)]
    if hasattr(indices_or_sections, "__len__"):
        cuts = [0, *(int(i) for i in indices_or_sections), extent]
    else:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(extent, sections)
        cuts = [0]
        for number in range(sections):
            cuts.append(cuts[-1] + each + (number < more))
    rows = ary.swapaxes(axis, 0)
    return [rows[low:high].swapaxes(axis, 0) for low, high in zip(cuts[:-1], cuts[1:])]


@native
def split(ary, indices_or_sections, axis=0):
    """Equal parts of an array along an axis, or parts cut at given places."""
    ary = array_of(ary)
    if not hasattr(indices_or_sections, "__len__"):
        extent = ary.shape[normalize_axis(axis, ary.ndim)]
        if extent % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def _split_along(name, axis_for, least):
    def splitting(ary, indices_or_sections):
        ary = array_of(ary)
        if ary.ndim < least:
            raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
        return split(ary, indices_or_sections, axis_for(ary))
    splitting.__name__ = name
    splitting.__doc__ = "Parts of an array along one axis, as `split`."
    return native(splitting)


hsplit = _split_along("hsplit", lambda a: 1 if a.ndim > 1 else 0, 1)
vsplit = _split_along("vsplit", lambda a: 0, 2)
dsplit = _split_along("dsplit", lambda a: 2, 3)
