# SPDX-License-Identifier: Apache-2.0
"""Extrapolation of a magnetic field from a plane: sums over all pairs of waves, written with five-dimensional arrays."""

SIZES = {"test": {"n": 8}, "two-core": {"n": 24}, "gpu": {"n": 80}}


def limit(n):
    """Three matrix products of n x n^2 by n^2 x n^2 at least."""
    return 8 * 4 * n**3, 6 * n**5 + 16 * n**4


def setup(np, n):
    grid = np.linspace(0.0, 1.0, num=n, endpoint=False)
    return {"n": n, "field": np.sin(6.0 * grid)[:, None] * np.cos(4.0 * grid)[None, :] + 0.3}


def step(np, state):
    n, field = state["n"], state["field"]
    grid = np.arange(n, dtype=np.float64) / n
    wave = np.arange(n, dtype=np.float64) * np.pi
    sine, cosine = np.sin(grid[:, None] * wave[None, :]), np.cos(grid[:, None] * wave[None, :])
    length = np.sqrt(wave[:, None] ** 2 + wave[None, :] ** 2)
    length[0, 0] = 1.0
    # Coefficients of the plane: sums over its points, for every pair of waves.
    weights = field[:, :, None, None] * cosine[:, None, :, None] * cosine[None, :, None, :]
    coefficients = np.sum(np.sum(weights, 0), 0) * 4.0 / n**2
    decay = np.exp(-length[None, :, :] * grid[:, None, None])
    sincos = (sine * wave)[:, None, :, None] * cosine[None, :, None, :]
    cossin = cosine[:, None, :, None] * (sine * wave)[None, :, None, :]
    coscos = cosine[:, None, :, None] * cosine[None, :, None, :]
    scaled = (coefficients / length)[None, :, :] * decay
    state["bx"] = np.sum(np.sum(sincos[:, :, None] * scaled[None, None], -1), -1)
    state["by"] = np.sum(np.sum(cossin[:, :, None] * scaled[None, None], -1), -1)
    state["bz"] = np.sum(np.sum(coscos[:, :, None] * (scaled * length)[None, None], -1), -1)


def result(np, state):
    return state["bx"] + state["by"] + state["bz"]
