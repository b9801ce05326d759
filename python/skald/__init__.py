# SPDX-License-Identifier: Apache-2.0
"""Skald's arrays: NumPy's interface, evaluated lazily and compiled.

    import skald as np

Operations are recorded, and run together when a value is needed: when it is printed, turned into a Python
number, tested in an `if`, or given to another library.  `flush()` runs everything at once.
"""

import sys as _sys

import numpy as _numpy

from . import _core
from ._core import ndarray
from . import _fallback, _names, _native
from ._fallback import (Fallback, FallbackError, FallbackWarning, call_real as _call_real, clear_fallbacks, fallbacks,
                        passed_through as _passed_through, set_fallback, writes_first as _writes_first)
from . import _creation, _shape, _join, _reduce, _nan, _elementwise, _index, _linear
from . import linalg, fft
from ._creation import c_, mgrid, ogrid, r_
from ._grad import grad, hessian, jvp, value_and_grad, vjp
from ._jit import jit
from ._load import ProgramError, compile_text, load
from ._record import RecordedValueError
from ._runtime import backend, errstate, flush, set_option, seterr, stats

# Frames of this package are no places of a script.
_core.set_option("package", _fallback._PACKAGE)
__version__ = "0.1.0"
__array_api_version__ = "2025.12"
ufunc = _core.ufunc
bool = _numpy.bool

globals().update({name: getattr(_numpy, name) for name in _names.TYPES + _names.CONSTANTS if hasattr(_numpy, name)})
globals().update(_core.ufuncs)
globals().update({name: function for name, function in _native.table.items()})
for _other, _name in (("abs", "absolute"), ("acos", "arccos"), ("acosh", "arccosh"), ("asin", "arcsin"), ("asinh", "arcsinh"),
                      ("atan", "arctan"), ("atanh", "arctanh"), ("atan2", "arctan2"), ("bitwise_invert", "invert"), ("bitwise_not", "invert"),
                      ("bitwise_left_shift", "left_shift"), ("bitwise_right_shift", "right_shift"), ("conj", "conjugate"), ("mod", "remainder"),
                      ("pow", "power"), ("true_divide", "divide"), ("degrees", "rad2deg"), ("radians", "deg2rad")):
    if _name in _core.ufuncs:
        globals().setdefault(_other, _core.ufuncs[_name])
for _name in _names.HOST:
    if hasattr(_numpy, _name) and _name not in globals():
        globals()[_name] = _passed_through(getattr(_numpy, _name), f"np.{_name}", "host")


def result_type(*arrays_and_dtypes):
    """The dtype that operands are brought to."""
    return _numpy.result_type(*[a.dtype if type(a) is ndarray else a for a in arrays_and_dtypes])


def can_cast(from_, to, casting="safe"):
    """Whether values of one dtype may become another by a rule."""
    return _numpy.can_cast(from_.dtype if type(from_) is ndarray else from_, to.dtype if type(to) is ndarray else to, casting)


def shape(a):
    """The extents of an array."""
    return a.shape if hasattr(a, "shape") else asarray(a).shape


def ndim(a):
    """How many axes an array has."""
    return a.ndim if hasattr(a, "ndim") else asarray(a).ndim


def size(a, axis=None):
    """How many elements an array has, or how long an axis is."""
    extents = shape(a)
    if axis is not None:
        result = 1
        for place in axis if isinstance(axis, tuple) else (axis,):
            result *= extents[place]
        return result
    return a.size if hasattr(a, "size") else asarray(a).size


def __array_namespace_info__():
    """What the array API standard asks about a namespace."""
    return _protocols.Information()


from . import _protocols  # noqa: E402 - needs the names above

_protocols.install(_sys.modules[__name__])
__all__ = sorted({name for name in _numpy.__all__ if name != "__array_namespace_info__"} | {"flush", "fallbacks", "stats", "linalg", "fft", "random", "compile_text", "jit", "grad", "value_and_grad", "jvp", "vjp", "hessian"})


def __getattr__(name):
    """Names that only NumPy has: its modules as they are, its functions passed through and counted."""
    if name in ("random", "testing", "bohrium"):
        import importlib
        return importlib.import_module("skald." + name)
    if name in _names.MODULES:
        value = _protocols.module(name)
    elif name.startswith("_") or not hasattr(_numpy, name):
        value = _protocols.old_name(name)
    else:
        value = getattr(_numpy, name)
        if callable(value) and not isinstance(value, type):
            value = _passed_through(value, f"np.{name}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *dir(_numpy)})
