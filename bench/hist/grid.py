# SPDX-License-Identifier: Apache-2.0
"""The grid: operators by class, numbers of bins, distributions of keys; and the data sets D1 to D12, which count 20 M indices."""

POINTS = {"cuda": 50_000_000, "opencl": 50_000_000, "cpu": 20_000_000}
BINS = (31, 127, 505, 2048, 6144, 12_288, 24_576, 49_152, 196_608, 393_216, 786_432, 1_572_864, 8_000_000, 64_000_000)
BRIEF_BINS = (31, 2048, 12_288, 49_152, 196_608, 786_432, 1_572_864)
# Microseconds that 50 M uniform keys may take on an H200: (operator, most bins, at most).
GOALS = (("add", 12_288, 65), ("add", 49_152, 90), ("add", 786_432, 190), ("add", 1_572_864, 200), ("saturating", 12_288, 90), ("saturating", 49_152, 130),
         ("saturating", 786_432, 260), ("saturating", 1_572_864, 280), ("argmax", 12_288, 150), ("argmax", 49_152, 250), ("argmax", 786_432, 450),
         ("argmax", 1_572_864, 500), ("quadruples", 12_288, 500), ("quadruples", 49_152, 900), ("quadruples", 786_432, 1500), ("quadruples", 1_572_864, 1800))
OPERATORS = ("add", "saturating", "products", "argmax", "quadruples")
# By name: the entry point of hist.fut that makes them, and its arguments.
KEYS = {
    "uniform": lambda n, h: ("sparse", n, h, 1), "rf 63": lambda n, h: ("sparse", n, h, 63), "rf 1000": lambda n, h: ("sparse", n, h, 1000),
    "zipf": lambda n, h: ("zipf", n, h), "sorted": lambda n, h: ("sorted", n, h), "one bin": lambda n, h: ("one_bin", n, h),
}
DATASET_POINTS = 20_000_000


def goal(operator, bins):
    return next((most for name, size, most in GOALS if name == operator and bins <= size), None)


def datasets(points):
    """Name, number of bins, how keys are made: uniform, normal with four deviations, all in one bin."""
    sizes = (16, 256, 4096, 65_536)
    yield from ((f"D{k + 1}", h, ("sparse", points, h, 1)) for k, h in enumerate(sizes))
    yield from ((f"D{k + 5}", 2048, ("normal", points, 2048, deviation)) for k, deviation in enumerate((64, 128, 256, 512)))
    yield from ((f"D{k + 9}", h, ("one_bin", points, h)) for k, h in enumerate(sizes))
