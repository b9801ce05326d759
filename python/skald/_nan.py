# SPDX-License-Identifier: Apache-2.0
"""Reductions that leave out what is not a number."""

import warnings

import numpy

from . import _core
from ._native import NO_VALUE, array_of, given, native
from ._reduce import scanned

u = _core.ufuncs


def _without_nan(a, value):
    """`a` with `value` in the place of NaN, and the mask of these (None for integers)."""
    if a.dtype.kind not in "fc":
        return a, None
    mask = u["isnan"](a)
    return _core.where(mask, a.dtype.type(value), a), mask


def _folding(name, ufunc, value, what):
    def fold(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
        a, _ = _without_nan(array_of(a), value)
        return u[ufunc].reduce(a, axis=axis, dtype=dtype, out=out, **given(keepdims=keepdims, initial=initial, where=where))
    fold.__name__ = fold.__qualname__ = name
    fold.__doc__ = what
    return native(fold)


nansum = _folding("nansum", "add", 0, "The sum of what is a number.")
nanprod = _folding("nanprod", "multiply", 1, "The product of what is a number.")


def _scanning(name, ufunc, value, what):
    def scan(a, axis=None, dtype=None, out=None):
        a, _ = _without_nan(array_of(a), value)
        return scanned(ufunc, a, axis, dtype, out)
    scan.__name__ = scan.__qualname__ = name
    scan.__doc__ = what
    return native(scan)


nancumsum = _scanning("nancumsum", "add", 0, "Running sums that leave out what is not a number.")
nancumprod = _scanning("nancumprod", "multiply", 1, "Running products that leave out what is not a number.")


def _extreme(name, ufunc, what):
    def fold(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
        a = array_of(a)
        result = u[ufunc].reduce(a, axis=axis, out=out, **given(keepdims=keepdims, initial=initial, where=where))
        if a.dtype.kind in "fc" and bool(numpy.asarray(u["isnan"](result)).any()):
            warnings.warn("All-NaN slice encountered" if axis is not None else "All-NaN axis encountered", RuntimeWarning, stacklevel=3)
        return result
    fold.__name__ = fold.__qualname__ = name
    fold.__doc__ = what
    return native(fold)


nanmin = _extreme("nanmin", "fmin", "The least number.")
nanmax = _extreme("nanmax", "fmax", "The greatest number.")


def _count(mask, a, axis, where, keepdims):
    numbers = u["logical_not"](mask)
    more = given(where=where)
    return u["add"].reduce(numbers, axis=axis, dtype=numpy.intp, keepdims=keepdims, **more)


def _divided(total, count, out):
    """total / count in the dtype of the total; nothing is said about 0 / 0."""
    with numpy.errstate(invalid="ignore", divide="ignore"):
        if out is not None:
            return u["divide"](total, count, out=out, casting="unsafe")
        return u["divide"](total, count, casting="unsafe", dtype=total.dtype)


@native
def nanmean(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    """The mean of what is a number."""
    a = array_of(a)
    clean, mask = _without_nan(a, 0)
    if mask is None:
        return a.mean(axis=axis, dtype=dtype, out=out, **given(keepdims=keepdims, where=where))
    if dtype is not None and not numpy.issubdtype(dtype, numpy.inexact):
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and not numpy.issubdtype(out.dtype, numpy.inexact):
        raise TypeError("If a is inexact, then out must be inexact")
    keep = False if keepdims is NO_VALUE else keepdims
    count = _count(mask, a, axis, where, keep)
    total = u["add"].reduce(clean, axis=axis, dtype=dtype, keepdims=keep, **given(where=where))
    result = _divided(total, count, out)
    if bool(numpy.asarray(count == 0).any()):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=3)
    return result


@native
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE):
    """The variance of what is a number."""
    a = array_of(a)
    clean, mask = _without_nan(a, 0)
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if mask is None:
        return a.var(axis=axis, dtype=dtype, out=out, ddof=ddof, **given(keepdims=keepdims, where=where, mean=mean))
    if dtype is not None and not numpy.issubdtype(dtype, numpy.inexact):
        raise TypeError("If a is inexact, then dtype must be inexact")
    count = _count(mask, a, axis, where, True)
    if mean is NO_VALUE:
        centre = _divided(u["add"].reduce(clean, axis=axis, dtype=dtype, keepdims=True, **given(where=where)), count, None)
    else:
        centre = mean
    distance = _core.where(mask, clean.dtype.type(0), u["subtract"](clean, centre, casting="unsafe"))
    square = u["multiply"](distance, distance.conj()).real if distance.dtype.kind == "c" else u["multiply"](distance, distance)
    keep = False if keepdims is NO_VALUE else keepdims
    total = u["add"].reduce(square, axis=axis, dtype=dtype, keepdims=keep, **given(where=where))
    freedom = _count(mask, a, axis, where, keep) - ddof
    result = _divided(total, freedom, out)
    short = freedom <= 0
    if bool(numpy.asarray(short).any()):
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=3)
        filled = _core.where(short, result.dtype.type(numpy.nan), result)
        if out is not None:
            out[...] = filled
            return out
        return filled
    return result


@native
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE):
    """The square root of the variance of what is a number."""
    result = nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    return u["sqrt"](result, out=out) if out is not None else u["sqrt"](result)


def _extreme_place(name, ufunc, method, value, what):
    def find(a, axis=None, out=None, *, keepdims=NO_VALUE):
        a, mask = _without_nan(array_of(a), value)
        if mask is not None and bool(numpy.asarray(u["logical_and"].reduce(mask, axis=axis)).any()):
            raise ValueError("All-NaN slice encountered")
        return getattr(a, method)(axis=axis, out=out, **given(keepdims=keepdims))
    find.__name__ = find.__qualname__ = name
    find.__doc__ = what
    return native(find)


nanargmin = _extreme_place("nanargmin", "fmin", "argmin", numpy.inf, "Where the least number is.")
nanargmax = _extreme_place("nanargmax", "fmax", "argmax", -numpy.inf, "Where the greatest number is.")
