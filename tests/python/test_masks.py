# SPDX-License-Identifier: Apache-2.0
"""What is computed from elements that a mask names is put off, and may become part of a plan."""

import warnings

import numpy
import pytest

import skald
from skald import _core

COUNT = 5000


def numbers(np, dtype="f8"):
    return np.array(numpy.random.default_rng(1).normal(size=COUNT)).astype(dtype)


def powers_of_positive(np):
    a = numbers(np)
    a[a > 0] = a[a > 0] ** -1.5
    return (a,)


def in_place(np):
    a = numbers(np)
    m = a > 0.3
    a[m] += 2
    a[m] *= a[m]
    return a, m


def sums(np):
    a = numbers(np)
    t = a[a > 0]
    return t.sum(), t.mean(), (t * 0.9).prod(), np.sum(t, axis=0), t, len(t), (t > 1).any(), (t > 0).all()


def lengths(np):
    a = numbers(np)
    m = a > 0
    return np.log(a[m]), a[m] - 1, a[m][:3], a[m] + a[m][::-1], a[a < 0.5], a[m].shape


def division_of_integers(np):
    a = numbers(np, "i4")
    m = a != 0
    a[m] = 7 // a[m]
    return (a,)


def rows(np):
    a = numbers(np).reshape(500, 10)
    m = a[:, 0] > 0
    a[m] = a[m] * 2 + np.arange(10.0)
    return a, a[m].sum(), a[m], a[m].sum(axis=0)


def rows_of_constants(np):
    a = numbers(np).reshape(500, 10)
    m = a[:, 0] > 0
    a[m] = 1.5
    a[~m] = np.arange(10)
    return (a,)


def complex_numbers(np):
    z = numbers(np) + 1j * numbers(np)[::-1]
    m = abs(z) < 1
    c = z.copy()
    z[m] = z[m] ** 2 + c[m]
    return z, abs(z[m]), z[m].sum(), z[m].prod()


def names_of_one_array(np):
    a = numbers(np)
    t = a[a > 0]
    u = t
    t += 1
    return t, u, a


def array_is_changed_afterwards(np):
    a = numbers(np)
    t = a[a > 0]
    a[:] = 0
    return t, a


def mask_is_changed_afterwards(np):
    a = numbers(np)
    m = a > 0
    t = a[m]
    m[:] = False
    return t, a[m], a[m].sum()


def other_types(np):
    a = numbers(np, "f4")
    m = a > 0
    a[m] = a[m] * np.float64(2.5)
    t = a[m]
    t /= 3
    i = np.zeros(COUNT, "i8")
    i[m] = t * 10
    return a, t, i


def nothing_is_named(np):
    a = numbers(np)
    m = a > 10
    return a[m], a[m].sum(), a[m].prod(), a[m] * 2


def few_are_named(np):
    a = numbers(np)
    m = a > 3
    np.asarray(m).sum()
    t = a[m]
    return t, t * 2, t.mean()


def views(np):
    a = numbers(np).reshape(50, 100)
    part = a[::2, 10:90]
    part[part < 0] = -part[part < 0]
    return (a,)


def masks_of_themselves(np):
    a = numbers(np) > 0
    # NumPy changes such a mask while it reads it.
    mask = a[::-1] if np is skald else a[::-1].copy()
    a[mask] = ~a[mask]
    b = numbers(np) > 0.5
    b[b] = b[b] ^ True
    c = numbers(np) > 0.5
    c[c[::-1]] = True
    return a, b, c


def loop(np):
    a, count = numbers(np), np.zeros(COUNT, "i8")
    for i in range(20):
        small = abs(a) < 3
        count[small] = i
        a[small] = a[small] ** 2 + 0.1
    return a, count


PROGRAMS = [
    powers_of_positive, in_place, sums, lengths, division_of_integers, rows, rows_of_constants, complex_numbers, names_of_one_array,
    array_is_changed_afterwards, mask_is_changed_afterwards, other_types, nothing_is_named, few_are_named, views, masks_of_themselves, loop,
]  # fmt: skip


@pytest.mark.parametrize("evaluator", ["auto", "numpy", "compiled"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_masks(program, evaluator):
    try:
        _core.set_option("evaluator", evaluator)
    except RuntimeError as problem:
        pytest.skip(str(problem))
    try:
        with warnings.catch_warnings():
            # Elements that are not named must not warn.
            warnings.simplefilter("error")
            for _ in range(2):
                for ours, theirs in zip(program(skald), program(numpy), strict=True):
                    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
                    assert ours.dtype == theirs.dtype
                    numpy.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    finally:
        skald.flush()
        _core.set_option("evaluator", "auto")


def test_nothing_is_forced():
    a = numbers(skald)
    skald.flush()
    before = _core.stats()["flushes"]
    a[a > 0] = a[a > 0] ** -1.5
    a[a < 0] *= 2
    total = a[a > 1].mean()
    assert _core.stats()["flushes"] == before
    assert float(total) > 1


def test_places_that_need_arrays_get_them_at_once():
    a = numbers(skald)
    expected = numbers(numpy)

    def chosen(mask):
        return a[mask]

    for _ in range(8):
        assert len(chosen(a > 0)) == (expected > 0).sum()
    skald.flush()
    before = _core.stats()["flushes"]
    elsewhere = a[a > 0.1]
    assert _core.stats()["flushes"] == before
    here = chosen(a > 0.1)
    assert _core.stats()["flushes"] > before
    for ours in (here, elsewhere):
        numpy.testing.assert_array_equal(numpy.asarray(ours), expected[expected > 0.1])


def test_errors():
    a = numbers(skald)
    with pytest.raises(IndexError):
        a[skald.zeros(3, bool)]
    with pytest.raises(ValueError):
        a[a > 0] = numpy.arange(3.0)
    with pytest.raises(ValueError):
        a[a > 0].max(initial=None) if len(a[a > 99]) else a[a > 99].max()
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        numpy.asarray(1 / (a * 0)[a > 0])
    with numpy.errstate(divide="raise"):
        a[a > 0] = 1 / a[a > 0]
        assert numpy.isfinite(numpy.asarray(a)).all()


@pytest.mark.parametrize("made", ["computed", "stored"])
def test_chosen_elements_of_a_transposed_array_go_back_to_their_places(made):
    def updated(np):
        a = (np.arange(1600.0) * 7 % 11).reshape(40, 40)
        if made == "stored":
            a = np.array(a.tolist())
        b = np.swapaxes(a, 0, -1)
        b[b <= 1] = b[b <= 1] + 3
        chosen = b[b > 5] * 2
        return a, b, chosen, np.where(b > 4, b, b.T)

    for expected, found in zip(updated(numpy), updated(skald)):
        assert numpy.array_equal(expected, numpy.asarray(found))
