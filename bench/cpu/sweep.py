# SPDX-License-Identifier: Apache-2.0
"""Histograms over all numbers of bins: a change of plan must not be a cliff.

Asked for by `./skald-dev bench cpu --only sweep [WORD…]`, where words choose among the lines, such as `add` or `sat one`.
"""

import os
import tempfile

from rows import Row

POINTS = 4_000_000
BINS = [1, 4, 16, 64, 256, 1024, 2048, 4096, 8192, 16384, 65536, 1 << 18, 1 << 19, 1 << 20, 3 << 19, 1 << 21, 3 << 20, 1 << 22,
        1 << 23, 1 << 24, 1 << 25, 100_000_000]


def short(bins):
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if bins >= size:
            return f"{bins / size:.3g}{unit}"
    return str(bins)


def lines(words):
    for operator in ("add", "sat", "argmax"):
        for keys in ("uniform", "one", "zipf"):
            name = f"{operator} {keys}"
            if not words or any(word in name for word in words):
                yield name, operator, keys


def row(operator, keys, bins):
    spec = {"uniform": f"i32:{POINTS}:0:{bins}", "one": f"i32:{POINTS}:{min(7, bins - 1)}:{min(8, bins)}",
            "zipf": f"i32:{POINTS}:zipf:{bins}"}[keys]
    inputs = [f"i64={bins}", spec]
    if operator == "argmax":
        inputs.append(f"i32:{POINTS}:0:1000000000")
    return Row("", f"hist_{operator}", inputs)


def sweep(bench, words):
    """Nanoseconds per point, by line and number of bins.  What the bins themselves cost (they must be written) counts too."""
    side = bench.sides[0]
    results = {}
    print(f"\nhistograms of {POINTS // 1_000_000} M points, ns per point\n{'bins':<16}" + "".join(f"{short(b):>7}" for b in BINS))
    for name, operator, keys in lines(words):
        results[name] = []
        print(f"{name:<16}", end="", flush=True)
        for bins in BINS:
            with tempfile.TemporaryDirectory(dir=bench.args.tmp) as folder:
                one = row(operator, keys, bins)
                data = bench.make(one.inputs, folder)
                times = side.times(one, data, os.path.join(folder, "out"), bench.args.runs)
            results[name].append(1000 * bench.typical(times) / POINTS)
            print(f"{results[name][-1]:>7.2f}", end="", flush=True)
        print()
    return {"bins": BINS, "ns": results}
