# SPDX-License-Identifier: Apache-2.0
"""Random numbers: NumPy's own where a seed says which, sensible ones where none does."""

import numpy
import pytest

import skald


@pytest.mark.parametrize("call", ["random(5000)", "rand(70, 80)", "randn(5000)", "randint(0, 9, 5000)", "uniform(1, 2, 5000)", "normal(3, 2, 5000)",
                                  "choice(10, 3)", "permutation(6)", "exponential(2.0, 5000)", "random_sample()", "binomial(9, 0.3, 5)"])
def test_seeded_numbers_are_numpys(call):
    skald.random.seed(42)
    numpy.random.seed(42)
    expected, found = eval("numpy.random." + call), eval("skald.random." + call)
    assert numpy.array_equal(expected, numpy.asarray(found)) and numpy.asarray(found).dtype == numpy.asarray(expected).dtype
    skald.random.seed()


def test_seeded_generators_are_numpys():
    ours, theirs = skald.random.default_rng(7), numpy.random.default_rng(7)
    assert numpy.array_equal(theirs.random(5000), numpy.asarray(ours.random(5000)))
    assert numpy.array_equal(theirs.integers(0, 9, 5000), numpy.asarray(ours.integers(0, 9, 5000)))
    assert numpy.array_equal(numpy.random.RandomState(3).normal(size=9), numpy.asarray(skald.random.RandomState(3).normal(size=9)))


@pytest.mark.parametrize("call, mean, deviation, low, high", [
    ("random(200000)", 0.5, 0.2887, 0.0, 1.0), ("uniform(2, 4, 200000)", 3.0, 0.5774, 2.0, 4.0), ("normal(1.0, 3.0, 200000)", 1.0, 3.0, -20, 20),
    ("standard_normal(200000)", 0.0, 1.0, -8, 8), ("exponential(2.0, 200000)", 2.0, 2.0, 0.0, 60.0)])
@pytest.mark.parametrize("source", ["skald.random.RandomState()", "skald.random.default_rng()"])
def test_distributions_without_seed(source, call, mean, deviation, low, high):
    drawn = eval(f"{source}.{call}")
    assert type(drawn) is skald.ndarray and drawn.dtype == float
    values = numpy.asarray(drawn)
    assert abs(values.mean() - mean) < 0.03 * max(deviation, 1) and abs(values.std() - deviation) < 0.03 * deviation
    assert values.min() >= low and values.max() <= high


def test_integers_without_seed():
    values = numpy.asarray(skald.random.default_rng().integers(-3, 5, 100_000))
    assert values.dtype == numpy.int64 and set(values.tolist()) == set(range(-3, 5))
    assert abs(numpy.bincount(values + 3) / 12500 - 1).max() < 0.1


def test_two_draws_differ_and_a_value_stays():
    one, two = skald.random.random(10_000), skald.random.random(10_000)
    assert not (one == two).any()
    assert bool((one + 0 == one).all())


def test_shuffle_in_place():
    a = skald.arange(100)
    skald.random.shuffle(a)
    assert sorted(a.tolist()) == list(range(100)) and a.tolist() != list(range(100))


def test_isinstance():
    assert isinstance(skald.random.default_rng(), numpy.random.Generator)
    assert isinstance(skald.random.RandomState(), numpy.random.RandomState)
