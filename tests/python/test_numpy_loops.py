# SPDX-License-Identifier: Apache-2.0
"""Where nothing is compiled, NumPy's inner loops run on our memory: results, bits and warnings are NumPy's."""

import warnings

import numpy
import pytest

import skald
from skald import _core

ELEMENTWISE = [
    name for name in sorted(dir(numpy))
    if isinstance(getattr(numpy, name), numpy.ufunc) and getattr(numpy, name).nout == 1 and not getattr(numpy, name).signature and getattr(numpy, name).nin < 3
]


@pytest.fixture(autouse=True)
def by_numpy():
    _core.set_option("evaluator", "numpy")
    yield
    _core.set_option("evaluator", "auto")


def values(dtype, shape=(7, 30, 12)):
    count = int(numpy.prod(shape))
    numbers = (numpy.arange(count) * 37 % 101 - 40) / 4
    if dtype == "bool":
        return (numbers > 0).reshape(shape)
    numbers[5::97] = 0
    return numpy.abs(numbers).astype(dtype).reshape(shape) if dtype.startswith("u") else numbers.astype(dtype).reshape(shape)


def both(compute, *arrays):
    found = []
    for np in (numpy, skald):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                result = numpy.asarray(compute(np, *(np.array(a) for a in arrays)))
            except (TypeError, ValueError) as problem:
                result = type(problem)
            found.append((result, sorted({str(w.message) for w in told})))
    return found


def check(compute, *arrays):
    (expected, warned), (result, also_warned) = both(compute, *arrays)
    assert warned == also_warned
    if isinstance(expected, type):
        assert expected is result
        return
    assert expected.dtype == result.dtype and expected.shape == result.shape
    assert bits(expected) == bits(result)


def bits(array):
    """What tells zeros apart, but not what is no number: NumPy has several of these."""
    array = numpy.array(array)
    if array.dtype.kind in "fc":
        numbers = array.reshape(-1).view(array.real.dtype)
        numbers[numpy.isnan(numbers)] = numpy.nan
    return array.tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_operations(name, dtype):
    a = values(dtype)
    views = [lambda x: x, lambda x: x[:, ::2, ::-1], lambda x: x[1:, :, 3:9], lambda x: x[::3, 1]]
    for view in views:
        if getattr(numpy, name).nin == 1:
            check(lambda np, x: getattr(np, name)(view(x)), a)
        else:
            check(lambda np, x, y: getattr(np, name)(view(x), view(y)), a, a[::-1])
            check(lambda np, x: getattr(np, name)(view(x), view(x)[..., :1]), a)
            if not dtype.startswith(("int", "uint")) or not name.endswith("shift"):
                check(lambda np, x: getattr(np, name)(view(x), 2), a)


@pytest.mark.parametrize("shape", [(3000, ), (40, 70), (2, 3, 4, 5, 6, 7), (3, 1, 1, 900)])
def test_transposed_and_repeated(shape):
    a = values("float64", shape)
    check(lambda np, x: x.T + np.ones(x.shape).T * 3, a)
    check(lambda np, x: x.T / np.sqrt(np.abs(x) + 1).T - x.T, a)
    check(lambda np, x: x + np.arange(1.0, x.shape[-1] + 1), a)
    check(lambda np, x: np.where(x > 0, x, -1.0), a)
    check(lambda np, x: np.where(x.T > 0, 0.5, x.T), a)


def test_in_place():
    def program(np, x):
        y = np.array(x)
        y[1:-1] = x[2:] + x[:-2]
        y[:, 3] = x[:, 4] * 2
        y[:, 5:20] /= x[:, 5:20]
        y[5] -= y[6]
        y[:, ::2] = np.sqrt(y[:, 1::2])
        y += y
        y[::-1] = y * 0.5
        y[:, 7] = x[:, 8]
        y.T[9] = x.T[3] - y.T[9]
        return y

    check(program, values("float64", (300, 40)))
    check(program, values("float32", (12, 4000)))


def test_sums():
    for dtype in ("bool", "int32", "int64", "uint8", "float16", "float32", "float64"):
        for shape in ((1, ), (9, ), (4000, ), (50, 90), (100_001, )):
            a = values(dtype, shape)
            for name in ("sum", "prod", "max", "min", "all", "any", "mean"):
                check(lambda np, x: getattr(x, name)(), a)
            check(lambda np, x: x[::3].sum() + x[::-1].sum(), a)
    check(lambda np, x: (x * 1e308).sum(), values("float64"))
    check(lambda np, x: np.add(x, x).sum(), numpy.full(3000, -0.0))


def test_sums_of_chosen_elements():
    a = values("float64", (90_000, )) / 3
    for bound in (-20, 0, 9, 30):
        check(lambda np, x: x[x > bound].sum(), a)
        check(lambda np, x: (x[x > bound] * 2).prod(), a[:5000] / 8)
        check(lambda np, x: (x[x > bound] > 3).any(), a)
        check(lambda np, x: x[np.logical_and(x > bound, x < bound + 4)].sum(), a)


def test_errors_come_once_and_by_name():
    a = numpy.zeros(5000)
    check(lambda np, x: x / x, a)
    check(lambda np, x: np.log(x) + 1 / x, a)
    for np in (numpy, skald):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            numpy.asarray(1 / np.asarray(a))
