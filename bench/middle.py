#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the middle end makes of a few programs: kernels, bytes, arrays.  Counts, not seconds.

  bench/middle.py [--skald build/release/skald]

One row per entry point of bench/middle/programs.fut with the kernels and bytes of what an expert would
write by hand.  What differs is marked with (!), and so are allocations inside loops; then the exit code is 1.
Compile times, and how they grow, are printed by bench/compile_time.py.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Kernels, bytes read, bytes written.
WANTED = {
    "dot": (1, "8·n", "0"),
    "norm2": (2, "16·n", "16·n"),
    "kmeans_step": (1, "16·n", "24·k"),  # half of it are the zeros that the bins start from
    "filter_sum": (1, "4·n", "0"),
    "filter_filter_sum": (1, "4·n", "0"),
    "dense_mv": (1, "4·m + 4·m·n", "4·n"),
    "heat": (1, "8·m·n", "8·m·n"),
    "heat_flat": (1, "8·m·n", "8·m·n"),
    "nbody": (1, "8·n", "4·n"),
    "row_sums": (1, "4·m·n", "4·n"),
    "column_sums": (1, "4·m·n", "4·m"),
    "life": (1, "1·m·n", "1·m·n"),
    "heat_steps": (1, "8·m·n", "8·m·n"),
    "sparse_mv": (1, "8·a + 4·m + 12·nnz", "4·n"),
    "sums_axis_0": (1, "4·a·b·c·d", "4·b·c·d"),
    "sums_axis_1": (1, "4·a·b·c·d", "4·a·c·d"),
    "sums_axis_2": (1, "4·a·b·c·d", "4·a·b·d"),
    "sums_axis_3": (1, "4·a·b·c·d", "4·a·b·c"),
    "hist_beside_map": (1, "12·n", "8·k + 4·n"),
    "filter_beside_sum": (1, "4·n", "4·size"),
    "sums_of_filtered": (1, "4·n", "4·size"),
    "filter_by_hand": (1, "4·n", "8·n"),  # half of it are the zeros that are overwritten
    "stencil_of_map": (1, "4·n", "4·size"),
}


def run(skald, *args):
    return subprocess.run([skald, *args], capture_output=True, text=True, cwd=ROOT)


def table(skald):
    done = run(skald, "dump", "--stats", "bench/middle/programs.fut")
    if done.returncode != 0:
        sys.exit(done.stderr)
    pattern = (r"entry (\w+): (\d+) kernels.*\n  reads (.*) bytes, writes (.*) bytes\n  (\d+) intermediate.*\n"
               r"  peak (.*) bytes besides the arguments; \d+ allocations, (\d+) in loops")
    print("| program | kernels: wanted, got | bytes read: wanted, got | bytes written: wanted, got | "
          "intermediate arrays | peak bytes | allocations in loops |\n|---|---|---|---|---|---|---|")
    bad = 0
    for name, kernels, reads, writes, arrays, peak, in_loops in re.findall(pattern, done.stdout):
        wanted, got = WANTED.get(name, ("?", "?", "?")), (int(kernels), reads, writes)
        cells = [f"{w}, {g}" + ("" if w == g else " (!)") for w, g in zip(wanted, got)]
        bad += wanted != got or in_loops != "0"
        loops = in_loops if in_loops == "0" else f"{in_loops} (!)"
        print(f"| {name} | {' | '.join(cells)} | {arrays} | {peak} | {loops} |")
    return 1 if bad else 0


def quicksort(skald, keys=1_000_000):
    """Kernels of one level of the recursion on a gpu, and the levels of a quicksort of random keys."""
    done = run(skald, "dump", "--stage=kernels", "--device=gpu", "bench/middle/quicksort.fut")
    if done.returncode != 0:
        sys.exit(done.stderr)
    lifted = re.search(r"^fun quicksort_lifted .*?(?=^fun |\Z)", done.stdout, re.M | re.S)
    if not lifted:
        print("quicksort is not lifted (!)")
        return 1
    kernels, calls = lifted[0].count("kernel("), lifted[0].count("call quicksort_lifted(")
    segments, levels, total = [[random.randrange(1 << 30) for _ in range(keys)]], 0, 0
    while segments:
        total += len(segments)
        levels += 1
        split = []
        for xs in segments:
            if len(xs) > 1:
                p = xs[len(xs) // 2]
                split += [[x for x in xs if x < p], [x for x in xs if x > p]]
        segments = split
    bad = calls != 1
    print(f"\nquicksort of {keys} random keys: {kernels} kernels in the code of one level, which calls itself {calls} times"
          f"{' (!)' if bad else ''}; {levels} levels, so at most {kernels * levels} launches for {total} calls")
    return int(bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", default=str(ROOT / "build/dev/skald"))
    args = parser.parse_args()
    skald = str(pathlib.Path(args.skald).resolve())
    sys.exit(table(skald) | quicksort(skald))


if __name__ == "__main__":
    main()
