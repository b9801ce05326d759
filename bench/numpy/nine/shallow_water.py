# SPDX-License-Identifier: Apache-2.0
"""Shallow water in a square basin by the two-step Lax-Wendroff scheme."""

SIZES = {"test": {"side": 40}, "two-core": {"side": 700}, "gpu": {"side": 5600}}
GRAVITY = 9.8
DT = 0.02
DX = 1.0


def limit(side):
    return 48 * side**2, 104 * side**2


def setup(np, side):
    line = np.linspace(-2.0, 2.0, num=side + 2)
    x, y = np.meshgrid(line, line)
    height = np.ones((side + 2, side + 2)) + 0.5 * np.exp(-4.0 * (x**2 + y**2))
    return {"h": height, "u": np.zeros_like(height), "v": np.zeros_like(height)}


def reflect(h, u, v):
    """The walls: heights are copied, speeds across a wall change their sign."""
    h[:, 0] = h[:, 1]
    u[:, 0] = u[:, 1]
    v[:, 0] = -v[:, 1]
    h[:, -1] = h[:, -2]
    u[:, -1] = u[:, -2]
    v[:, -1] = -v[:, -2]
    h[0, :] = h[1, :]
    u[0, :] = -u[1, :]
    v[0, :] = v[1, :]
    h[-1, :] = h[-2, :]
    u[-1, :] = -u[-2, :]
    v[-1, :] = v[-2, :]


def flux(h, u, v):
    """What flows along the direction of u: mass, and the two momenta."""
    return u, u**2 / h + GRAVITY / 2 * h**2, u * v / h


def half_step(h, u, v, low, high):
    """Values between two neighbours at half a time step; `low` and `high` are their indices."""
    one, two = (h[low], u[low], v[low]), (h[high], u[high], v[high])
    there, here = flux(*two), flux(*one)
    return tuple((a + b) / 2 - DT / 2 * (q - p) / DX for a, b, p, q in zip(one, two, here, there))


def step(np, state):
    h, u, v = state["h"], state["u"], state["v"]
    reflect(h, u, v)
    rows = half_step(h, u, v, (slice(None, -1), slice(1, -1)), (slice(1, None), slice(1, -1)))
    columns = half_step(h, v, u, (slice(1, -1), slice(None, -1)), (slice(1, -1), slice(1, None)))
    along, across = flux(*rows), flux(*columns)
    h[1:-1, 1:-1] -= DT / DX * (along[0][1:, :] - along[0][:-1, :] + across[0][:, 1:] - across[0][:, :-1])
    u[1:-1, 1:-1] -= DT / DX * (along[1][1:, :] - along[1][:-1, :] + across[2][:, 1:] - across[2][:, :-1])
    v[1:-1, 1:-1] -= DT / DX * (along[2][1:, :] - along[2][:-1, :] + across[1][:, 1:] - across[1][:, :-1])


def result(np, state):
    return state["h"]
