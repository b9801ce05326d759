# SPDX-License-Identifier: Apache-2.0
"""Elements chosen, written, ordered and counted."""

import operator

import numpy

from . import _core, _kernels, _sorting
from ._engine import SMALL, from_numpy, iota, ndarray, normalize_axis, plain, result_type
from ._fallback import call_real, passed_through, writes_first
from ._native import Foreign, array_of, native, table

u = _core.ufuncs


@native
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements at places along an axis."""
    return array_of(a).take(indices if hasattr(indices, "__index__") else array_of(indices), axis=axis, out=out, mode=mode)


@native
def nonzero(a):
    """Where elements are not zero: one array of positions for each axis."""
    return array_of(a).nonzero()


@native
def flatnonzero(a):
    """Where elements of the flat array are not zero."""
    return array_of(a).ravel().nonzero()[0]


@native
def argwhere(a):
    """Where elements are not zero: one row for each."""
    a = array_of(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    from ._shape import stack
    return stack(a.nonzero(), axis=-1)


@native
def copyto(dst, src, casting="same_kind", where=True):
    """Writes the elements of `src` into `dst`, where a mask says so."""
    if type(dst) is not ndarray:
        if not isinstance(dst, numpy.ndarray):
            raise TypeError(f"copyto() argument 1 must be numpy.ndarray, not {type(dst).__name__}")
        return call_real("host", "np.copyto", numpy.copyto, (dst, src, casting, where), {})
    if src is dst:
        return
    if dst._read_only:
        raise ValueError("assignment destination is read-only")
    if type(src) is int and dst.dtype.kind in "biu":
        numpy.copyto(numpy.empty((), dst.dtype), src, casting=casting)  # whether it fits, in NumPy's words
    _core.copyto(dst, src if isinstance(src, (bool, int, float, complex)) else array_of(src), casting,
                 where if where is True else array_of(where))


@native
def put(a, ind, v, mode="raise"):
    """Writes elements of the flat array."""
    if type(a) is not ndarray:
        return numpy.put(a, numpy.asarray(ind), numpy.asarray(v), mode)
    return a.put(ind, v, mode=mode)


@native
def putmask(a, /, mask, values):
    """Writes values where a mask holds."""
    if type(a) is ndarray and (numpy.ndim(values) == 0 or getattr(values, "shape", None) == a.shape):
        mask = array_of(mask)
        if mask.shape == a.shape:
            value = values if numpy.ndim(values) == 0 else array_of(values)
            if numpy.can_cast(numpy.result_type(getattr(value, "dtype", value)), a.dtype, "same_kind"):
                _core.copyto(a, value, "same_kind", mask != 0)
                return None
    return writes_first(numpy.putmask, "np.putmask")(a, mask, values)


def _along(a, axis, places):
    """The index that pairs `places` along one axis with every position along the others."""
    index = []
    for place in range(a.ndim):
        if place == axis:
            index.append(places)
        else:
            index.append(iota(a.shape[place]).reshape([-1 if other == place else 1 for other in range(a.ndim)]))
    return tuple(index)


def _checked_places(arr, indices, axis):
    indices = array_of(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return arr.reshape(-1), indices, 0
    axis = normalize_axis(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return arr, indices, axis


@native
def take_along_axis(arr, indices, axis=-1):
    """For every row along an axis, elements at places of its own."""
    arr, indices, axis = _checked_places(array_of(arr), indices, axis)
    return arr[_along(arr, axis, indices)]


@native
def put_along_axis(arr, indices, values, axis):
    """For every row along an axis, writes at places of its own."""
    if type(arr) is not ndarray:
        return writes_first(numpy.put_along_axis, "np.put_along_axis")(arr, indices, values, axis)
    arr, indices, axis = _checked_places(arr, indices, axis)
    arr[_along(arr, axis, indices)] = values


@native
def compress(condition, a, axis=None, out=None):
    """Parts along an axis where a condition holds."""
    return array_of(a).compress(condition, axis=axis, out=out)


@native
def extract(condition, arr):
    """Elements of the flat array where a condition holds."""
    return array_of(arr).ravel()[array_of(condition).ravel() != 0]


KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


@native
def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A sorted copy."""
    return _ordering("sort", array_of(a), axis, kind, order, stable, descending)


