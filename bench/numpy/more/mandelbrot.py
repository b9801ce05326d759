# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set with masks: points that left are not computed further."""

SIZES = {"S": {"side": 64}, "M": {"side": 200}, "L": {"side": 500}}
ROUNDS = 30


def limit(side):
    return 8 * side**2, 10 * ROUNDS * side**2


def setup(np, side):
    x, y = np.linspace(-2.0, 0.6, side), np.linspace(-1.2, 1.2, side)
    return {"c": x + y[:, None] * 1j}


def step(np, state):
    c = state["c"]
    z = np.zeros(c.shape, dtype=np.complex128)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(ROUNDS):
        inside = np.abs(z) < 2.0
        count[inside] += 1
        z[inside] = z[inside] ** 2 + c[inside]
    state["count"] = count


def result(np, state):
    return state["count"]
