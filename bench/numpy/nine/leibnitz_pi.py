# SPDX-License-Identifier: Apache-2.0
"""Leibnitz' series for pi: 4 (1 - 1/3 + 1/5 - 1/7 ...), two terms per element."""

SIZES = {"test": {"terms": 10_000}, "two-core": {"terms": 5_000_000}, "gpu": {"terms": 500_000_000}}


def limit(terms):
    return 8, terms * (6 + 2 * 8)


def setup(np, terms):
    return {"terms": terms, "pi": 0.0}


def step(np, state):
    k = np.arange(0, state["terms"])
    state["pi"] = 4 * np.sum(1.0 / (4 * k + 1) - 1.0 / (4 * k + 3))


def result(np, state):
    return state["pi"]


def numba_step(numba):
    @numba.njit(parallel=True, fastmath=True)
    def series(terms):
        total = 0.0
        for k in numba.prange(terms):
            total += 1.0 / (4 * k + 1) - 1.0 / (4 * k + 3)
        return 4 * total

    def one(state):
        state["pi"] = series(state["terms"])

    return one


def jax_step(jax):
    jnp = jax.numpy

    def series(terms):
        k = jnp.arange(0, terms)
        return 4 * jnp.sum(1.0 / (4 * k + 1) - 1.0 / (4 * k + 3))

    compiled = jax.jit(series, static_argnums=0)

    def one(state):
        state["pi"] = compiled(state["terms"]).block_until_ready()

    return one
