# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients for a three-diagonal system: vectors, dot products, and a test in each round."""

SIZES = {"S": {"n": 1000}, "M": {"n": 100_000}, "L": {"n": 2_000_000}}


def limit(n):
    return 10 * 10 * 8 * n, 10 * 16 * n


def setup(np, n):
    return {"b": 1.0 + np.sin(np.arange(n, dtype=np.float64))}


def apply(np, p):
    q = 2.5 * p
    q[1:] -= p[:-1]
    q[:-1] -= p[1:]
    return q


def step(np, state):
    b = state["b"]
    x, r = np.zeros_like(b), b.copy()
    p, old = r.copy(), np.dot(r, r)
    for _ in range(10):
        q = apply(np, p)
        alpha = old / np.dot(p, q)
        x += alpha * p
        r -= alpha * q
        new = np.dot(r, r)
        if new < 1e-20:
            break
        p = r + (new / old) * p
        old = new
    state["x"] = x


def result(np, state):
    return state["x"]
