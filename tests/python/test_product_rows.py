# SPDX-License-Identifier: Apache-2.0
"""Products of vectors in a loop are one product of matrices (product_rows.cpp)."""

import numpy
import pytest

import skald

N, M = 130, 120


def numbers(dtype, *shape):
    rng = numpy.random.default_rng(3)
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def products():
    return skald.stats()["fallbacks"].get("matmul", (0, 0))[0]


def check(program, *arrays, dtype="float64"):
    """Compares with NumPy, and gives how many products of NumPy's there were."""
    expected = program(numpy, *(a.copy() for a in arrays))
    ours = [skald.array(a) for a in arrays]
    skald.flush()
    before = products()
    result = numpy.asarray(program(skald, *ours))
    exact = 1e-4 if dtype in ("float32", "complex64") else 1e-10
    numpy.testing.assert_allclose(result, expected, rtol=exact, atol=exact)
    return products() - before


def triangle(np, data):
    made = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        made[i:, i] = made[i, i:] = data[:, i] @ data[:, i:] / 3.0
    return made


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_triangle(dtype):
    assert check(triangle, numbers(dtype, N, M), dtype=dtype) <= 3


def test_after_something_that_is_pending():
    def program(np, data):
        data = data - data.mean(axis=0)
        return triangle(np, data)

    assert check(program, numbers("float64", N, M)) <= 3


def test_rows_of_two_arrays():
    def program(np, a, b):
        made = np.zeros((N, M))
        for i in range(N):
            made[i] = b @ a[i]
        return made

    assert check(program, numbers("float64", N, 2 * M)[:, ::2], numbers("float64", M, M)) <= 3


def test_backwards_and_windows():
    def program(np, a, b):
        made = np.zeros((N, 20))
        for i in range(N - 1, -1, -1):
            made[i] = a[i, ::-1] @ b[:, i // 10:i // 10 + 20]
        return made

    check(program, numbers("float64", N, M), numbers("float64", M, M))


def test_steps_that_are_not_even():
    def program(np, a, b):
        return np.stack([a[i * i % N] @ b for i in range(40)])

    check(program, numbers("float64", N, M), numbers("float64", M, M))


def test_narrow_parts_that_lie_far_apart():
    def program(np, a, b):
        return np.stack([a[i] @ b[:, i:i + 2] for i in range(100)])

    check(program, numbers("float64", N, M), numbers("float64", M, M))


def test_matrices_that_change_in_the_loop():
    def program(np, a):
        for i in range(1, 60):
            a[i, i:] -= a[i, :i] @ a[:i, i:]
            a[:, i] += a[0] @ a
        return a

    check(program, numbers("float64", M, M) / M)


def test_one_vector_for_all():
    def program(np, a, b):
        return np.stack([a[0] @ b[:, i:i + 90] for i in range(30)])

    check(program, numbers("float64", N, M), numbers("float64", M, M))


def test_results_may_be_changed():
    def program(np, a, b):
        rows = [a[i] @ b for i in range(30)]
        np.flush() if np is skald else None
        for row in rows:
            row += 1.0
        rows[3][:] = 7.0
        return np.stack(rows)

    assert check(program, numbers("float64", N, M), numbers("float64", M, M)) <= 3


def test_infinity_in_what_is_not_needed():
    data = numbers("float64", N, M)
    data[5, :3] = numpy.inf
    ours = skald.array(data)
    with numpy.errstate(all="ignore"):
        expected = triangle(numpy, data)
    result = numpy.asarray(triangle(skald, ours))
    numpy.testing.assert_allclose(result[3:, 3:], expected[3:, 3:], rtol=1e-10, atol=1e-10)
