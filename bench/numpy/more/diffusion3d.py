# SPDX-License-Identifier: Apache-2.0
"""Seven-point diffusion in a cube, two time steps through two arrays."""

SIZES = {"S": {"n": 24}, "M": {"n": 64}, "L": {"n": 160}}


def limit(n):
    return 32 * n**3, 20 * n**3


def setup(np, n):
    a = np.fromfunction(lambda i, j, k: 10.0 * (i + j + (n - k)) / n, (n, n, n))
    return {"a": a, "b": a.copy()}


def sweep(source, target):
    target[1:-1, 1:-1, 1:-1] = (
        0.125 * (source[2:, 1:-1, 1:-1] - 2.0 * source[1:-1, 1:-1, 1:-1] + source[:-2, 1:-1, 1:-1])
        + 0.125 * (source[1:-1, 2:, 1:-1] - 2.0 * source[1:-1, 1:-1, 1:-1] + source[1:-1, :-2, 1:-1])
        + 0.125 * (source[1:-1, 1:-1, 2:] - 2.0 * source[1:-1, 1:-1, 1:-1] + source[1:-1, 1:-1, :-2])
        + source[1:-1, 1:-1, 1:-1]
    )


def step(np, state):
    sweep(state["a"], state["b"])
    sweep(state["b"], state["a"])


def result(np, state):
    return state["a"]
