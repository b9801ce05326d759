# SPDX-License-Identifier: Apache-2.0
"""Single elements read and written in Python loops: the worst case of a lazy library."""

SIZES = {"S": {"n": 20}, "M": {"n": 60}, "L": {"n": 120}}


def limit(n):
    return 16 * n * n, 2 * n * n


def setup(np, n):
    return {"matrix": np.zeros((n, n)), "n": n}


def step(np, state):
    matrix, n = state["matrix"], state["n"]
    for i in range(n):
        for j in range(n):
            matrix[i, j] = 0.5 * matrix[j, i] + 1.0 / (1 + i + j)


def result(np, state):
    return state["matrix"]
