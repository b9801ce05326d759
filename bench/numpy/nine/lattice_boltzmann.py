# SPDX-License-Identifier: Apache-2.0
"""Flow around a cylinder in a channel: lattice Boltzmann with nine directions."""

SIZES = {"test": {"side": 30}, "two-core": {"side": 300}, "gpu": {"side": 1900}}
DIRECTIONS = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
WEIGHTS = (4 / 9,) + (1 / 9,) * 4 + (1 / 36,) * 4
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
SPEED = 0.02
OMEGA = 1.0 / (3.0 * (SPEED * 10 / 100.0) + 0.5)


def limit(side):
    return 8 * 18 * side**2 + side**2, 237 * side**2


def setup(np, side):
    x, y = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    solid = (x - side / 5) ** 2 + (y - side / 2) ** 2 <= (side / 10) ** 2
    solid[:, 0] = True
    solid[:, -1] = True
    weights = np.array(WEIGHTS)[:, np.newaxis, np.newaxis]
    return {"f": weights.repeat(side, axis=1).repeat(side, axis=2), "solid": solid, "fluid": ~solid}


def equilibrium(np, density, ux, uy):
    square = 1.5 * (ux**2 + uy**2)
    result = np.empty((9,) + density.shape)
    for i, (cx, cy) in enumerate(DIRECTIONS):
        cu = 3 * (cx * ux + cy * uy)
        result[i] = density * WEIGHTS[i] * (1 + cu + 0.5 * cu**2 - square)
    return result


def stream(np, f):
    """Every direction moves by one cell; what leaves at one end comes in at the other."""
    moved = np.empty_like(f)
    for i, (cx, cy) in enumerate(DIRECTIONS):
        moved[i] = np.roll(np.roll(f[i], cx, axis=0), cy, axis=1)
    return moved


def step(np, state):
    f, solid, fluid = state["f"], state["solid"], state["fluid"]
    density = np.sum(f, axis=0)
    ux = sum(cx * f[i] for i, (cx, _) in enumerate(DIRECTIONS)) / density
    uy = sum(cy * f[i] for i, (_, cy) in enumerate(DIRECTIONS)) / density
    ux[0, 1:-1] = SPEED
    uy[0, 1:-1] = 0.0
    wanted = equilibrium(np, density, ux, uy)
    after = f - OMEGA * (f - wanted)
    after[:, 0, 1:-1] = wanted[:, 0, 1:-1]
    for i in range(9):
        after[i] = after[i] * fluid + f[OPPOSITE[i]] * solid
    state["f"] = stream(np, after)


def result(np, state):
    return state["f"]
