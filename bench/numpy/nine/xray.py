# SPDX-License-Identifier: Apache-2.0
"""X-rays through a scene of boxes: for each ray and each voxel the length of the ray inside it."""

SIZES = {"test": {"scene": 6, "detector": 6}, "two-core": {"scene": 16, "detector": 16}, "gpu": {"scene": 40, "detector": 40}}


def limit(scene, detector):
    return 8 * (scene**3 + detector**2), 61 * scene**3 * detector**2


def setup(np, scene, detector):
    edges = np.linspace(-1.0, 1.0, scene + 1)
    x, y, z = np.meshgrid(edges, edges, edges)
    density = np.zeros((scene, scene, scene))
    density[scene // 4: scene // 2, scene // 4: scene // 2, :] = 2.0
    density[scene // 2:, :, scene // 3: scene // 2] = 0.5
    across = np.linspace(-1.0, 1.0, detector)
    py, pz = np.meshgrid(across, across)
    direction = np.dstack((np.full((detector, detector), 8.0), py, pz)).reshape(detector * detector, 3)
    length = np.sqrt(np.sum(direction**2, axis=1))
    return {
        "low": tuple(a[:-1, :-1, :-1, np.newaxis] for a in (x, y, z)),
        "high": tuple(a[1:, 1:, 1:, np.newaxis] for a in (x, y, z)),
        "density": density[..., np.newaxis],
        "source": (-4.0, 0.013, 0.017),
        "direction": direction / length[:, np.newaxis] + 1e-9,
        "energies": (0.02, 0.04, 0.08),
    }


def smaller(a, b):
    return a * (a <= b) + b * (b < a)


def larger(a, b):
    return a * (a >= b) + b * (b > a)


def step(np, state):
    enter, leave = None, None
    for axis in range(3):
        speed = state["direction"][:, axis]
        first = (state["low"][axis] - state["source"][axis]) / speed
        last = (state["high"][axis] - state["source"][axis]) / speed
        near, far = smaller(first, last), larger(first, last)
        enter = near if enter is None else larger(enter, near)
        leave = far if leave is None else smaller(leave, far)
    inside = (leave - enter) * (leave > enter)
    path = np.sum(inside * state["density"], axis=(0, 1, 2))
    image = np.zeros(path.shape)
    for energy in state["energies"]:
        image += np.exp(-path * energy)
    state["image"] = image


def result(np, state):
    return state["image"]
