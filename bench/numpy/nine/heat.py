# SPDX-License-Identifier: Apache-2.0
"""Heat in a plate: the mean of each point and its four neighbours, until little changes."""

SIZES = {"test": {"side": 64}, "two-core": {"side": 2000}, "gpu": {"side": 11000}}


def limit(side):
    return 16 * side**2, 8 * side**2


def setup(np, side):
    grid = np.zeros((side + 2, side + 2), dtype=np.float64)
    grid[:, 0] = -273.15
    grid[:, -1] = -273.15
    grid[-1, :] = -273.15
    grid[0, :] = 40.0
    return {"grid": grid}


def step(np, state):
    grid = state["grid"]
    center = grid[1:-1, 1:-1]
    work = 0.2 * (center + grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    state["delta"] = np.sum(np.absolute(work - center))
    center[:] = work


def result(np, state):
    return state["grid"]


def numba_step(numba):
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def one_step(grid, work):
        delta = 0.0
        for i in numba.prange(1, grid.shape[0] - 1):
            row = 0.0
            for j in range(1, grid.shape[1] - 1):
                value = 0.2 * (grid[i, j] + grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1])
                row += abs(value - grid[i, j])
                work[i, j] = value
            delta += row
        return delta

    def one(state):
        if "work" not in state:
            state["work"] = state["grid"].copy()
        state["delta"] = one_step(state["grid"], state["work"])
        state["grid"], state["work"] = state["work"], state["grid"]

    return one


def jax_step(jax):
    jnp = jax.numpy

    @jax.jit
    def one_step(grid):
        center = grid[1:-1, 1:-1]
        work = 0.2 * (center + grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
        return grid.at[1:-1, 1:-1].set(work), jnp.sum(jnp.absolute(work - center))

    def one(state):
        state["grid"], state["delta"] = one_step(state["grid"])
        state["grid"].block_until_ready()

    return one
