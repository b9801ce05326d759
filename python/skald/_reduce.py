# SPDX-License-Identifier: Apache-2.0
"""Sums, extremes, means and what is made of them."""

import warnings

import numpy

from . import _core
from ._engine import asarray, normalize_axes, normalize_axis, result_type
from ._methods import broadcast_to
from ._native import NO_VALUE, array_of, given, native, quick

u = _core.ufuncs


def _folding(name, ufunc, what):
    """A function like np.sum: one ufunc's `reduce`, flat by default."""
    method = {"amin": "min", "amax": "max"}.get(name, name)
    typed = ufunc in ("add", "multiply")
    no = NO_VALUE

    if typed:
        def fold(a, axis=None, dtype=None, out=None, keepdims=no, initial=no, where=no):
            return u[ufunc].reduce(array_of(a), axis=axis, dtype=dtype, out=out, **given(keepdims=keepdims, initial=initial, where=where))
    elif method in ("min", "max"):
        def fold(a, axis=None, out=None, keepdims=no, initial=no, where=no):
            return u[ufunc].reduce(array_of(a), axis=axis, out=out, **given(keepdims=keepdims, initial=initial, where=where))
    else:
        def fold(a, axis=None, out=None, keepdims=no, *, where=no):
            return u[ufunc].reduce(array_of(a), axis=axis, out=out, dtype=bool if out is None else None, **given(keepdims=keepdims, where=where))
    fold.__name__ = fold.__qualname__ = name
    fold.__doc__ = what
    return quick(native(fold))


sum = _folding("sum", "add", "The sum of elements, along axes or of all.")
prod = _folding("prod", "multiply", "The product of elements, along axes or of all.")
amin = _folding("amin", "minimum", "The least element, along axes or of all.")
amax = _folding("amax", "maximum", "The greatest element, along axes or of all.")
min = _folding("min", "minimum", "The least element, along axes or of all.")
max = _folding("max", "maximum", "The greatest element, along axes or of all.")
any = _folding("any", "logical_or", "Whether any element is true, along axes or of all.")
all = _folding("all", "logical_and", "Whether every element is true, along axes or of all.")


@native
def mean(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    """The arithmetic mean, along axes or of all; float64 for integers."""
    return array_of(a).mean(axis=axis, dtype=dtype, out=out, **given(keepdims=keepdims, where=where))


@native
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE):
    """The mean square distance from the mean."""
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    return array_of(a).var(axis=axis, dtype=dtype, out=out, ddof=ddof, **given(keepdims=keepdims, where=where, mean=mean))


@native
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE):
    """The square root of the variance."""
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    return array_of(a).std(axis=axis, dtype=dtype, out=out, ddof=ddof, **given(keepdims=keepdims, where=where, mean=mean))


@native
def ptp(a, axis=None, out=None, keepdims=NO_VALUE):
    """The distance between the greatest and the least element."""
    a, more = array_of(a), given(keepdims=keepdims)
    return u["subtract"](u["maximum"].reduce(a, axis=axis, **more), u["minimum"].reduce(a, axis=axis, **more), out=out)


def scanned(ufunc, a, axis, dtype, out):
    """Running results along an axis; of the flat array, if there is none or the array has no axes."""
    if axis is None or a.ndim == 0:
        normalize_axis(axis or 0, a.ndim or 1)
        a, axis = a.ravel(), 0
    return u[ufunc].accumulate(a, axis=axis, dtype=dtype, out=out)


def _scanning(name, ufunc, what):
    def scan(a, axis=None, dtype=None, out=None):
        return scanned(ufunc, array_of(a), axis, dtype, out)
    scan.__name__ = scan.__qualname__ = name
    scan.__doc__ = what
    return native(scan)


cumsum = _scanning("cumsum", "add", "Running sums, along an axis or of the flat array.")
cumprod = _scanning("cumprod", "multiply", "Running products, along an axis or of the flat array.")


