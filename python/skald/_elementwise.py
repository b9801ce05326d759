# SPDX-License-Identifier: Apache-2.0
"""Functions of each element, as compositions of ufuncs."""

import operator

import numpy

from . import _core
from ._engine import asarray, empty, from_numpy, is_core_dtype, ndarray, normalize_axis, result_type
from ._fallback import call_real
from ._native import NO_VALUE, alias, array_of, native

u = _core.ufuncs


def number_or_array(value):
    """Python numbers as they are, for they are weak in promotion; arrays for all else."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, numpy.generic):
        return value
    return array_of(value)


@native
def where(condition, x=NO_VALUE, y=NO_VALUE, /):
    """Elements of `x` where the condition holds, of `y` elsewhere; with one argument, where it holds."""
    if x is NO_VALUE and y is NO_VALUE:
        from ._index import nonzero
        return nonzero(condition)
    if x is NO_VALUE or y is NO_VALUE:
        raise ValueError("either both or neither of x and y should be given")
    return _core.where(array_of(condition), _constant_or_array(x), _constant_or_array(y))


def _constant_or_array(value):
    """Scalars of NumPy stay what they are: constants of plans."""
    is_constant = isinstance(value, numpy.generic) or (type(value) is numpy.ndarray and value.ndim == 0)
    return value if is_constant and is_core_dtype(value.dtype) else number_or_array(value)


@native
def clip(a, a_min=NO_VALUE, a_max=NO_VALUE, out=None, *, min=NO_VALUE, max=NO_VALUE, **kwargs):
    """Elements brought into an interval."""
    if a_min is NO_VALUE and a_max is NO_VALUE:
        a_min, a_max = None if min is NO_VALUE else min, None if max is NO_VALUE else max
    elif a_min is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not NO_VALUE or max is not NO_VALUE:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    return array_of(a).clip(a_min, a_max, out=out, **kwargs)


@native
def round(a, decimals=0, out=None):
    """Elements rounded to so many decimals, half to even."""
    return array_of(a).round(decimals=decimals, out=out)


alias("around", round)


@native
def fix(x, out=None):
    """Elements rounded towards zero."""
    return u["trunc"](array_of(x), out=out)


@native
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced by numbers."""
    original = x
    x = array_of(x)
    if x.dtype.kind not in "fc":
        return x.copy() if copy and x is original else x
    if x.dtype.kind == "c" or not copy:
        return call_real("fallback", "np.nan_to_num in place or of complex numbers", numpy.nan_to_num, (numpy.array(x), copy, nan, posinf, neginf), {})
    limits = numpy.finfo(x.dtype)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    kind = x.dtype.type
    result = _core.where(u["isnan"](x), kind(nan) if numpy.ndim(nan) == 0 else array_of(nan), x)
    result = _core.where(x == numpy.inf, kind(high) if numpy.ndim(high) == 0 else array_of(high), result)
    return _core.where(x == -numpy.inf, kind(low) if numpy.ndim(low) == 0 else array_of(low), result)


@native
def isclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    """Whether elements differ by little: |a - b| <= atol + rtol |b|."""
    if not any(hasattr(v, "ndim") and v.ndim or hasattr(v, "__len__") or type(v) is ndarray for v in (a, b)):
        return numpy.isclose(a, b, rtol, atol, equal_nan)
    x, y = number_or_array(a), number_or_array(b)
    y = float(y) if isinstance(y, (bool, int)) else y if isinstance(y, (float, complex)) else y.astype(result_type(y, 1.0), copy=False)
    with numpy.errstate(invalid="ignore"):
        near = u["less_equal"](u["absolute"](u["subtract"](x, y)), atol + rtol * u["absolute"](y))
        result = u["logical_or"](u["logical_and"](near, u["isfinite"](y)), u["equal"](x, y))
    if equal_nan:
        result = u["logical_or"](result, u["logical_and"](u["isnan"](x), u["isnan"](y)))
    return result