@native
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The places of elements in sorted order."""
    return _ordering("argsort", array_of(a), axis, kind, order, stable, descending)


def _ordering(name, a, axis, kind, order, stable, descending):
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is not None and stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
    if axis is None:
        a, axis = a.ravel(), -1
    if descending:
        return _downwards(name, a, axis)
    return _upwards(name, a, axis, {"kind": kind, "stable": stable})


def _upwards(name, a, axis, how):
    made = getattr(_sorting, name)(a, axis) if how.get("kind") in KINDS else None
    return call_real("library", f"np.{name}", getattr(numpy, name), (a, axis), how) if made is None else made


def _downwards(name, a, axis):
    """Equal elements keep their order: the array is read and the result is written backwards."""
    from ._shape import flip
    result = _upwards(name, flip(a, axis), axis, {"kind": "stable"})
    result = flip(result, axis)
    return a.shape[axis] - 1 - result if name == "argsort" else result


@native
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy in which element `kth` is where it would be in order, with no larger ones before it."""
    return _partition("partition", "sort", _if_ours(a), kth, axis, kind, order)


@native
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The places of the elements of such a copy."""
    return _partition("argpartition", "argsort", _if_ours(a), kth, axis, kind, order)


def _if_ours(value):
    """An array of ours, if it can be one; NumPy serves the others."""
    try:
        return array_of(value)
    except Foreign:
        return value


def _partition(name, ordering, a, kth, axis, kind, order):
    of, along = (a.ravel(), -1) if axis is None and type(a) is ndarray else (a, axis)
    if type(of) is ndarray and kind == "introselect" and order is None and of.ndim and _sorting.are_places(kth, of.shape[normalize_axis(along, of.ndim)]):
        made = getattr(_sorting, ordering)(of, along)
        if made is not None:
            return made
    return call_real("library", f"np.{name}", getattr(numpy, name), (a, kth, axis, kind, order), {})


@native
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The distinct elements, in order."""
    a = _if_ours(ar)
    if axis is None and equal_nan:
        made = _sorting.unique(a, return_index, return_inverse, return_counts)
        if made is not None:
            return made
    how = {} if sorted else {"sorted": sorted}
    return call_real("library", "np.unique", numpy.unique, (a, return_index, return_inverse, return_counts, axis), {"equal_nan": equal_nan, **how})


@native
def searchsorted(a, v, side="left", sorter=None):
    """Where values would go in a sorted array."""
    if sorter is None and not numpy.isscalar(v):
        found = _kernels.searchsorted(array_of(a), array_of(v), side)
        if found is not None:
            return found
    return call_real("library", "np.searchsorted", numpy.searchsorted, (array_of(a), v if numpy.isscalar(v) else array_of(v), side, sorter), {})


@native
def digitize(x, bins, right=False):
    """The bin of each value."""
    x, bins = array_of(x), array_of(bins)
    if bins.ndim == 1 and bins.size < x.size and bool((bins[1:] >= bins[:-1]).all()):
        found = _kernels.searchsorted(bins, x, "left" if right else "right")
        if found is not None:
            return found
    return call_real("library", "np.digitize", numpy.digitize, (x, bins, right), {})


@native
def bincount(x, /, weights=None, minlength=0):
    """How often each number occurs, or the sum of its weights."""
    x = array_of(x)
    counted = _kernels.bincount(x, None if weights is None else array_of(weights), operator.index(minlength))
    if counted is not None:
        return counted
    return call_real("library", "np.bincount", numpy.bincount, (x, weights, minlength), {})


