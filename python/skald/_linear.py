# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors: library calls that stay in the graph, so that nothing is forced.

A product of vectors and matrices of one type is a node; with a vector it can be part of a program.  Others are
opaque nodes with known shape and dtype, for which NumPy's BLAS is called when the result is needed.
"""

import numpy

from . import _core
from ._engine import at_hand, from_numpy, normalize_axis, peek, result_type
from ._fallback import call_real
from ._native import array_of, native, quick
from ._record import TO_DIFFERENTIATE

u = _core.ufuncs


def recorded(real, arrays, shape, dtype):
    """A call of the library as a node of the graph; `real` takes real arrays and gives one."""
    return _core.opaque(real, tuple(arrays), [(tuple(shape), numpy.dtype(dtype))])[0]


def recorded_product(a, b):
    """a @ b inside a function that is recorded: a library call, or sums that have derivatives."""
    a, b = array_of(a), array_of(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul: an operand has no axes")
    inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul: shapes {shape_text(a)} and {shape_text(b)} do not fit: {a.shape[-1]} is different from {inner}")
    if _core.recording() & TO_DIFFERENTIATE:
        if b.ndim == 1:
            return u["add"].reduce(a * b, axis=-1)
        if a.ndim == 1:
            return u["add"].reduce(a[:, None] * b, axis=-2)
        return u["add"].reduce(a[..., :, :, None] * b[..., None, :, :], axis=-2)
    outer = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return recorded(numpy.matmul, (a, b), outer + a.shape[-2:-1][:a.ndim - 1] + b.shape[-1:][:b.ndim - 1], result_type(a, b))


@quick
@native
def dot(a, b, out=None):
    """The product of two arrays: over the last axis of the first and the last but one of the second."""
    if out is None:
        product = _core.product(a, b)
        if product is not None:
            return product
    a, b = array_of(a), array_of(b)
    if a.ndim == 0 or b.ndim == 0:
        return u["multiply"](a, b, out=out)
    inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
    if a.shape[-1] != inner:
        raise ValueError(f"shapes {shape_text(a)} and {shape_text(b)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != {inner} (dim {max(b.ndim - 2, 0)})")
    if out is not None:
        return call_real("library", "np.dot", numpy.dot, (a, b), {"out": out})
    if at_hand(a, b):
        return from_numpy(numpy.dot(peek(a), peek(b)))
    if _core.recording() & TO_DIFFERENTIATE:
        return recorded_product(a, b) if max(a.ndim, b.ndim) <= 2 else tensordot(a, b, (-1, -1 if b.ndim == 1 else -2))
    shape = a.shape[:-1] + (() if b.ndim == 1 else b.shape[:-2] + b.shape[-1:])
    return recorded(numpy.dot, (a, b), shape, result_type(a, b))


def shape_text(a):
    return "(" + ",".join(map(str, a.shape)) + ("," if a.ndim == 1 else "") + ")"


@native
def vdot(a, b, /):
    """The scalar product of two flat arrays; the first is conjugated."""
    a, b = array_of(a).ravel(), array_of(b).ravel()
    if a.size != b.size:
        raise ValueError("cannot reshape array of size {} into shape {}".format(b.size, shape_text(a)))
    return dot(a.conj() if a.dtype.kind == "c" else a, b)


@native
def inner(a, b, /):
    """The product over the last axes of both."""
    a, b = array_of(a), array_of(b)
    if a.ndim == 0 or b.ndim == 0:
        return u["multiply"](a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"shapes {shape_text(a)} and {shape_text(b)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[-1]} (dim {b.ndim - 1})")
    if _core.recording() & TO_DIFFERENTIATE:
        return tensordot(a, b, (-1, -1))
    return recorded(numpy.inner, (a, b), a.shape[:-1] + b.shape[:-1], result_type(a, b))


@native
def outer(a, b, out=None):
    """All products of two flat arrays."""
    return u["multiply"](array_of(a).ravel()[:, None], array_of(b).ravel()[None, :], out=out)


@native
def tensordot(a, b, axes=2):
    """The product over several axes of both."""
    a, b = array_of(a), array_of(b)
    if isinstance(axes, (tuple, list)):
        left, right = (tuple(x) if hasattr(x, "__len__") else (x,) for x in axes)
    else:
        left, right = tuple(range(-axes, 0)), tuple(range(axes))
    left = tuple(normalize_axis(x, a.ndim) for x in left) if len(left) <= a.ndim else left
    right = tuple(normalize_axis(x, b.ndim) for x in right) if len(right) <= b.ndim else right
    if len(left) != len(right) or len(left) > a.ndim or len(right) > b.ndim or any(a.shape[x] != b.shape[y] for x, y in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    free_left = [x for x in range(a.ndim) if x not in left]
    free_right = [y for y in range(b.ndim) if y not in right]
    count = 1
    for x in left:
        count *= a.shape[x]
    rows, columns = [a.shape[x] for x in free_left], [b.shape[y] for y in free_right]
    one = a.transpose(free_left + list(left)).reshape(_product(rows), count)
    two = b.transpose(list(right) + free_right).reshape(count, _product(columns))
    return dot(one, two).reshape(rows + columns)


def _product(extents):
    result = 1
    for extent in extents:
        result *= extent
    return result


@native
def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sums of products, written with the names of axes."""
    return call_real("library", "np.einsum", numpy.einsum, operands, {**({} if out is None else {"out": out}), "optimize": optimize, **kwargs})
