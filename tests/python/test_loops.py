# SPDX-License-Identifier: Apache-2.0
"""Loops of Python whose rounds do the same become loops of compiled programs; nobody may notice."""

import random

import numpy
import pytest

import skald
from skald import _core

ROUNDS = 24


pytestmark = pytest.mark.usefixtures("compiled")


def grid(np, rows=30, columns=30):
    return np.array(numpy.arange(float(rows * columns)).reshape(rows, columns) % 7 / 4 - 0.75)


def run(program):
    """Whether loops were run; the results are compared."""
    before = _core.stats()["loops"]
    ours = [numpy.asarray(x) for x in program(skald)]
    loops = _core.stats()["loops"] - before
    for x, y in zip(ours, map(numpy.asarray, program(numpy)), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11)
        assert x.dtype == y.dtype
    return loops > 0


def two_fields(np):
    a, b = grid(np), grid(np) * 2
    for _ in range(ROUNDS):
        b[1:-1] = 0.25 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.25 * (b[:-2] + b[1:-1] + b[2:])
    return a, b


def rows_that_change(np):
    a, b, total = grid(np), grid(np), np.zeros(30)
    for i in range(1, ROUNDS):
        a[i, :] = a[i - 1, :] * 0.5 + b[i, ::-1] * i
        total += a[i, :]
    return a, total


def backwards(np):
    a = grid(np)
    for i in range(ROUNDS, 0, -1):
        a[:, i - 1] = a[:, i] * 0.5 + a[:, i - 1]
    return a,


def sizes_that_change(np):
    a, b = grid(np), grid(np)
    for i in range(2, ROUNDS):
        a[i, :i] -= b[i, :i] * a[0, :i]
        a[i, i:] = a[i - 1, i:] + 1.0
    return a,


def a_sum_is_carried(np):
    a, b, s = grid(np), grid(np), np.zeros(())
    for _ in range(ROUNDS):
        s = s + (a * b).sum()
        a = a * 0.5 + b
        last = a - b
    return s, a, last


def read_before_written(np):
    a, b = grid(np), grid(np)
    for k in range(1, ROUNDS):
        part = 1.0 / (3.0 - a[:, k - 1] * b[:, k])
        a[:, k] = a[:, k] * part
        b[:, k] = (b[:, k] - b[:, k - 1]) * part
    return a, b


def begins_shared(np):
    first = grid(np)
    a = first.copy()
    for _ in range(ROUNDS):
        a[1:, :] = a[:-1, :] * 0.5 + first[1:, :]
    return a, first


def mask_and_types(np):
    a = np.array(numpy.arange(900) % 11, dtype=np.int32).reshape(30, 30)
    f = grid(np).astype(np.float32)
    for i in range(ROUNDS):
        a = np.where(a > 5, a - 3, a + 2)
        f[a > 6] = 0.5
        f = f * 0.5 + f[i, :]
    return a, f


def numpys_scalars(np):
    a, b = grid(np), grid(np)
    for k in range(ROUNDS):
        a[k, :k + 2] += 1.5 * b[k, k] * b[:k + 2, k]
    return a,


def written_twice(np):
    a, b = grid(np), np.array(grid(np))
    for k in range(1, ROUNDS):
        a[:, k] = b[:, k] * 0.5 + 1
        c = 2.0 - a[:, k] * a[:, k - 1]
        b[:, k] = c + b[:, k - 1]
        a[:, k] = a[:, k] * c
        b[:, k] = b[:, k] - a[:, k - 1] * b[:, k + 1]
    return a, b


def written_where_it_was_read(np):
    # The position that is read is sometimes the one that is written.
    a = grid(np)
    for k in range(ROUNDS):
        a[k] = a[k] * 0.5
        b = a[k % 5] + 1.0
        a[k] = b - a[k]
    return (a,)


def written_as_another_type(np):
    a, b = np.array(np.arange(900).reshape(30, 30)), grid(np)
    for k in range(ROUNDS):
        a[k] = b[k] * 10.5
        b[k] = a[k] * 0.25
        a[k] = a[k] + 1
    return a, b


def products(np):
    a, b, x = grid(np), grid(np), grid(np)[2].copy()
    for i in range(1, ROUNDS):
        b[i:, i] = b[i, i:] = a[:, i] @ a[:, i:] / 4.0
        x = (a @ x) * 0.125 + x[::-1]
    return b, x


LOOPS = [two_fields, rows_that_change, backwards, sizes_that_change, a_sum_is_carried, read_before_written, begins_shared,
         mask_and_types, numpys_scalars, products, written_twice, written_where_it_was_read,
         written_as_another_type]


@pytest.mark.parametrize("program", LOOPS, ids=lambda f: f.__name__)
def test_loops_are_one_program(program):
    assert run(program)


def everything_is_kept(np):
    a, kept = grid(np), []
    for i in range(ROUNDS):
        a = a * 0.5 + i
        kept.append(a)
    return kept