def _counted_evenly(a, bins, range, weights):
    """Counts and edges for floats and bins of one width; None for anything else."""
    values = plain(array_of(a))
    factors = None if weights is None else plain(array_of(weights))
    if type(bins) is not int or bins < 1 or values.dtype != numpy.float64:
        return None
    if factors is not None and (factors.dtype != numpy.float64 or factors.shape != values.shape):
        return None
    edges = numpy.histogram_bin_edges(values, bins, range)
    if edges.dtype != numpy.float64:
        return None
    counts = _core.count_in_bins(values.ravel(), edges, None if factors is None else factors.ravel())
    return from_numpy(counts), from_numpy(edges)


@native
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements lie between edges, and the edges."""
    a, weights = array_of(a), None if weights is None else array_of(weights)
    if hasattr(bins, "__index__") and a.size > SMALL:
        counted = _kernels.histogram(a, bins, range, weights)
        if counted is not None:
            counts, edges = counted
            return (counts / (edges[1:] - edges[:-1]) / counts.sum() if density else counts), edges
    counted = None if density else _counted_evenly(a, bins, range, weights)
    if counted is not None:
        return counted
    return call_real("library", "np.histogram", numpy.histogram, (a, bins, range, density, weights), {})


@native
def interp(x, xp, fp, left=None, right=None, period=None):
    """Between points on a line through their neighbours."""
    if period is None and type(x) is ndarray and x.size > SMALL:
        found = _kernels.interp(x, array_of(xp), array_of(fp), left, right)
        if found is not None:
            return found
    return call_real("library", "np.interp", numpy.interp, (x, xp, fp, left, right, period), {})


@native
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat positions from positions along axes."""
    return call_real("host", "np.ravel_multi_index", numpy.ravel_multi_index, (multi_index, dims, mode, order), {})


@native
def ix_(*args):
    """An open mesh of positions, for indexing."""
    out = []
    for place, sequence in enumerate(args):
        line = array_of(sequence)
        if line.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if line.size == 0:
            line = line.astype(numpy.intp)
        if line.dtype == bool:
            line = line.nonzero()[0]
        out.append(line.reshape((1,) * place + (-1,) + (1,) * (len(args) - place - 1)))
    return tuple(out)


@native
def choose(a, choices, out=None, mode="raise"):
    """For each place, the element of the choice that `a` names."""
    a = array_of(a)
    if out is not None or a.dtype.kind not in "iu" or type(choices) is ndarray or not 0 < len(choices) <= 8 or a.size <= SMALL:
        return call_real("library", "np.choose", numpy.choose, (a, choices), {"out": out, "mode": mode})
    last = len(choices) - 1
    if mode == "raise" and not 0 <= int(a.min()) <= int(a.max()) <= last:
        raise ValueError("invalid entry in choice array")
    if mode == "wrap":
        a = a % (last + 1)
    dtype = result_type(*choices)
    chosen = array_of(choices[last]).astype(dtype)
    for number in range(last - 1, -1, -1):
        at = a <= 0 if number == 0 else a == number  # "clip": what is below the first is the first
        chosen = _core.where(at, array_of(choices[number]).astype(dtype), chosen)
    return chosen


@native
def place(arr, mask, vals):
    """Writes values one after the other where a mask holds, and begins again when there are no more."""
    if type(arr) is not ndarray:
        return numpy.place(arr, numpy.asarray(mask), numpy.asarray(vals))
    mask, vals = array_of(mask), array_of(vals).ravel()
    if mask.size != arr.size or vals.size != 1 or not numpy.can_cast(vals.dtype, arr.dtype, "same_kind"):
        return writes_first(numpy.place, "np.place", "library")(arr, mask, vals)
    return copyto(arr, vals.reshape(()), "same_kind", mask.reshape(arr.shape) != 0)


LIBRARY = """unique_all unique_counts unique_inverse unique_values lexsort sort_complex isin intersect1d
    union1d setdiff1d setxor1d histogram2d histogramdd histogram_bin_edges median percentile quantile nanmedian
    nanpercentile nanquantile convolve correlate piecewise real_if_close
    poly polyadd polysub polymul polydiv polyder polyint polyfit roots i0 kaiser""".split()
for _name in LIBRARY:
    table[_name] = passed_through(getattr(numpy, _name), f"np.{_name}", "library")
