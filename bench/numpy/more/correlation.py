# SPDX-License-Identifier: Apache-2.0
"""Correlations between the columns of a table: mean, deviation, and one matrix product."""

SIZES = {"S": {"rows": 300, "columns": 40}, "M": {"rows": 3000, "columns": 120}, "L": {"rows": 20_000, "columns": 200}}


def limit(rows, columns):
    return 8 * rows * columns, 2 * rows * columns**2


def setup(np, rows, columns):
    i, j = np.arange(rows, dtype=np.float64)[:, None], np.arange(columns, dtype=np.float64)
    return {"data": np.sin(i * j * 0.01) + i * j / columns}


def step(np, state):
    data = state["data"]
    spread = np.std(data, axis=0)
    spread[spread <= 0.1] = 1.0
    scaled = (data - np.mean(data, axis=0)) / (np.sqrt(data.shape[0]) * spread)
    state["correlation"] = scaled.T @ scaled


def result(np, state):
    return state["correlation"]
