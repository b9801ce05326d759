# SPDX-License-Identifier: Apache-2.0
"""Two products with the same large matrix are made block by block (shared_products.cpp)."""

import numpy
import pytest
import skald as np

ROWS, COLUMNS = 1500, 1000


@pytest.fixture(scope="module")
def numbers():
    rng = numpy.random.default_rng(5)
    return rng.standard_normal((ROWS, COLUMNS)), rng.standard_normal(ROWS), rng.standard_normal(COLUMNS)


def products():
    return np.stats()["fallbacks"].get("matmul", (0, 0))[0]


def check(made, expected):
    numpy.testing.assert_allclose(numpy.asarray(made), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("first", ["rows", "columns"])
def test_pair(numbers, turned, first):
    a, r, x = numbers
    lazy = np.array(a.T).T if turned else np.array(a)
    left, right = np.array(r), np.array(x)
    np.flush()
    before = products()
    if first == "rows":
        by_row, by_column = lazy @ right, left @ lazy
    else:
        by_column, by_row = left @ lazy, lazy @ right
    np.flush()
    assert products() == before + 1, "one pass over the matrix"
    check(by_row, a @ x)
    check(by_column, r @ a)


def test_chain(numbers):
    a, _, x = numbers
    lazy, right = np.array(a), np.array(x)
    np.flush()
    before = products()
    made = (lazy @ right) @ lazy
    np.flush()
    assert products() == before + 1
    check(made, (a @ x) @ a)


def test_same_direction_and_strides(numbers):
    a, _, x = numbers
    wide = np.array(numpy.repeat(x, 2))
    lazy = np.array(a)[:, :]
    one, two = lazy @ wide[::2], lazy @ wide[::-2]
    check(one, a @ x)
    check(two, a @ x[::-1])


def test_matrix_that_changes_in_between(numbers):
    a, r, x = numbers
    lazy, left, right = np.array(a), np.array(r), np.array(x)
    by_row = lazy @ right
    lazy[3] = 0.0
    by_column = left @ lazy
    check(by_row, a @ x)
    changed = a.copy()
    changed[3] = 0.0
    check(by_column, r @ changed)


def test_single_precision(numbers):
    a, r, x = (array.astype(numpy.float32) for array in numbers)
    rows = numpy.vstack([a, a])
    lazy, left, right = np.array(rows), np.array(numpy.concatenate([r, r])), np.array(x)
    by_row, by_column = lazy @ right, left @ lazy
    np.flush()
    assert by_row.dtype == by_column.dtype == numpy.float32
    numpy.testing.assert_allclose(numpy.asarray(by_row), rows @ x, rtol=1e-3, atol=1e-3)
    numpy.testing.assert_allclose(numpy.asarray(by_column), numpy.concatenate([r, r]) @ rows, rtol=1e-3, atol=1e-2)
