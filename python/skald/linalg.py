# SPDX-License-Identifier: Apache-2.0
"""numpy.linalg: decompositions by the host's LAPACK, the simple parts as compositions."""

import numpy

from . import _core
from ._elementwise import cross as _cross
from ._engine import normalize_axes
from ._fallback import call_real, passed_through
from ._join import trace as _trace
from ._linear import outer as _outer, tensordot
from ._native import array_of
from ._shape import matrix_transpose

u = _core.ufuncs
LinAlgError = numpy.linalg.LinAlgError
matmul = u["matmul"]
vecdot = u["vecdot"]

_LIBRARY = """cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_norm matrix_power matrix_rank multi_dot pinv qr slogdet
    solve svd svdvals tensorinv tensorsolve""".split()

for _name in _LIBRARY:
    globals()[_name] = passed_through(getattr(numpy.linalg, _name), f"np.linalg.{_name}", "library")

__all__ = sorted([*_LIBRARY, "LinAlgError", "cross", "diagonal", "matmul", "matrix_transpose", "norm", "outer", "tensordot", "trace",
                  "vecdot", "vector_norm"])


def diagonal(x, /, *, offset=0):
    """A view of the diagonals of matrices (the last two axes)."""
    return array_of(x).diagonal(offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices (the last two axes)."""
    return _trace(x, offset, -2, -1, dtype=dtype)


def outer(x1, x2, /):
    """All products of the elements of two vectors."""
    x1, x2 = array_of(x1), array_of(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}.")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """The vector product of vectors with three components."""
    x1, x2 = array_of(x1), array_of(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, "
                         f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return _cross(x1, x2, axis=axis)


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors or matrices."""
    lazily = array_of(x) if hasattr(x, "shape") or isinstance(x, (list, tuple)) else None
    simple = ord is None or (ord == 2 and lazily is not None and (lazily.ndim == 1 or isinstance(axis, int)))
    if lazily is None or not simple:
        return call_real("library", "np.linalg.norm", numpy.linalg.norm, (x, ord, axis, keepdims), {})
    x = lazily if lazily.dtype.kind in "fc" else lazily.astype(float)
    axes = None if axis is None else normalize_axes(axis, x.ndim)
    return u["sqrt"](_squares(x).sum(axis=axes, keepdims=keepdims))


def _squares(x):
    return x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors along axes."""
    x = array_of(x)
    if ord != 2 or x.dtype.kind not in "fc":
        return call_real("library", "np.linalg.vector_norm", numpy.linalg.vector_norm, (x,), {"axis": axis, "keepdims": keepdims, "ord": ord})
    return norm(x, None, axis, keepdims)


def __getattr__(name):
    value = getattr(numpy.linalg, name)
    return passed_through(value, f"np.linalg.{name}") if callable(value) and not isinstance(value, type) else value
