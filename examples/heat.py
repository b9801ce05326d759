# SPDX-License-Identifier: Apache-2.0
"""Heat spreads over a plate until nothing changes much any more: plain NumPy.

    ./skald-dev python examples/heat.py [SIZE]
"""

import sys

import numpy as np

size = int(sys.argv[1]) if len(sys.argv) > 1 else 500
grid = np.zeros((size + 2, size + 2))
grid[:, 0] = grid[:, -1] = -273.15
grid[0, :] = 40.0
grid[-1, :] = -273.15

center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
east, west = grid[1:-1, 2:], grid[1:-1, :-2]

delta, steps = 1.0, 0
while delta > 0.005 and steps < 2000:
    work = 0.2 * (center + north + east + west + south)
    delta = np.sum(np.abs(work - center)) / work.size
    center[:] = work
    steps += 1

print(f"{steps} steps, the last one changed {float(delta):.4f} on average; the middle has {grid[size // 2, size // 2]:.3f}")
