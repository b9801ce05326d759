# SPDX-License-Identifier: Apache-2.0
"""Results lie in memory as NumPy's do: strides and flags are compared."""

import itertools

import numpy
import pytest

import skald


def arrays(np):
    a = np.arange(24.0).reshape(4, 6) + 0.5
    b = np.arange(24.0).reshape(6, 4) - 3
    c = np.arange(24.0).reshape(2, 3, 4)
    d = np.arange(24.0).reshape(4, 3, 2)
    return {"a": a, "bT": b.T, "c": c, "dT": d.T, "c_moved": c.transpose(1, 2, 0), "d_moved": np.moveaxis(d, 0, 1), "row": np.arange(4.0), "column": np.arange(6.0).reshape(6, 1), "rowT": np.arange(6.0).reshape(1, 6).T,
            "part": np.arange(96.0).reshape(12, 8).T[1:7:2, ::3], "back": a[::-1].T, "one": np.ones((1, 6)), "aT": a.T}


UNARY = {
    "negative": lambda np, x: -x,
    "chain": lambda np, x: np.sqrt(x * 2 + 40) - x,
    "astype": lambda np, x: x.astype("f4"),
    "astype C": lambda np, x: x.astype("f8", order="C"),
    "astype F": lambda np, x: x.astype("f8", order="F"),
    "copy": lambda np, x: x.copy(),
    "copy K": lambda np, x: x.copy(order="K"),
    "copy F": lambda np, x: x.copy("F"),
    "np.copy": lambda np, x: np.copy(x),
    "where": lambda np, x: np.where(x > 3, x, 1.0),
    "isnan": lambda np, x: np.isnan(x),
    "sum 0": lambda np, x: x.sum(axis=0),
    "sum -1": lambda np, x: x.sum(axis=-1),
    "max 1": lambda np, x: x.max(axis=1) if x.ndim > 1 else x,
    "cumsum": lambda np, x: np.cumsum(x, axis=0),
    "cumsum -1": lambda np, x: np.add.accumulate(x, axis=-1),
    "clip": lambda np, x: x.clip(0, 5),
    "ravel": lambda np, x: (x + 1).ravel(),
    "reshape": lambda np, x: (x + 1).reshape(-1),
    "transposed": lambda np, x: (x.T + 1).T,
}


def look(x):
    real = numpy.asarray(x)
    return real.shape, real.dtype, tuple(s for s, n in zip(real.strides, real.shape) if n > 1), real.tolist()


@pytest.mark.parametrize("name", UNARY)
def test_of_one(name):
    theirs, ours = arrays(numpy), arrays(skald)
    for key in theirs:
        assert look(UNARY[name](skald, ours[key])) == look(UNARY[name](numpy, theirs[key])), key


def test_of_two():
    theirs, ours = arrays(numpy), arrays(skald)
    seen = 0
    for one, two in itertools.product(theirs, repeat=2):
        try:
            expected = theirs[one] * theirs[two]
        except ValueError:
            continue
        seen += 1
        assert look(ours[one] * ours[two]) == look(expected), (one, two)
    assert seen > 40


@pytest.mark.parametrize("evaluator", ["numpy", "compiled"])
def test_writes_through_transposed_views(evaluator, request):
    if evaluator == "compiled":
        request.getfixturevalue("compiled")
    found = []
    for np in (numpy, skald):
        x = np.arange(6000.0).reshape(60, 100)
        y = np.arange(6000.0).reshape(100, 60)
        x.T[...] = y * 2
        t = x.T
        t += y
        t[3:5, ::2] = y[3:5, ::2] - 1
        z = t + 1
        z.reshape(-1)[5] = 7
        w = z.ravel()
        w[0] = 3
        mask = t > 500
        t[mask] = -1
        x.T[:, 4] += 1
        m = np.zeros((5, 40, 30))
        m.transpose(2, 0, 1)[4] = np.arange(200.0).reshape(5, 40)
        m.transpose(1, 2, 0)[:, 3:9] -= 2
        np.copyto(m.transpose(2, 0, 1), 9.0, where=m.transpose(2, 0, 1) == -2)
        found.append([look(v) for v in (x, y, t, z, w, m)])
    assert found[0] == found[1]
