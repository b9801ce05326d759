# SPDX-License-Identifier: Apache-2.0
"""Gravity between all pairs of bodies, with the forces as matrices and the diagonal set to nothing."""

SIZES = {"test": {"bodies": 40}, "two-core": {"bodies": 1000}, "gpu": {"bodies": 8000}}
GRAVITY = 6.67384e-11
TIME_STEP = 3600.0


def limit(bodies):
    return 13 * 8 * bodies, bodies * bodies * (22 + 4 * 8)


def setup(np, bodies):
    i = np.arange(bodies, dtype=np.float64)
    state = {"m": 1e20 * (1.5 + np.sin(i))}
    for name, factor in (("x", 1.0), ("y", 2.0), ("z", 3.0)):
        state[name] = 1e11 * np.sin(factor * i * 0.7 + factor)
        state["v" + name] = 1e3 * np.cos(factor * i * 0.3)
    return state


def clear_diagonal(matrix):
    matrix.reshape(-1)[:: matrix.shape[0] + 1] = 0.0


def step(np, state):
    x, y, z, m = state["x"], state["y"], state["z"], state["m"]
    dx = x[np.newaxis, :] - x[:, np.newaxis]
    dy = y[np.newaxis, :] - y[:, np.newaxis]
    dz = z[np.newaxis, :] - z[:, np.newaxis]
    distance = np.sqrt(dx**2 + dy**2 + dz**2)
    distance.reshape(-1)[:: distance.shape[0] + 1] = 1.0
    pull = GRAVITY * m[np.newaxis, :] / distance**3
    clear_diagonal(pull)
    state["vx"] += np.sum(pull * dx, axis=1) * TIME_STEP
    state["vy"] += np.sum(pull * dy, axis=1) * TIME_STEP
    state["vz"] += np.sum(pull * dz, axis=1) * TIME_STEP
    x += state["vx"] * TIME_STEP
    y += state["vy"] * TIME_STEP
    z += state["vz"] * TIME_STEP


def result(np, state):
    return state["x"] + state["y"] + state["z"]


def numba_step(numba):
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def accelerate(x, y, z, m, vx, vy, vz):
        for i in numba.prange(len(x)):
            ax = ay = az = 0.0
            for j in range(len(x)):
                if i != j:
                    dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                    r = np.sqrt(dx * dx + dy * dy + dz * dz)
                    pull = GRAVITY * m[j] / (r * r * r)
                    ax += pull * dx
                    ay += pull * dy
                    az += pull * dz
            vx[i] += ax * TIME_STEP
            vy[i] += ay * TIME_STEP
            vz[i] += az * TIME_STEP

    def one(state):
        accelerate(*(state[n] for n in ("x", "y", "z", "m", "vx", "vy", "vz")))
        for n in "xyz":
            state[n] += state["v" + n] * TIME_STEP

    return one
