# SPDX-License-Identifier: Apache-2.0
"""Plans that the compiler runs give what NumPy gives; skipped where there is no compiler."""

import numpy
import pytest

import skald
from skald import _core


@pytest.fixture(autouse=True)
def something_is_compiled(compiled):
    before = _core.stats()["compiled_nodes"]
    yield
    skald.flush()
    assert _core.stats()["compiled_nodes"] > before


def grid(np, rows, columns):
    return np.array(numpy.arange(float(rows * columns)).reshape(rows, columns) % 7 - 3)


def same(program):
    ours, theirs = program(skald), program(numpy)
    numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-12)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape


def stencil(np):
    g = grid(np, 9, 12)
    for _ in range(3):
        work = 0.25 * (g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
        g[1:-1, 1:-1] = work
    return g


def overlapping_writes(np):
    a = np.array(numpy.arange(12.0))
    a[1:] = a[:-1]
    a[::3] += a[1::3]
    a[a > 5] = -1.0
    return a


def borders(np):
    g = grid(np, 6, 8)
    g[:, 0] = g[:, 1]
    g[-1, :] = -g[-2, :]
    g[2] *= g[3]
    return g


def diagonal(np):
    x = np.array(numpy.arange(1.0, 8.0))
    d = x - x[:, None]
    d.reshape(-1)[:: 8] = 1.0
    return np.sum(1.0 / d, axis=0)


def sums(np):
    g = grid(np, 7, 9)
    return np.sum(np.sum(g[:, :, None] * g[:5, :].T[None, :, :], axis=1), axis=-1) + np.max(g) - np.min(g, axis=1)


def contraction(np):
    """A sum over two indices of three factors, none of which has all five."""
    a, b = grid(np, 4, 5), grid(np, 6, 7) + 1
    c = np.array(numpy.arange(3.0 * 5 * 7).reshape(3, 5, 7) % 11)
    product = (a[:, None, :, None] * b[None, :, None, :])[:, :, None] * c[None, None]
    return 2 * np.sum(np.sum(product, -1), -1) + np.sum(product, axis=(3, 4), keepdims=True)[..., 0, 0]


def contraction_with_a_factor_of_its_own(np):
    a, b = grid(np, 4, 5), grid(np, 5, 3)
    return np.sum((a[:, :, None] * a[0, 0] * 0.5) * b[:, ::-1][None] * a[:, :1, None], axis=1)


def contraction_of_small_numbers(np):
    a, b = grid(np, 4, 5).astype(np.float32), grid(np, 6, 5).astype(np.float32)
    return np.sum(np.sum(a[:, None, :] * b[None] * b[:, 0][None, :, None], 1), 1)


def sums_of_one(np):
    g = grid(np, 4, 5)
    return np.sum(g[:1] * g[0, 0], axis=0) + np.sum(np.array(numpy.float32(3.0)).reshape(1), axis=0)


def rolled(np):
    g = grid(np, 9, 40) * 1.5
    h = np.roll(np.roll(g + 1, 1, axis=0), -2, axis=1) - np.roll(g * 2, 19, axis=1)
    return h + np.roll(g, 7) + np.roll(h, (3, -17), axis=(0, 1)) + np.roll(g, 0, 1) + np.roll(g[:1], 5, 0)


def planes(np):
    """Parts that are computed one after the other, changed in rows, moved apart and put together."""
    f = np.array(numpy.arange(3.0 * 8 * 9).reshape(3, 8, 9) % 13 + 1)
    for _ in range(3):
        total = np.sum(f, axis=0)
        speed = (f[0] - f[2]) / total
        speed[0, 1:-1] = 0.25
        wanted = np.empty((3,) + total.shape)
        for i in range(3):
            wanted[i] = total * (i + 1) / 6 * (1 + (i - 1) * speed + 0.5 * speed**2)
        after = f - 0.7 * (f - wanted)
        after[:, 0, 1:-1] = wanted[:, 0, 1:-1]
        for i in range(3):
            after[i] = after[i] * (total > 20) + f[2 - i] * (total <= 20)
        f = np.empty_like(after)
        for i in range(3):
            f[i] = np.roll(np.roll(after[i], i - 1, axis=0), 1 - i, axis=1)
    return f


def planes_read_in_other_ways(np):
    g = grid(np, 5, 6)
    parts = np.empty((4, 5, 6))
    for i in (3, 1, 0, 2):
        parts[i] = g * i + np.roll(g, i, axis=1)
    parts[2, 1] = 3.0
    other = np.roll(parts * 2, 1, axis=0) + parts[::-1] - parts.sum(axis=0)
    other[1] = other[0] + parts[3]
    return other.transpose(1, 0, 2) + parts.transpose(1, 0, 2)


def sum_over_axes(np):
    """What is summed belongs to one result, or is the same for all of them."""
    a = np.array(numpy.arange(4.0 * 5 * 6).reshape(4, 5, 6) % 7)[..., None]
    x, y = grid(np, 9, 2)[:, 0], grid(np, 9, 2)[:, 1] + 10
    b = np.sum((a - x) * (a < x) / y, axis=(0, 1, 2))
    return b + np.max(np.abs(a[:, 1] - x), axis=(0, 1)) - np.sum((a * y)[:, :, 1:], axis=(0, 2))[2]


def scans(np):
    return np.cumsum(np.cumsum(grid(np, 5, 6), axis=0), axis=1)


def choices(np):
    g = grid(np, 5, 6)
    return np.where(g > 0, np.sqrt(np.abs(g)), g // 2 + g % 3)


def integers(np):
    i = np.arange(-20, 20)
    return (i // 7) * 3 + i % 5 - (i >> 1) + (i & 6)


def products_with_vectors(np):
    g, x = grid(np, 40, 60), np.array(numpy.arange(60.0) % 5)
    y = (g * 2.0) @ (x + 1.0)
    z = (y[::-1] - 3.0) @ g[:, ::2] + g.T[::2] @ y
    return z * (x[:40] @ y) + np.dot(g[:, :30].T, np.matmul(g, x))[:30] + np.vdot(g, g)


def products_of_small_floats(np):
    g = grid(np, 40, 60).astype(np.float32)
    return g[0] @ g.T * 0.5 + g @ g[1]


def products_of_matrices(np):
    g = grid(np, 40, 60)
    return (g * 0.5) @ (g.T + 1.0) - (g[:, :1] @ g[:1, :40])


@pytest.mark.parametrize("program", [stencil, overlapping_writes, borders, diagonal, sums, contraction, contraction_with_a_factor_of_its_own,
                                     contraction_of_small_numbers, sums_of_one, rolled, planes, planes_read_in_other_ways, sum_over_axes, scans, choices, integers,
                                     products_with_vectors, products_of_small_floats, products_of_matrices])
def test_results(program):
    same(program)


def test_new_sizes_use_the_same_plan():
    def step(rows, columns):
        return numpy.asarray(grid(skald, rows, columns) * 2.5 + 1)
    step(20, 31)
    plans = _core.stats()["plans"]
    step(45, 67)
    assert _core.stats()["plans"] == plans


def test_loops_are_replayed():
    def body(np, g):
        g[1:-1] = 0.5 * (g[:-2] + g[2:])

    ours, theirs = skald.array(numpy.arange(20.0) ** 2), numpy.arange(20.0) ** 2
    before = _core.stats()["replayed"]
    _core.do_while(lambda: body(skald, ours), 50, (), None)
    for _ in range(50):
        body(numpy, theirs)
    assert _core.stats()["replayed"] > before + 40
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_loops_stop_when_the_condition_fails():
    def body(a):
        a *= 0.5
        return skald.max(a) > 1.0

    a = skald.array(numpy.full(8, 1000.0))
    _core.do_while(body, None, (a,), None)
    numpy.testing.assert_array_equal(numpy.asarray(a), numpy.full(8, 1000.0 / 2**10))


@pytest.mark.parametrize("shift", [0, 1, -1, 12, -25, 5, True, numpy.int32(3), 10**30])
@pytest.mark.parametrize("axis", [0, 1, -1, -2, numpy.int8(1), None])
def test_rolls_of_any_numbers(shift, axis):
    wide = numpy.arange(9 * 12.0).reshape(9, 12)
    expected = numpy.roll(wide, shift, axis)
    mine = skald.roll(skald.array(wide) + 0, shift, axis)
    numpy.testing.assert_array_equal(numpy.asarray(mine), expected)
    named = skald.roll(skald.array(wide) + 0, shift, axis=axis)
    assert named.dtype == expected.dtype and numpy.array_equal(numpy.asarray(named), expected)


def test_a_roll_by_nothing_is_a_copy():
    source = skald.arange(6.0) + 0
    moved = skald.roll(source, 6, axis=0)
    source[0] = 9.0
    assert moved[0] == 0.0


@pytest.mark.parametrize("arguments", [(1, 2), (1, -3), (1, 0.5), ((1, 2), (0, 1, 0))])
def test_rolls_of_wrong_numbers_are_numpys_exceptions(arguments):
    with pytest.raises(Exception) as theirs:
        numpy.roll(numpy.zeros((3, 4)), *arguments)
    with pytest.raises(type(theirs.value)):
        skald.roll(skald.zeros((3, 4)) + 0, *arguments)
    assert (skald.zeros(4) + 1).sum() == 4  # something compiled, for the fixture


def test_what_is_started_need_not_be_waited_for():
    total = skald.zeros((300, 300))
    for i in range(5):
        total = total + skald.roll(total, 1, axis=0) + i
        skald.flush(wait=False)
    assert skald.stats()["recorded"] > 0 and total.sum() == 300 * 300 * 26.0


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("evaluator", ["numpy", "compiled"])
def test_zeros_of_both_signs(evaluator, dtype, request):
    import platform
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("NumPy's vector instructions see the signs of zero elsewhere")
    if evaluator == "compiled":
        request.getfixturevalue("compiled")
    found = []
    for np in (numpy, skald):
        p, m = np.full(3000, 0.0, dtype), np.full(3000, -0.0, dtype)
        pairs = ((p, m), (m, p), (p, -0.0), (m, 0.0), (0.0, m), (-0.0, p))
        results = [f(x, y) for f in (np.maximum, np.minimum) for x, y in pairs]
        results += [np.clip(*of) for of in ((p, -0.0, 1), (m, 0.0, 1), (p, -1, -0.0), (m, -1, 0.0), (p, m, 1.0), (m, p, 1.0), (p, None, -0.0), (m, 0.0, None), (m, None, p), (p, -1, m), (m, -1, p))]
        found.append([bool(numpy.signbit(numpy.asarray(r)).all()) for r in results])
        assert all(numpy.signbit(numpy.asarray(r)).all() or not numpy.signbit(numpy.asarray(r)).any() for r in results)
    assert found[0] == found[1]