def somebody_looks(np):
    a = grid(np)
    for i in range(ROUNDS):
        old = a[1:, :]
        a[1:, :] = a[:-1, :] * 0.5
        if i == 11:
            middle, view = a.copy(), old
    return a, middle, view


def exchanged(np):
    a, b = grid(np), grid(np) + 1
    for _ in range(ROUNDS):
        a[1:] = b[:-1] * 0.5 + a[1:]
        a, b = b, a
    return a, b


def one_round_is_other(np):
    a = grid(np)
    for i in range(ROUNDS):
        a[1:] = a[:-1] * 0.5 + i
        a[0] = a[-1] + 1.0
        if i == 13:
            a = a * 2.0
    return a,


def rolls(np):
    a, b = grid(np), grid(np)
    for i in range(1, ROUNDS):
        a = a + np.roll(b, i, axis=0)
        b = np.roll(a, -1, axis=1) * 0.25
    return a, b


@pytest.mark.parametrize("program", [everything_is_kept, somebody_looks, exchanged, one_round_is_other, rolls],
                         ids=lambda f: f.__name__)
def test_what_is_no_plain_loop(program):
    run(program)


def test_formulas_that_look_like_loops_are_one_plan():
    def program(np):
        a, b = grid(np), grid(np) * 0.5
        p = 0.5 + a * (0.25 + a * (1.5 + a * (2.5 + a * (0.75 + a * (1.25 + b)))))
        q = 0.5 + b * (0.25 + p * (1.5 + b * (2.5 + a * (0.75 + b * (1.25 + a)))))
        r = p * 0.5 + q * 1.5 + p * q * 2.5 + q * 0.125 + p * 0.75
        return r * p,
    before = _core.stats()
    assert not run(program)
    assert _core.stats()["compiled_runs"] - before["compiled_runs"] == 1


def test_a_loop_after_something_like_one():
    def program(np):
        a, kept = grid(np), []
        for i in range(6):
            a = a * 0.5 + i
            kept.append(a[1:] - a[:-1])
        for i in range(1, ROUNDS):
            a[i, :] = a[i - 1, :] * 0.5 + kept[0][i, ::-1] * i
        return a, *kept
    assert run(program)


def test_more_rounds_than_are_kept_waiting():
    def program(np):
        a, b = grid(np), grid(np)
        for i in range(700):
            b[1:-1] = 0.5 * (a[:-2] + a[2:])
            a[1:-1] = b[1:-1] * 0.5 + b[:-2] * (i % 3)
        return a, b
    assert run(program)


def test_memory_that_others_see():
    a, b = skald.array(numpy.ones((20, 20))), skald.ones((20, 20))
    skald.flush()
    seen = numpy.asarray(a)
    for _ in range(ROUNDS):
        a[1:] = a[:-1] * 0.5 + b[1:]
    expected = numpy.ones((20, 20))
    for _ in range(ROUNDS):
        expected[1:] = expected[:-1] * 0.5 + 1.0
    numpy.testing.assert_allclose(seen, expected)


def test_arrays_that_a_loop_began_with_stay():
    a = skald.array(numpy.ones((20, 20)))
    before = a.copy()
    skald.flush()
    for _ in range(ROUNDS):
        a[1:] = a[:-1] * 0.5
    skald.flush()
    numpy.testing.assert_array_equal(numpy.asarray(before), numpy.ones((20, 20)))


STATEMENTS = ["a[i, :] = b[i - 1, :] * 0.5 + a[i, :]", "b[:, i] += a[:, i - 1]", "c = c * 0.5 + a[i, :]", "a[1:, :] = a[:-1, :] * 0.5",
              "b[:i, 2] = b[:i, 3] * 0.25", "c[2:] = c[:-2] + i", "a += b * 0.125", "s = s * 0.5 + a[i, :].sum()", "d = a[:, i] - c",
              "b[i, i:] = c[i:] * s", "a[b > 2.0] = 0.25", "c = np.where(c > a[0], a[0], c)", "b[::2, :] = a[::2, :] * 0.5",
              "a[:, -1] = a[:, i]", "c = c + a.max(axis=0) * 0.125", "a[i] = a[-i]", "b = b * 0.5 + a", "a[:, 0] = 0.5",
              "c = np.minimum(c, 4.0)", "a[i - 1:i + 1, 1:4] -= 0.5", "b = np.maximum(b.T, a) * 0.5", "d = np.zeros(30) + i"]


def random_loop(seed):
    chosen = random.Random(seed)
    body = [chosen.choice(STATEMENTS) for _ in range(chosen.randint(1, 5))]
    text = "\n    ".join(body)
    source = f"for i in range({chosen.randint(1, 4)}, {chosen.randint(12, 29)}):\n    {text}\n"

    def program(np):
        names = {"np": np, "a": grid(np), "b": grid(np) * 0.5, "c": grid(np)[3].copy(), "d": grid(np)[4].copy(), "s": np.ones(())}
        exec(source, names)
        return [names[n] for n in "abcds"]
    program.source = source
    return program


@pytest.mark.parametrize("seed", range(10))
def test_random_loops(seed):
    run(random_loop(seed))
