# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on rows of up to some thousand elements is done when it is met; nobody may notice."""

import warnings

import numpy
import pytest

import skald

COUNTS = (1, 2, 128, 129, 1000, 4096, 4097)
OPERATIONS = ("add", "subtract", "multiply", "divide", "maximum", "less", "equal")
NUMBERS = (2, -3, 0.5, 0, 2**24 + 1, 2**70, 1e300, True, numpy.float64(1.5), numpy.float32(0.1), numpy.int64(7))


def told(compute):
    with warnings.catch_warnings(record=True) as list_of_warnings:
        warnings.simplefilter("always")
        try:
            result = compute()
        except (TypeError, ValueError, OverflowError) as error:
            result = type(error)
    return result, sorted(str(w.message) for w in list_of_warnings)


def check(program, *arrays):
    """The program does the same to copies of the arrays, and says the same."""
    theirs, ours = [numpy.array(a) for a in arrays], [skald.array(a) for a in arrays]
    skald.flush()
    expected, warned = told(lambda: program(numpy, *theirs))
    result, also_warned = told(lambda: (program(skald, *ours), skald.flush())[0])
    assert warned == also_warned
    if isinstance(expected, type):
        assert result is expected
    elif expected is not None:
        assert numpy.asarray(result).dtype == expected.dtype
        numpy.testing.assert_array_equal(numpy.asarray(result), expected)
    for a, b in zip(ours, theirs):
        numpy.testing.assert_array_equal(numpy.asarray(a), b)


def rows(count, dtype):
    values = numpy.random.default_rng(count).normal(size=(3, count)) * 50
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ("float64", "float32", "int64", "int32", "complex128", "bool"))
@pytest.mark.parametrize("count", COUNTS)
def test_rows(count, dtype):
    values = rows(count, dtype)
    for name in OPERATIONS:
        check(lambda np, a: getattr(np, name)(a[0], a[1]), values)
        check(lambda np, a: getattr(np, name)(a[0, ::-1], a[2]), values)


@pytest.mark.parametrize("dtype", ("float64", "float32", "int64", "int32", "complex128", "bool"))
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_numbers(number, dtype):
    values = rows(40, dtype)
    check(lambda np, a: a[0] * number + number, values)
    check(lambda np, a: number - a[0], values)
    check(lambda np, a: a[0] < number, values)

    def in_place(np, a):
        a[1] *= number
        a[:, 3] += number

    check(in_place, values)


def test_arrays_without_axes():
    check(lambda np, a: a[0] * a.sum() + np.array(2.0), rows(30, "float64"))
    check(lambda np, a: a[0] * np.array(2, dtype=np.int32), rows(30, "float64"))


@pytest.mark.parametrize("count", COUNTS)
def test_in_place(count):
    def program(np, a):
        a[0] += a[1]
        a[1, 1:] += a[1, :-1]
        a[2, :-1] -= a[2, 1:]
        a[0] *= a[0, ::-1]
        a[:, 0] /= 3.0
        b = a.T
        b[0] += b[-1]
        b[-1] -= 0.25
        np.add(a[0], a[1], a[0])
        np.multiply(a[1], 0.5, out=a[2])
        a[0] /= 2
        a[0] += a[:1].reshape(count)
        a *= 0.5

    check(program, rows(count, "float64"))
    check(program, rows(count, "float32"))


def test_columns_lie_apart():
    def program(np, a):
        for j in range(1, a.shape[1]):
            a[:, j] = 0.5 * a[:, j - 1] - a[:, j] / (1.0 + a[0, j] * a[:, j - 1])

    check(program, numpy.random.default_rng(1).normal(size=(50, 20)) ** 2)


def test_warnings_leave_what_numpy_leaves():
    def program(np, a):
        a[0] /= 0.0
        a[1] *= 1e300
        a[1] *= 1e300
        a[2] -= a[0]

    check(program, rows(20, "float64"))

    def raises(np, a):
        with numpy.errstate(all="raise"):
            try:
                a[0] /= 0.0
                np.flush()
            except (FloatingPointError, AttributeError):
                return a[1] * 1.0

    check(raises, rows(20, "float64"))


def test_others_who_see_the_memory():
    a = skald.ones(20)
    skald.flush()
    seen = numpy.asarray(a)
    a += 1.0
    assert seen.tolist() == [2.0] * 20
    seen[3] = 7.0
    assert (a * 2.0)[3] == 14.0


