# SPDX-License-Identifier: Apache-2.0
"""A Galton board: each bean goes left or right at each row of pins; where it ends is the sum."""

SIZES = {"test": {"beans": 500, "rows": 20}, "two-core": {"beans": 20_000, "rows": 350}, "gpu": {"beans": 5_000_000, "rows": 350}}
RANDOM = True


def limit(beans, rows):
    return 8 * beans, beans * rows * (28 + 4)


def setup(np, beans, rows):
    return {"beans": beans, "rows": rows}


def step(np, state):
    turns = np.random.random((state["beans"], state["rows"]))
    state["places"] = np.sum(np.sign(turns - 0.5), axis=1)


def result(np, state):
    return np.mean(state["places"] ** 2) / state["rows"]
