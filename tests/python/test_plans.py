# SPDX-License-Identifier: Apache-2.0
"""What is part of plans: products of matrices of which one has few columns, rounds put together, constants."""

import numpy
import pytest

import skald
from skald import _core

ROUNDS = 37
"""Some together, and some that are left."""


pytestmark = pytest.mark.usefixtures("compiled")


def values(np, *shape, dtype=float):
    a = numpy.arange(float(numpy.prod(shape))).reshape(shape) % 13 / 4 - 1
    return np.array((a + 1j * a[::-1] if dtype is complex else a).astype(dtype))


def same(program, tolerance=1e-11):
    before = _core.stats()
    ours = numpy.asarray(program(skald))
    after = _core.stats()
    theirs = numpy.asarray(program(numpy))
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    products = lambda stats: stats["fallbacks"].get("matmul", (0, 0))[0]
    return products(after) - products(before), after["loops"] - before["loops"]


@pytest.mark.parametrize("rows, inner, columns", [(50, 60, 1), (1, 60, 50), (2, 2, 900), (900, 3, 16), (70, 1, 1)])
@pytest.mark.parametrize("dtype", [float, numpy.float32, complex])
def test_in_plans(rows, inner, columns, dtype):
    program = lambda np: (values(np, rows, inner, dtype=dtype) * 2 + 1) @ values(np, inner, columns, dtype=dtype) + 1
    assert same(program, 1e-4 if dtype == numpy.float32 else 1e-11) == (0, 0)


def test_others_are_left_to_blas():
    assert same(lambda np: values(np, 40, 50) @ values(np, 50, 60))[0] == 1


def test_sums_put_together():
    def program(np):
        data, place = values(np, 70_000), np.array(numpy.arange(70_000.0) % 101)
        result = np.zeros(ROUNDS)
        for i in range(ROUNDS):
            result[i] = data[np.logical_and(i * 2 <= place, place < i * 2 + 2)].mean()
        return result
    assert same(program)[1] >= 1


def test_numpys_scalars_are_constants():
    def program(np):
        a = values(np, 3000)
        for i in range(40):
            a = np.where(a > 1, a * numpy.array(0.5), numpy.zeros((), a.dtype)) + numpy.float64(i)
        return a
    assert same(program)[1] == 1


def test_triangles_in_loops():
    def program(np):
        a = values(np, 50, 50)
        for _ in range(40):
            a = np.triu(a, 1) * 0.5 + np.tril(a)
        return a
    assert same(program)[1] == 1
