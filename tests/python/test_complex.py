# SPDX-License-Identifier: Apache-2.0
"""Complex numbers: plans compute with pairs of floats what NumPy computes; the same programs run by NumPy."""

import numpy
import pytest

import skald
from skald import _core

DTYPES = ("complex64", "complex128")


@pytest.fixture(params=["compiled", "numpy"])
def evaluator(request):
    try:
        _core.set_option("evaluator", request.param)
    except RuntimeError as problem:
        pytest.skip(str(problem))
    before = _core.stats()["compiled_nodes"]
    yield request.param
    skald.flush()
    compiled = _core.stats()["compiled_nodes"] > before
    _core.set_option("evaluator", "auto")
    assert compiled == (request.param == "compiled")
    assert _core.compile_failures() == []


def numbers(dtype, *shape, seed=1):
    random = numpy.random.default_rng(seed)
    return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)


def same(ours, theirs, exact=False):
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if exact:
        numpy.testing.assert_array_equal(ours, theirs)
    else:
        close = 2e-5 if theirs.dtype in (numpy.complex64, numpy.float32) else 1e-12
        numpy.testing.assert_allclose(ours, theirs, rtol=close, atol=close)


def both(program, *arrays, exact=False):
    """Runs the program on copies of the arrays; its results and the arrays afterwards must agree."""
    results = []
    for np in (numpy, skald):
        own = [np.array(a.copy()) for a in arrays]
        made = program(np, *own)
        results.append([*(made if isinstance(made, tuple) else (made,)), *own])
    for ours, theirs in zip(results[1], results[0]):
        same(ours, theirs, exact)


UNARY = ("negative", "positive", "conjugate", "absolute", "square", "reciprocal", "exp", "log", "sqrt", "sin", "cos", "isnan", "isinf",
         "isfinite", "logical_not")
BINARY = ("add", "subtract", "multiply", "divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "maximum",
          "minimum", "logical_and", "logical_or", "logical_xor")