def test_what_was_recorded_before_reads_what_was_there():
    large, row = skald.ones((200, 200)), skald.ones(200)
    skald.flush()
    pending = large * row
    row += 1.0
    row *= 3.0
    assert float(pending.sum()) == 200 * 200 and float(row[0]) == 6.0


def test_versions_of_an_array():
    a = skald.arange(10.0)
    skald.flush()
    b = a.copy()
    a += b
    a[2:5] *= 2.0
    assert b.tolist() == list(range(10))
    assert a.tolist() == [0, 2, 8, 12, 16, 10, 12, 14, 16, 18]


def test_read_only_and_wrong_shapes():
    def program(np, a):
        np.broadcast_to(a[0], (2, 20))[0] += 1.0

    check(program, rows(20, "float64"))
    check(lambda np, a: a[0] + a[1, :-1], rows(20, "float64"))

    def wrong(np, a):
        a[0] += a[1, :-1]

    check(wrong, rows(20, "float64"))

    def wider(np, a):
        a[0] += a

    check(wider, rows(20, "float64"))

    def other_kind(np, a):
        a[0] += 0.5

    check(other_kind, rows(20, "int64"))


def test_parts_of_matrices():
    def program(np, a, b):
        c = a[1:-1, 1:-1] + a[:-2, 1:-1] * 0.5 - a[2:, 2:] / b[1:-1, :1]
        a[1:-1, 1:-1] += c
        a[1:-1, ::2] -= b[1:-1, ::2]
        a[::-1, 3:] *= b[0, 3:]
        b[:, 2:5] = a[:, 4:7] * b[:, 2:3]
        b[:, 1] = a[2] * 2.0 if a.shape[0] == a.shape[1] else b[:, 0]
        return c * a[1:-1, :1] + b[0, 1:-1]

    for rows_, columns in ((5, 7), (30, 30), (40, 60)):
        values = numpy.random.default_rng(5).normal(size=(2, rows_, columns))
        check(program, values[0], values[1])


def test_more_axes_and_columns():
    def program(np, a):
        b = a[1:, :, 1:] * a[:-1, :, :-1]
        c = a.T + a.T
        d = a[:, ::2].transpose(2, 0, 1) * 0.5
        a[:, 1, :] += a[:, 0, :]
        a[..., 0] -= 1.0
        return (c[:2, :3, :4] * d[:2, :3, :1] + b[0, :4, 0]).ravel(order="K")

    check(program, numpy.random.default_rng(5).normal(size=(4, 5, 6)))


def test_memory_order():
    for make in (lambda np, a: a.T * 2.0, lambda np, a: a.T + a.T, lambda np, a: a[:, ::-1].T - a.T):
        ours, theirs = make(skald, skald.ones((6, 9))), make(numpy, numpy.ones((6, 9)))
        assert ours.strides == theirs.strides and ours.flags.f_contiguous == theirs.flags.f_contiguous


def test_copies_and_writes():
    def program(np, a):
        for _ in range(3):
            before = a.copy()
            a[1:-1, 1:-1] = 0.25 * (before[:-2, 1:-1] + before[2:, 1:-1]) + before[1:-1, 1:-1]
            a[:, -1] = a[:, -2]
            a[0] = a[1]
            a[1:, 2] = a[:-1, 2]
            a[::-1, 3] = a[:, 3]
            a[2] = 0
            a[:, 1] = 0.5
            again = a.copy()
            a *= 0.5
            a[3:5] -= before[3:5]
        return again - before

    check(program, numpy.random.default_rng(5).normal(size=(20, 30)))
    check(program, numpy.random.default_rng(5).normal(size=(60, 30)))
    check(program, numpy.random.default_rng(5).normal(size=(140, 30)))


def test_writes_of_more_axes():
    def program(np, a):
        b = a.copy()
        a[1:, :, ::2] = b[:-1, :, ::2]
        a[:-1] = a[1:]
        a[..., 3] = 7
        return b

    check(program, numpy.random.default_rng(5).normal(size=(4, 20, 20)))


def test_new_arrays():
    def program(np, a):
        x, y, z = np.zeros(30), np.ones_like(a), np.full((3, 4), 2.5)
        x[:20] += a[0]
        y[0] *= x[10:]
        z[1:, 0] = x[:2]
        return (y.sum(axis=0) + z.sum()).astype(np.float32)

    check(program, numpy.random.default_rng(5).normal(size=(5, 20)))
