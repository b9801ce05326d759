# SPDX-License-Identifier: Apache-2.0
"""New arrays: from values, filled, in steps, as grids.

Arrays of at most `SMALL` elements are computed at once by NumPy, which costs less than recording.
Larger ones are producers: they are computed where they are used.
"""

import operator

import numpy

from . import _core
from ._engine import asarray as engine_asarray
from ._engine import empty as engine_empty
from ._engine import SMALL, from_numpy, full as engine_full, iota, is_core_dtype, ndarray, plain, share
from ._native import Foreign, NO_VALUE, array_of, native, quick


def shape_of(shape):
    if hasattr(shape, "__index__") and getattr(shape, "ndim", 0) == 0:
        return (operator.index(shape),)
    return tuple(operator.index(extent) for extent in shape)


def core_dtype(dtype, default=numpy.float64):
    """A dtype that we can hold, or `Foreign`."""
    if isinstance(dtype, type) and issubclass(dtype, numpy.dtype):
        dtype = numpy.empty(0, dtype).dtype
    dtype = numpy.dtype(default if dtype is None else dtype)
    if not is_core_dtype(dtype):
        raise Foreign
    return dtype


def check_device(device):
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


@quick
@native
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array with the values of `object`; a copy unless `copy` is None or False."""
    if type(object) is list and dtype is None and order == "K" and ndmin == 0 and copy is not False and not _holds_arrays(object):
        return _core.array(object)
    if type(object) is numpy.ndarray and dtype is None and copy is True and ndmin == 0 and object.flags.c_contiguous and is_core_dtype(object.dtype):
        return from_numpy(object)
    if dtype is not None:
        dtype = core_dtype(dtype)
    if type(object) is ndarray:
        wanted = object.dtype if dtype is None else dtype
        if copy is False and wanted != object.dtype:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        keep = copy is not True and copy != 1 and wanted == object.dtype and order in ("K", "A", None)
        result = object if keep else object.astype(wanted, order=order or "K", copy=True)
    else:
        real = numpy.array(plain(object), dtype=dtype, copy=copy, order=order, subok=False)
        if not is_core_dtype(real.dtype):
            raise Foreign
        result = from_numpy(real)
    while result.ndim < ndmin:
        result = result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    return result


def _holds_arrays(values):
    """True if a list may hold arrays of ours somewhere: only its first elements are looked at."""
    while type(values) is list and values:
        values = values[0]
    return not isinstance(values, (int, float, complex, str, bytes, numpy.generic))


@native
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """`a` as an array; `a` itself if it is one of that dtype."""
    check_device(device)
    return array(a, dtype, copy=copy, order=order or "K")


@native
def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """`a` as an array, as `asarray`; masked arrays and matrices stay what they are."""
    if isinstance(a, numpy.ndarray) and type(a) is not numpy.ndarray:
        return numpy.asanyarray(a, dtype, order)
    return asarray(a, dtype, order, device=device, copy=copy)


@native
def ascontiguousarray(a, dtype=None, *, like=None):
    """`a` as an array whose elements lie one after the other; never without dimensions."""
    result = array(a, dtype, copy=None, order="C", ndmin=1)
    return result if result.flags["C_CONTIGUOUS"] else result.copy()


@native
def copy(a, order="K", subok=False):
    """A copy of an array."""
    return array(a, order=order, copy=True)


@native
def astype(x, dtype, /, *, copy=True, device=None):
    """A copy of an array with another dtype."""
    check_device(device)
    if type(x) is not ndarray and not isinstance(x, (numpy.ndarray, numpy.generic)):
        raise TypeError(f"Input should be a NumPy array. It is a {type(x).__name__} instead.")
    return array_of(x).astype(dtype, copy=copy)


@quick
@native
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """An array whose elements may be anything."""
    check_device(device)
    return ordered(engine_empty(shape_of(shape), core_dtype(dtype)), order)


def ordered(result, order):
    """The same array, stored column by column if `order` is F."""
    if order in ("F", "f") and result.ndim > 1:
        return engine_empty(result.shape[::-1], result.dtype).T
    return result


@quick
@native
def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of zeros."""
    return filled(shape, 0, core_dtype(dtype), order, device)


@quick
@native
def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones."""
    return filled(shape, 1, core_dtype(dtype), order, device)


@quick
@native
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array of which every element is `fill_value`."""
    if dtype is None:
        dtype = engine_asarray(fill_value).dtype
    return filled(shape, fill_value, core_dtype(dtype), order, device)