@pytest.mark.parametrize("dtype", DTYPES)
def test_operations(evaluator, dtype):
    def program(np, z, w):
        w[0] = z[0]
        w[1].real = z[1].real
        return tuple(getattr(np, name)(z) for name in UNARY) + tuple(getattr(np, name)(z, w) for name in BINARY)
    both(program, numbers(dtype, 5, 7), numbers(dtype, 5, 7, seed=2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_and_powers(evaluator, dtype):
    def program(np, z):
        return (z * 2.5, z + 1, 1j * z, (2 - 3j) / z, z / 4, z - 1j, z ** 2, z ** 3, z ** 4, z ** 0, z ** -1, z ** 0.5, z ** 7, z ** (1 + 1j),
                z * numpy.complex64(1j), z * numpy.float64(0.3), z * True, 2 ** z, z == 1, z != 1j)
    both(program, numbers(dtype, 11))


@pytest.mark.parametrize("dtype", DTYPES)
def test_other_types(evaluator, dtype):
    x = numpy.arange(12.0).reshape(3, 4) - 5

    def program(np, z, x):
        n, f, mask = x.astype("int32"), x.astype("float32"), x > 0
        return (z * x, x - z, z / (n + 9), f * z, z + mask, np.where(mask, z, x), np.where(mask, 1j, z), np.where(z == z[0], x, 2), z.astype("complex64"),
                z.astype("complex128"), x.astype("complex64"), n.astype("complex128"), mask.astype("complex64"), z.astype(bool), np.angle(z),
                np.isreal(z), np.iscomplex(z), z.real + x, z.imag * 2)
    both(program, numbers(dtype, 3, 4), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_and_broadcasting(evaluator, dtype):
    def program(np, z, w):
        row, column = z[2], w[:, 1:2]
        return (z[::-1, ::2] * w[:, 1::2], z.T + w.T, row * column, z[1:] - z[:-1], z[None, :, :] * w[:, None, :], z.reshape(-1)[3:40:5] + 1,
                z.T.reshape(-1) * 2, z[:, ::-1].conj(), np.roll(z, 2, axis=1) - w, z[..., None] * numpy.arange(3.0), z.reshape(8, 6).diagonal() * 2)
    both(program, numbers(dtype, 6, 8), numbers(dtype, 6, 8, seed=2))


def writes(np, z, w):
    z[1:3] = w[2:4] * 2
    z[:, 2] = 1j
    z[::2, 1::3] += 3
    z[3] = w[:, 0].sum()
    z[abs(w) > 1] *= 2j
    z[w.real > 0.5] = 0
    z[1:] = z[:-1]
    z[:, :3] -= z[:, 3:6]
    z[4, 4] = 2 - 1j
    z.reshape(-1)[::11] = 5j
    z[:2].T[...] = w[:2].T.conj()
    planes = np.zeros((3, *z.shape), dtype=z.dtype)
    planes[1], planes[:, 2], planes[2] = z, w[0], z * w
    fresh = np.empty_like(z)
    fresh[:3], fresh[3:] = w[3:], 1 / w[:3]
    return planes, fresh, z[2] * 1.0


def parts(np, z, w):
    real, imag = z.real, z.imag
    total = real ** 2 + imag ** 2
    z *= 2
    more = real - imag
    imag[1:3] = 7
    real[:, ::2] += w.imag[:, ::2]
    z.real = z.imag * 0.5
    z.imag[w.real > 0] = -1
    z.T.real[2] *= 3
    np.multiply(real, 2, out=imag)
    w[0].imag.fill(3)
    w.real.sort()
    z[1, 1] = 3 + 4j
    return total, more, real + 0, imag[::-1] - 1, z.real.T[1:], np.sum(z.real)


def loops(np, z, w):
    counts = np.zeros(z.shape, dtype="int64")
    z = z * 0
    for round in range(30):
        inside = np.less(abs(z), 2.0)
        counts[inside] = round
        z[inside] = z[inside] ** 2 + w[inside]
    for round in range(24):
        w = w * (0.5 + 0.01j * round) + 0.25j
    for column in range(1, w.shape[1]):
        w[:, column] += w[:, column - 1] * 0.5j
    return counts, z, w


def transform(np, z, w):
    """One step of a fast Fourier transform after the other."""
    y, length, half = z.reshape(-1)[:32].copy(), 32, 1
    while half < length:
        twiddle = np.exp(-1j * np.pi * np.arange(half) / half)
        v = y.reshape(2, length // 2 // half, half)
        even, odd = v[0], v[1] * twiddle
        y = np.concatenate((even + odd, even - odd), axis=1).reshape(-1)
        half *= 2
    return y


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", (writes, parts, loops, transform))
def test_programs(evaluator, program, dtype):
    both(program, numbers(dtype, 6, 8) * dtype_of(dtype, 0.5), numbers(dtype, 6, 8, seed=2))


def dtype_of(dtype, value):
    return numpy.dtype(dtype).type(value)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_and_products(evaluator, dtype):
    def program(np, z, w):
        a, b = z[0], w[1]
        return (z.sum(), z.sum(0), z.sum((0, 1), keepdims=True), z.mean(), z.mean(1), z.prod(), z.prod(0), np.cumsum(z, 0), np.cumsum(z, 1),
                np.cumprod(z, 1), np.sum(z, dtype="complex128"), np.var(z), np.std(z, axis=0), np.sum(abs(z) ** 2), np.sum(z * w.conj(), axis=1),
                np.dot(a, b), np.vdot(a, b), z @ b, a @ w.T, (z * 2) @ w.T, np.sum(z[:, None, :] * w[None] * b, axis=-1),
                np.sum(np.sum(z[:, None, :, None] * w[None, :, None, :], -1) * a[None, None], -1), (z > 0).sum(), np.max(z.real))
    both(program, numbers(dtype, 6, 8), numbers(dtype, 6, 8, seed=2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_elements_and_none(evaluator, dtype):
    def program(np, z):
        nothing, one, point = z[:0], z[:1], np.sum(z)
        return (nothing * 2 + nothing, nothing.sum(), nothing.conj(), one * one, abs(one), point * 1j + point, np.exp(point), point.real * 2,
                point.imag, z[None, :, None] + 1, np.zeros((3, 0), dtype=z.dtype) * 2, z[2:3].sum() / z, np.array(2j, dtype=z.dtype) * z)
    both(program, numbers(dtype, 5))


CORNERS = [0.0, -0.0, 1.0, -1.5, numpy.inf, -numpy.inf, numpy.nan]


def corners(dtype):
    real, imag = numpy.meshgrid(CORNERS, CORNERS)
    z = numpy.empty(real.shape, dtype)
    z.real, z.imag = real, imag
    return z.ravel()


def signed(x):
    """What tells zeros of different signs apart; the sign of a NaN says nothing."""
    return numpy.stack([x, numpy.where(numpy.isnan(x), 0, numpy.copysign(1, x))])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ("negative", "conjugate", "absolute", "square", "sqrt", "isnan", "isinf", "isfinite", "logical_not", "exp"))
@pytest.mark.filterwarnings("ignore")
def test_corners_of_one(name, dtype):
    compiled_corners(lambda np, z: getattr(np, name)(z), corners(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ("add", "subtract", "multiply", "divide", *BINARY[4:]))
@pytest.mark.filterwarnings("ignore")
def test_corners_of_two(name, dtype):
    z = corners(dtype)
    compiled_corners(lambda np, z, w: getattr(np, name)(z, w), numpy.repeat(z, len(z)), numpy.tile(z, len(z)))


def compiled_corners(program, *arrays):
    try:
        _core.set_option("evaluator", "compiled")
    except RuntimeError as problem:
        pytest.skip(str(problem))
    try:
        ours = numpy.asarray(program(skald, *[skald.array(a) for a in arrays]))
    finally:
        _core.set_option("evaluator", "auto")
    theirs = program(numpy, *arrays)
    assert ours.dtype == theirs.dtype
    if theirs.dtype == bool:
        numpy.testing.assert_array_equal(ours, theirs)
        return
    close = 2e-6 if theirs.dtype in (numpy.complex64, numpy.float32) else 1e-14
    for part in ("real", "imag"):
        numpy.testing.assert_allclose(signed(getattr(ours, part)), signed(getattr(theirs, part)), rtol=close)


@pytest.mark.parametrize("dtype, large, small", (("complex64", 3e38, 1e-44), ("complex128", 1.5e308, 5e-324)))
@pytest.mark.filterwarnings("ignore")
def test_sizes_that_squares_do_not_have(dtype, large, small):
    few = [0, small, 3 * small, 1e-30, 1, 1e30, large / 4, large]
    real, imag = numpy.meshgrid(few, few)
    z = (real + 1j * imag).astype(dtype).ravel()
    for name in ("absolute", "sqrt", "divide"):
        compiled_corners(lambda np, z: np.divide(z, 2 - 3j) if name == "divide" else getattr(np, name)(z), z)


def test_derivatives_are_of_floats():
    with pytest.raises(TypeError, match="complex|differentiated"):
        skald.grad(lambda x: skald.sum(abs(x * 1j)))(skald.ones(3))