@native
def allclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    """Whether all elements differ by little."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


@native
def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements."""
    try:
        a1, a2 = asarray(a1), asarray(a2)
    except Exception:  # noqa: BLE001 - what cannot be an array equals nothing
        return False
    a1, a2 = array_of(a1), array_of(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan and "biu" not in (a1.dtype.kind, a2.dtype.kind):
        same = u["logical_or"](same, u["logical_and"](a1 != a1, a2 != a2))
    return bool(same.all())


@native
def array_equiv(a1, a2):
    """Whether two arrays are equal after broadcasting."""
    a1, a2 = array_of(a1), array_of(a2)
    try:
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    return bool((a1 == a2).all())


@native
def real(val):
    """The real part."""
    return val.real if hasattr(val, "real") and not isinstance(val, (list, tuple)) else array_of(val).real


@native
def imag(val):
    """The imaginary part."""
    return val.imag if hasattr(val, "imag") and not isinstance(val, (list, tuple)) else array_of(val).imag


@native
def angle(z, deg=False):
    """The angle of complex numbers."""
    z = array_of(z)
    result = u["arctan2"](z.imag, z.real) if z.dtype.kind == "c" else u["arctan2"](0, z)
    return result * (180 / numpy.pi) if deg else result


@native
def isreal(x):
    """Whether the imaginary part is zero."""
    return imag(array_of(x)) == 0


@native
def iscomplex(x):
    """Whether the imaginary part is not zero."""
    x = array_of(x)
    return x.imag != 0 if x.dtype.kind == "c" else from_numpy(numpy.zeros(x.shape, bool)) if x.ndim else numpy.False_


@native
def isposinf(x, out=None):
    """Whether elements are plus infinity."""
    x = array_of(x)
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    return u["logical_and"](u["isinf"](x), u["logical_not"](u["signbit"](x)), out=out)


@native
def isneginf(x, out=None):
    """Whether elements are minus infinity."""
    x = array_of(x)
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    return u["logical_and"](u["isinf"](x), u["signbit"](x), out=out)


@native
def sinc(x):
    """sin(pi x) / (pi x)."""
    x = array_of(x)
    x = x if x.dtype.kind in "fc" else x.astype(numpy.float64)
    y = numpy.pi * _core.where(x == 0, x.dtype.type(numpy.finfo(x.dtype).eps), x)
    return u["sin"](y) / y


@native
def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [array_of(c) for c in condlist]
    for number, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {number} in condlist: should be boolean ndarray")
    choices = [number_or_array(c) for c in choicelist] + [number_or_array(default)]
    wanted = result_type(*choices)
    shape = numpy.broadcast_shapes(*(numpy.shape(c) if not hasattr(c, "shape") else c.shape for c in conditions + choices))
    result = empty(shape, wanted)
    result[...] = choices[-1]
    for condition, choice in zip(conditions[::-1], choices[-2::-1]):
        result = _core.where(condition, asarray(choice, wanted), result)
    return result


@native
def diff(a, n=1, axis=-1, prepend=NO_VALUE, append=NO_VALUE):
    """Differences between neighbours, `n` times."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = array_of(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis(axis, a.ndim)
    parts = [p for p in (prepend, a, append) if p is not NO_VALUE]
    if len(parts) > 1:
        from ._shape import broadcast_to, concatenate
        shape = a.shape[:axis] + (1,) + a.shape[axis + 1:]
        arrays = [array_of(p) for p in parts]
        a = concatenate([broadcast_to(p, shape) if p.ndim == 0 else p for p in arrays], axis)
    before = (slice(None),) * axis
    operation = u["not_equal"] if a.dtype == bool else u["subtract"]
    for _ in range(n):
        a = operation(a[before + (slice(1, None),)], a[before + (slice(None, -1),)])
    return a


@native
def ediff1d(ary, to_end=None, to_begin=None):
    """Differences between neighbours of the flat array."""
    if to_end is not None or to_begin is not None:
        return call_real("fallback", "np.ediff1d with ends", numpy.ediff1d, (ary, to_end, to_begin), {})
    ary = array_of(ary).ravel()
    return ary[1:] - ary[:-1]


@native
def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by central differences, one-sided at the ends."""
    f = array_of(f)
    evenly = all(numpy.ndim(v) == 0 for v in varargs)
    if not evenly or edge_order != 1 or f.dtype.kind not in "biufc" or f.dtype.itemsize < 2:
        return call_real("fallback", "np.gradient with uneven steps", numpy.gradient, (f, *varargs), {"axis": axis, "edge_order": edge_order})
    axes = tuple(range(f.ndim)) if axis is None else tuple(normalize_axis(x, f.ndim) for x in (axis if isinstance(axis, tuple) else (axis,)))
    steps = list(varargs) if len(varargs) != 1 else list(varargs) * len(axes)
    if varargs and len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    if any(f.shape[x] < 2 for x in axes):
        raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")
    f = f.astype(numpy.float64) if f.dtype.kind in "biu" else f
    slopes = [_slope(f, x, steps[i] if steps else 1.0) for i, x in enumerate(axes)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slope(f, axis, step):
    before = (slice(None),) * axis

    def part(low, high):
        return f[before + (slice(low, high),)]

    result = empty(f.shape, f.dtype)
    result[before + (slice(1, -1),)] = (part(2, None) - part(None, -2)) / (2.0 * step)
    result[before + (slice(0, 1),)] = (part(1, 2) - part(0, 1)) / step
    result[before + (slice(-1, None),)] = (part(-1, None) - part(-2, -1)) / step
    return result


@native
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area below a curve by trapezia."""
    y = array_of(y)
    if x is None:
        width = dx
    else:
        x = array_of(x)
        width = diff(x) if x.ndim == 1 else diff(x, axis=axis)
        if x.ndim == 1:
            width = width.reshape([-1 if place == normalize_axis(axis, y.ndim) else 1 for place in range(y.ndim)])
    before = (slice(None),) * normalize_axis(axis, y.ndim)
    high, low = y[before + (slice(1, None),)], y[before + (slice(None, -1),)]
    return (width * (high + low) / 2.0).sum(axis)


@native
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product of vectors with three components."""
    from ._shape import moveaxis
    if axis is not None:
        axisa = axisb = axisc = axis
    original = (a, b, axisa, axisb, axisc)
    a, b = array_of(a), array_of(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        return call_real("fallback", "np.cross of plane vectors", numpy.cross, original, {})
    shape = numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1]) + (3,)
    result = empty(shape, result_type(a, b))
    for place in range(3):
        one, two = (place + 1) % 3, (place + 2) % 3
        result[..., place] = a[..., one] * b[..., two] - a[..., two] * b[..., one]
    return moveaxis(result, -1, axisc)


@native
def polyval(p, x):
    """The value of a polynomial, its highest power first."""
    if isinstance(x, numpy.poly1d):
        return numpy.polyval(numpy.asarray(p), x)
    p, x = array_of(p), array_of(x)
    result = u["multiply"](x, 0)
    for coefficient in p:
        result = result * x + coefficient
    return result


@native
def unwrap(p, discont=None, axis=-1, *, period=2 * numpy.pi):
    """Angles without jumps."""
    p = array_of(p)
    axis = normalize_axis(axis, p.ndim)
    dtype = result_type(p, period)
    jumps = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    if dtype.kind in "iu":
        high, odd = divmod(period, 2)
        on_the_edge = odd == 0
    else:
        high, on_the_edge = period / 2, True
    low = -high
    near = u["remainder"](jumps - low, period) + low
    if on_the_edge:
        # A jump of half a period keeps its direction.
        near = _core.where((near == low) & (jumps > 0), asarray(high).astype(near.dtype), near)
    correction = near - jumps
    correction = _core.where(u["absolute"](jumps) < discont, asarray(0).astype(correction.dtype), correction)
    result = p.astype(dtype)
    rest = (slice(None),) * axis + (slice(1, None),)
    result[rest] = p[rest] + correction.cumsum(axis)
    return result


def _window(name, formula, what):
    def window(M):
        count = M
        if count < 1:
            return from_numpy(numpy.array([], dtype=numpy.result_type(M, 0.0)))
        if count == 1:
            return from_numpy(numpy.ones(1, dtype=numpy.result_type(M, 0.0)))
        return formula(_core.arange(1 - operator.index(count), 2, operator.index(count), numpy.float64), count - 1)
    window.__name__ = window.__qualname__ = name
    window.__doc__ = what
    return native(window)


hanning = _window("hanning", lambda n, m: 0.5 + 0.5 * u["cos"](numpy.pi * n / m), "The raised cosine window.")
hamming = _window("hamming", lambda n, m: 0.54 + 0.46 * u["cos"](numpy.pi * n / m), "The raised cosine window on a pedestal.")
blackman = _window("blackman", lambda n, m: 0.42 + 0.5 * u["cos"](numpy.pi * n / m) + 0.08 * u["cos"](2.0 * numpy.pi * n / m), "Blackman's window.")
bartlett = _window("bartlett", lambda n, m: _core.where(n <= 0, 1 + n / m, 1 - n / m), "The triangular window.")