def filled(shape, value, dtype, order="C", device=None):
    check_device(device)
    shape = shape_of(shape)
    if order in ("F", "f") and len(shape) > 1:
        return filled(shape[::-1], array_of(value).T if hasattr(value, "ndim") else value, dtype).T
    if isinstance(value, (bool, int, float, complex)):
        return engine_full(shape, value, dtype)
    result = engine_empty(shape, dtype)
    result[...] = value
    return result


def _like(prototype, value, dtype, order, shape, device):
    prototype = prototype if hasattr(prototype, "dtype") else array_of(prototype)
    dtype = core_dtype(prototype.dtype if dtype is None else dtype)
    shape = prototype.shape if shape is None else shape_of(shape)
    check_device(device)
    steps = [-abs(step) for step in prototype.strides]
    if order in ("K", None) and len(shape) == len(steps) and steps != sorted(steps):
        return _in_order_of(steps, shape, value, dtype)
    flags = prototype.flags
    columns = order in ("F", "f") or (order == "A" and flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"])
    if value is None:
        return ordered(engine_empty(shape, dtype), "F" if columns else "C")
    return filled(shape, value, dtype, "F" if columns else "C")


def _in_order_of(steps, shape, value, dtype):
    """An array whose axes lie in memory in the order of those of another."""
    outward = sorted(range(len(shape)), key=lambda axis: (steps[axis], axis))
    made = engine_empty([shape[axis] for axis in outward], dtype)
    result = made.transpose([outward.index(axis) for axis in range(len(shape))])
    if value is not None:
        result[...] = value
    return result


@quick
@native
def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of any values with the shape and dtype of `prototype`."""
    return _like(prototype, None, dtype, order, shape, device)


@quick
@native
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros with the shape and dtype of `a`."""
    return _like(a, 0, dtype, order, shape, device)


@quick
@native
def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones with the shape and dtype of `a`."""
    return _like(a, 1, dtype, order, shape, device)


@native
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """`fill_value` everywhere, with the shape and dtype of `a`."""
    return _like(a, fill_value, dtype, order, shape, device)


@quick
@native
def arange(start=NO_VALUE, stop=NO_VALUE, step=NO_VALUE, dtype=None, *, device=None, like=None):
    """Evenly spaced numbers: arange([start,] stop[, step])."""
    if stop is NO_VALUE and dtype is None and type(start) is int and start <= SMALL:
        return from_numpy(numpy.arange(start))
    check_device(device)
    if start is NO_VALUE and stop is NO_VALUE:
        raise TypeError("arange() requires stop to be specified.")
    start, stop, step = (plain(value) for value in (start, stop, step))
    if stop is NO_VALUE or stop is None:
        start, stop = 0, start
    start, step = 0 if start is NO_VALUE else start, 1 if step is NO_VALUE or step is None else step
    integers = all(isinstance(v, (int, numpy.integer)) for v in (start, stop, step))
    if not integers or step == 0 or (stop - start) / step <= SMALL:
        return _wrapped(numpy.arange(start, stop, step, dtype=dtype))
    wanted = core_dtype(numpy.result_type(start, stop, step, numpy.int64) if dtype is None else dtype)
    return _core.arange(start, step, max(0, -(-(stop - start) // step)), wanted)


def _wrapped(real):
    if not is_core_dtype(real.dtype):
        return real
    return from_numpy(real)


@native
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced numbers from `start` to `stop`."""
    check_device(device)
    num = operator.index(num)
    scalars = all(isinstance(v, (int, float)) for v in (start, stop))
    if num <= SMALL or not scalars or (dtype is not None and numpy.dtype(dtype).kind not in "f"):
        result = numpy.linspace(plain(start), plain(stop), num, endpoint, retstep, dtype, axis)
        return (_wrapped(result[0]), _wrapped(numpy.asarray(result[1]))) if retstep else _wrapped(result)
    steps = num - 1 if endpoint else num
    distance = stop * 1.0 - start * 1.0
    step = distance / steps
    places = iota(num, numpy.float64)
    result = places * step + start if step != 0 else places / steps * distance + start
    if endpoint:
        result[-1] = stop
    result = result if dtype is None else result.astype(dtype, copy=False)
    return (result, step) if retstep else result


@native
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of `base` with evenly spaced exponents."""
    return _wrapped(numpy.logspace(plain(start), plain(stop), num, endpoint, plain(base), dtype, axis))


@native
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers from `start` to `stop` with a constant ratio."""
    return _wrapped(numpy.geomspace(plain(start), plain(stop), num, endpoint, dtype, axis))


@native
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on the diagonal that is `k` above the main one, zeros elsewhere."""
    check_device(device)
    rows, columns = operator.index(N), operator.index(N if M is None else M)
    dtype = core_dtype(dtype)
    if rows * columns <= SMALL or order != "C":
        return from_numpy(numpy.eye(rows, columns, k, dtype, order))
    return (iota(columns) == iota(rows)[:, None] + operator.index(k)).astype(dtype)


@native
def identity(n, dtype=None, *, like=None):
    """The unit matrix."""
    return eye(n, dtype=float if dtype is None else dtype)


@native
def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones on and below the diagonal that is `k` above the main one, zeros above it."""
    rows, columns = operator.index(N), operator.index(N if M is None else M)
    dtype = core_dtype(dtype)
    if rows * columns <= SMALL:
        return from_numpy(numpy.tri(rows, columns, k, dtype))
    return (iota(columns) <= iota(rows)[:, None] + operator.index(k)).astype(dtype)


@native
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays from coordinate vectors, as a tuple."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors, count = [array_of(x).reshape(-1) for x in xi], len(xi)
    axes = list(range(count))
    if indexing == "xy" and count > 1:
        axes[0], axes[1] = 1, 0
    shape = [0] * count
    for vector, axis in zip(vectors, axes):
        shape[axis] = vector.size
    out = []
    for vector, axis in zip(vectors, axes):
        grid = vector.reshape((1,) * axis + (-1,) + (1,) * (count - axis - 1))
        if not sparse:
            grid = _broadcast(grid, tuple(shape))
        out.append(grid.copy() if copy else grid)
    return tuple(out)


def _broadcast(value, shape):
    from ._shape import broadcast_to
    return broadcast_to(value, shape)


@native
def indices(dimensions, dtype=int, sparse=False):
    """For each axis an array that holds the position along it."""
    dimensions = shape_of(dimensions)
    dtype, count = core_dtype(dtype), len(dimensions)
    lines = [arange(extent, dtype=dtype).reshape((1,) * axis + (extent,) + (1,) * (count - axis - 1))
             for axis, extent in enumerate(dimensions)]
    if sparse:
        return tuple(lines)
    result = engine_empty((count,) + dimensions, dtype)
    for axis, line in enumerate(lines):
        result[axis] = line
    return result


@native
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """What `function` gives for arrays of indices."""
    return function(*indices(shape, dtype=dtype), **kwargs)


@native
def diagflat(v, k=0):
    """A matrix with the values of `v`, flat, on a diagonal."""
    from ._join import diag
    return diag(array_of(v).reshape(-1), k)


@native
def vander(x, N=None, increasing=False):
    """The matrix of powers of `x`."""
    x = array_of(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.size if N is None else operator.index(N)
    result = engine_empty((x.size, count), numpy.promote_types(x.dtype, numpy.int64))
    columns = result if increasing else result[:, ::-1]
    if count:
        columns[:, 0] = 1
    for place in range(1, count):
        columns[:, place] = columns[:, place - 1] * x
    return result


@native
def from_dlpack(x, /, *, device=None, copy=None):
    """An array that shares memory with what another library exported."""
    if type(x) is ndarray:
        return x.copy() if copy else x
    real = numpy.from_dlpack(x, device=device, copy=copy)
    return share(real) if is_core_dtype(real.dtype) else real


@native
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """An array for memory that belongs to another object."""
    real = numpy.frombuffer(buffer, dtype, count, offset)
    return share(real) if is_core_dtype(real.dtype) else real


class _Grid:
    """`mgrid` and `ogrid`: grids written as slices."""

    def __init__(self, real, what):
        self._real, self.__doc__ = real, what

    def __getitem__(self, key):
        from ._fallback import to_ours, to_real
        return to_ours(self._real[to_real(key)])

    def __len__(self):
        return 0


mgrid = _Grid(numpy.mgrid, "Full grids: np.mgrid[0:3, 0:1:5j].")
ogrid = _Grid(numpy.ogrid, "Open grids: np.ogrid[0:3, 0:1:5j].")
r_ = _Grid(numpy.r_, "Arrays joined along the first axis: np.r_[1:4, 0, 4].")
c_ = _Grid(numpy.c_, "Arrays joined as columns.")
