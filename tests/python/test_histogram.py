# SPDX-License-Identifier: Apache-2.0
"""Histograms with bins of one width agree with NumPy's in every bit."""

import numpy
import pytest

import skald as np


def both(*arguments, **keywords):
    real = numpy.histogram(*arguments, **keywords)
    ours = np.histogram(*[np.asarray(a) if isinstance(a, numpy.ndarray) else a for a in arguments],
                        **{k: np.asarray(v) if isinstance(v, numpy.ndarray) else v for k, v in keywords.items()})
    for theirs, mine in zip(real, ours):
        assert theirs.dtype == mine.dtype
        assert numpy.array_equal(theirs, numpy.asarray(mine), equal_nan=True)


@pytest.mark.parametrize("bins", [1, 2, 7, 10, 1000])
@pytest.mark.parametrize("count", [0, 1, 5, 1000, 200_001])
def test_like_numpy(bins, count):
    rng = numpy.random.default_rng(bins * 7919 + count)
    values = rng.normal(size=count)
    both(values, bins)
    both(values, bins, weights=rng.random(count))
    both(values, bins, range=(-0.5, 1.25), weights=rng.random(count))


def test_values_on_edges():
    edges = numpy.linspace(0.1, 0.7, 7)
    values = numpy.concatenate([edges, numpy.nextafter(edges, 1), numpy.nextafter(edges, 0)])
    for bins in (3, 6, 12, 60):
        both(values, bins, range=(0.1, 0.7))
        both(values, bins)


def test_what_is_left_out():
    values = numpy.array([numpy.nan, 1.0, 2.0, numpy.inf, -numpy.inf, 3.0])
    both(values, 4, range=(0, 4))
    with pytest.raises(ValueError, match="finite"):
        np.histogram(np.asarray(values), 4)


def test_other_arguments():
    values = numpy.arange(24.0).reshape(4, 6)
    both(values)
    both(values, 5, density=True)
    both(values, [0, 3, 10])
    both(values, "auto")
    both(values.astype(numpy.int32), 5)
    both(values.astype(numpy.float32), 5)
    both(values, 5, weights=values.astype(numpy.complex128))
    both(values.T, 5, weights=values.T + 1)
    with pytest.raises(ValueError):
        np.histogram(np.asarray(values), 5, weights=np.ones(3))
    with pytest.raises(ValueError):
        np.histogram(np.asarray(values), 0)
