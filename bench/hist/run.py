#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times histograms on a device through libskald: operators by class, numbers of bins, distributions of keys.

    bench/hist/run.py --build build/gpu [--backend cuda] [--brief] [--runs 11] [--small] [--json FILE] [--operators add,argmax] [--bins 31,2048] [--keys uniform,zipf]

Microseconds, medians of calls with their launches, one after the other; keys lie on the device.  `read` is the time of the bytes of the keys at the
bandwidth that a copy reaches in the same run.  The first column of keys is uniform; the others are shown as times, and the largest of them over uniform.
"""

import argparse
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gpu"))
import library  # noqa: E402

POINTS = 50_000_000
BINS = (31, 127, 505, 2048, 6144, 12_288, 24_576, 49_152, 196_608, 393_216, 786_432, 1_572_864, 8_000_000, 64_000_000)
BRIEF_BINS = (31, 2048, 12_288, 49_152, 196_608, 786_432, 1_572_864)
# Microseconds that 50 M uniform keys may take on an H200: (operator, most bins, at most).
GOALS = (("add", 12_288, 65), ("add", 49_152, 90), ("add", 786_432, 190), ("add", 1_572_864, 200), ("saturating", 12_288, 90), ("saturating", 49_152, 130),
         ("saturating", 786_432, 260), ("saturating", 1_572_864, 280), ("argmax", 12_288, 150), ("argmax", 49_152, 250), ("argmax", 786_432, 450),
         ("argmax", 1_572_864, 500), ("quadruples", 12_288, 500), ("quadruples", 49_152, 900), ("quadruples", 786_432, 1500), ("quadruples", 1_572_864, 1800))
OPERATORS = ("add", "saturating", "products", "argmax", "quadruples")
KEYS = {
    "uniform": lambda n, h: ("sparse", n, h, 1), "rf 63": lambda n, h: ("sparse", n, h, 63), "rf 1000": lambda n, h: ("sparse", n, h, 1000),
    "zipf": lambda n, h: ("zipf", n, h), "sorted": lambda n, h: ("sorted", n, h), "one bin": lambda n, h: ("one_bin", n, h),
}


def measure(context, run, runs, seconds):
    return statistics.median(library.measure(context, run, runs, seconds))


def goal(operator, bins):
    return next((most for name, size, most in GOALS if name == operator and bins <= size), None)


def copy_speed(context, keys, points):
    """Bytes per microsecond, read and written."""
    return 8 * points / measure(context, keys.copy, 11, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder with libskald.so")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--device")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each number, after at least three runs")
    parser.add_argument("--small", action="store_true", help="a hundredth of the points, to try the script itself")
    parser.add_argument("--operators", help="all, but with --brief none that needs locks, which take long where keys collide")
    parser.add_argument("--bins")
    parser.add_argument("--keys", default=",".join(KEYS))
    parser.add_argument("--brief", action="store_true", help="some numbers of bins, few runs: less than a minute")
    parser.add_argument("--json")
    args = parser.parse_args()
    if args.brief:
        args.runs, args.seconds = min(args.runs, 5), 0.02
    operators = args.operators.split(",") if args.operators else OPERATORS[:3] if args.brief else OPERATORS
    chosen = [int(b) for b in args.bins.split(",")] if args.bins else BRIEF_BINS if args.brief else BINS
    points = POINTS // (100 if args.small else 1)
    context = library.Context(library.Library(os.path.join(args.build, "libskald.so")), args.backend, args.device)
    program = context.program(os.path.join(HERE, "programs", "hist.fut"))
    wanted = args.keys.split(",")
    speed = copy_speed(context, program.call("sparse", points, 31, 1)[0], points)
    print(f"{points} keys of 4 bytes; read {4 * points / speed:.0f} µs")
    print(f"{'operator':<12}{'bins':>10}" + "".join(f"{name:>10}" for name in wanted) + f"{'worst':>8}{'goal':>7}")
    results = []
    for bins in chosen:
        rows = {op: [] for op in operators}
        for name in wanted:
            keys = program.call(*KEYS[name](points, bins))[0]
            for op, times in rows.items():
                try:
                    times.append(measure(context, program.prepare(op, [bins, keys]), args.runs, args.seconds))
                except library.SkaldError as error:
                    print(f"{op} {bins} {name}: {error}", file=sys.stderr)
                    times.append(None)
            del keys
        for op, times in rows.items():
            known = [t for t in times if t is not None]
            worst = f"{max(known) / known[0]:7.2f}x" if known and times[0] is not None else ""
            print(f"{op:<12}{bins:>10}" + "".join(f"{t:>10.0f}" if t is not None else f"{'-':>10}" for t in times) + f"{worst:>8}{goal(op, bins) or '':>7}", flush=True)
            results.append({"operator": op, "bins": bins, "us": dict(zip(wanted, times))})
    if args.json:
        with open(args.json, "w") as out:
            json.dump({"points": points, "read_us": 4 * points / speed, "rows": results}, out, indent=1)


if __name__ == "__main__":
    main()
