# SPDX-License-Identifier: Apache-2.0
"""Means of values in rings around a centre: a histogram of radii, weighted and not."""

SIZES = {"S": {"n": 10_000}, "M": {"n": 200_000}, "L": {"n": 2_000_000}}
BINS = 1000


def limit(n):
    return 16 * n, 10 * n


def setup(np, n):
    i = np.arange(n, dtype=np.float64)
    return {"data": np.cos(i), "radius": np.abs(np.sin(i * 0.7391))}


def step(np, state):
    radius, data = state["radius"], state["data"]
    place = (radius / radius.max() * (BINS - 1)).astype(np.int64)
    total = np.bincount(place, weights=data, minlength=BINS)
    state["mean"] = total / np.maximum(np.bincount(place, minlength=BINS), 1)


def result(np, state):
    return state["mean"]
