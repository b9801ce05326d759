# SPDX-License-Identifier: Apache-2.0
"""Many operations on tiny arrays, as in scripts that were never meant for large ones."""

SIZES = {"S": {"n": 3, "rounds": 200}, "M": {"n": 10, "rounds": 200}, "L": {"n": 100, "rounds": 200}}


def limit(n, rounds):
    return 32 * n, 8 * n * rounds


def setup(np, n, rounds):
    return {"position": np.arange(n, dtype=np.float64), "speed": np.ones(n), "rounds": rounds}


def step(np, state):
    x, v = state["position"], state["speed"]
    for _ in range(state["rounds"]):
        force = -0.5 * x + 0.1 * np.sin(x)
        v = v + 0.01 * force
        x = x + 0.01 * v
        if float(np.max(np.abs(x))) > 1e6:
            break
    state["position"], state["speed"] = x, v


def result(np, state):
    return state["position"]