def _cumulative(name, ufunc, start):
    def scan(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        x = array_of(x)
        if axis is None:
            if x.ndim > 1:
                raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
            axis = 0
        if x.ndim == 0:
            x = x.reshape(1)
        axis = normalize_axis(axis, x.ndim)
        if not include_initial:
            return u[ufunc].accumulate(x, axis=axis, dtype=dtype, out=out)
        from ._creation import empty
        before = (slice(None),) * axis
        body = u[ufunc].accumulate(x, axis=axis, dtype=dtype if out is None else out.dtype)
        result = empty(x.shape[:axis] + (x.shape[axis] + 1,) + x.shape[axis + 1:], body.dtype) if out is None else out
        result[before + (slice(0, 1),)] = start
        result[before + (slice(1, None),)] = body
        return result
    scan.__name__ = scan.__qualname__ = name
    scan.__doc__ = "Running results along an axis, with the neutral element first if asked for."
    return native(scan)


cumulative_sum = _cumulative("cumulative_sum", "add", 0)
cumulative_prod = _cumulative("cumulative_prod", "multiply", 1)


@native
def argmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    """Where the greatest element is."""
    return array_of(a).argmax(axis=axis, out=out, **given(keepdims=keepdims))


@native
def argmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    """Where the least element is."""
    return array_of(a).argmin(axis=axis, out=out, **given(keepdims=keepdims))


@native
def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not zero."""
    a = array_of(a)
    flags = a if a.dtype == bool else a != 0
    counted = u["add"].reduce(flags, axis=axis, dtype=numpy.intp, keepdims=keepdims)
    return int(counted) if axis is None and not keepdims else counted


@native
def average(a, axis=None, weights=None, returned=False, *, keepdims=NO_VALUE):
    """The mean, weighted if weights are given."""
    a, more = array_of(a), given(keepdims=keepdims)
    if weights is None:
        result = a.mean(axis, **more)
        scale = asarray(result.dtype.type(a.size / numpy.maximum(result.size, 1)))
    else:
        weights = _weights_like(array_of(weights), a, axis)
        wanted = result_type(a, weights, "f8") if a.dtype.kind in "biu" else result_type(a, weights)
        scale = weights.sum(axis=axis, dtype=wanted, **more)
        if bool((scale == 0.0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = u["multiply"](a, weights, dtype=wanted).sum(axis, **more) / scale
    if not returned:
        return result
    return result, broadcast_to(asarray(scale), result.shape).copy()


def _weights_like(weights, a, axis):
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axes(axis, a.ndim)
    if weights.shape != tuple(a.shape[place] for place in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    order = sorted(range(len(axes)), key=lambda number: axes[number])
    return weights.transpose(order).reshape([extent if place in axes else 1 for place, extent in enumerate(a.shape)])


@native
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariances between variables: rows, or columns if `rowvar` is false."""
    from ._fallback import call_real
    if fweights is not None or aweights is not None or (ddof is not None and ddof != int(ddof)):
        return call_real("fallback", "np.cov with weights", numpy.cov, (m, y, rowvar, bias, ddof, fweights, aweights), {"dtype": dtype})
    m = array_of(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    wanted = dtype or (result_type(m, numpy.float64) if y is None else result_type(m, array_of(y), numpy.float64))
    table = _rows(m, wanted, rowvar)
    if table.shape[0] == 0:
        return asarray(numpy.array([], wanted).reshape(0, 0))
    if y is not None:
        from ._shape import concatenate
        other = array_of(y)
        if other.ndim > 2:
            raise ValueError("y has more than 2 dimensions")
        table = concatenate((table, _rows(other, wanted, rowvar)), 0)
    freedom = table.shape[1] - (ddof if ddof is not None else 0 if bias else 1)
    if freedom <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
        freedom = 0.0
    table = table - table.mean(axis=1, keepdims=True)
    from ._linear import dot
    product = dot(table, table.T.conj())
    return (product * numpy.true_divide(1, freedom)).astype(product.dtype, copy=False).squeeze()


def _rows(m, wanted, rowvar):
    m = m.astype(wanted)
    if m.ndim < 2:
        return m.reshape(1, -1)
    return m if rowvar or m.shape[0] == 1 else m.T


@native
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Correlations between variables."""
    table = cov(x, y, rowvar, dtype=dtype)
    if table.ndim == 0:
        return table / table
    deviation = u["sqrt"](table.diagonal().real)
    table = table / deviation[:, None] / deviation[None, :]
    if table.dtype.kind == "c":
        real, imaginary = table.real, table.imag
        result = asarray(numpy.empty(table.shape, table.dtype))
        result.real, result.imag = u["minimum"](u["maximum"](real, -1), 1), u["minimum"](u["maximum"](imaginary, -1), 1)
        return result
    return u["minimum"](u["maximum"](table, -1), 1)
