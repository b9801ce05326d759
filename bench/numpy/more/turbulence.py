# SPDX-License-Identifier: Apache-2.0
"""Turbulent energy in columns of water: many small stencils, masks, and a three-diagonal system along the depth."""

SIZES = {"S": {"n": 16, "depth": 16}, "M": {"n": 64, "depth": 32}, "L": {"n": 160, "depth": 48}}


def limit(n, depth):
    return 64 * n * n * depth, 60 * n * n * depth


def setup(np, n, depth):
    i = np.arange(n * n * depth, dtype=np.float64).reshape(n, n, depth)
    return {"energy": 1.0 + 0.5 * np.sin(i), "u": np.cos(0.1 * i), "v": np.sin(0.2 * i), "n2": 0.1 + 0.05 * np.cos(0.05 * i)}


def step(np, state):
    e, u, v, n2 = state["energy"], state["u"], state["v"], state["n2"]
    root = np.sqrt(np.maximum(0.0, e))
    shear = np.zeros_like(e)
    shear[:, :, :-1] = (u[:, :, 1:] - u[:, :, :-1]) ** 2 + (v[:, :, 1:] - v[:, :, :-1]) ** 2
    mixing = np.where(n2 > 0.08, np.sqrt(2.0) * root / np.sqrt(n2), root * 0.4)
    mixing = np.minimum(mixing, 5.0)
    kappa = np.clip(0.1 * mixing * root, 1e-4, 10.0)
    down = np.zeros_like(e)
    down[:, :, 1:] = -0.01 * (kappa[:, :, 1:] + kappa[:, :, :-1])
    up = np.zeros_like(e)
    up[:, :, :-1] = -0.01 * (kappa[:, :, 1:] + kappa[:, :, :-1])
    middle = 1.0 - down - up + 0.01 * 0.7 * root / mixing
    right = e + 0.01 * (kappa * shear - kappa * 0.2 * n2)
    depth = e.shape[2]
    c, d = np.empty_like(e), np.empty_like(e)
    c[:, :, 0], d[:, :, 0] = up[:, :, 0] / middle[:, :, 0], right[:, :, 0] / middle[:, :, 0]
    for k in range(1, depth):
        scale = 1.0 / (middle[:, :, k] - down[:, :, k] * c[:, :, k - 1])
        c[:, :, k] = up[:, :, k] * scale
        d[:, :, k] = (right[:, :, k] - down[:, :, k] * d[:, :, k - 1]) * scale
    for k in range(depth - 2, -1, -1):
        d[:, :, k] -= c[:, :, k] * d[:, :, k + 1]
    state["energy"] = d


def result(np, state):
    return state["energy"]
