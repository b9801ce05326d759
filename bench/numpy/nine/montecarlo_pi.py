# SPDX-License-Identifier: Apache-2.0
"""Monte Carlo pi: the share of random points of a square that lie in a quarter of a circle."""

SIZES = {"test": {"samples": 10_000}, "two-core": {"samples": 3_000_000}, "gpu": {"samples": 500_000_000}}
RANDOM = True


def limit(samples):
    """Bytes that must be moved and operations per step; a Philox draw counts 28."""
    return 8, samples * (2 * 28 + 8)


def setup(np, samples):
    return {"samples": samples, "pi": 0.0}


def step(np, state):
    x = np.random.random(state["samples"])
    y = np.random.random(state["samples"])
    inside = np.sum(np.sqrt(x * x + y * y) <= 1.0)
    state["pi"] = inside * 4.0 / state["samples"]


def result(np, state):
    return state["pi"]
