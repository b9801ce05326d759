# SPDX-License-Identifier: Apache-2.0
"""Calls that NumPy serves are counted, and announced as SKALD_FALLBACK says."""

import numpy
import pytest

import skald


@pytest.fixture
def mode():
    skald.clear_fallbacks()
    old = skald.set_fallback("quiet")
    yield skald.set_fallback
    skald.set_fallback(old)


def test_calls_and_bytes_are_counted(mode):
    values = skald.arange(10.0)
    for _ in range(3):
        skald.apply_along_axis(len, 0, values)
    entry = skald.fallbacks("fallback")[0]
    assert entry.what == "np.apply_along_axis" and entry.calls == 3 and entry.bytes == 240
    assert entry.file == __file__


def test_error_mode_raises(mode):
    mode("error")
    with pytest.raises(skald.FallbackError, match="np.apply_along_axis"):
        skald.apply_along_axis(len, 0, skald.arange(3))


def test_warn_mode_warns_once_per_place(mode):
    mode("warn")
    with pytest.warns(skald.FallbackWarning) as seen:
        for _ in range(3):
            skald.apply_along_axis(len, 0, skald.arange(3))
    assert len(seen) == 1


def test_native_functions_are_not_counted(mode):
    skald.roll(skald.arange(10.0), 1).mean()
    assert skald.fallbacks("fallback") == []


def test_unknown_mode(mode):
    with pytest.raises(ValueError):
        skald.set_fallback("loud")


def test_functions_that_write_reach_our_memory(mode):
    a = skald.zeros((3, 3))
    skald.fill_diagonal(a, [1, 2, 3])
    skald.place(a, a == 0, [7, 8])
    expected = numpy.zeros((3, 3))
    numpy.fill_diagonal(expected, [1, 2, 3])
    numpy.place(expected, expected == 0, [7, 8])
    assert (numpy.asarray(a) == expected).all()


def test_results_do_not_change_with_the_argument(mode):
    a = skald.arange(6.0)
    b = skald.real_if_close(a)
    kept = numpy.array(b)
    a += 1
    assert numpy.array_equal(numpy.asarray(b), kept) or numpy.shares_memory(numpy.asarray(a), numpy.asarray(b))
