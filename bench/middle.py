#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the middle end makes of a few programs: kernels, bytes, arrays.  Counts, not seconds.

  bench/middle.py [--skald build/release/skald] [--growth]

One row per entry point of bench/middle/programs.fut with the number of kernels that an expert would
write by hand; a row with more is marked, and so are allocations inside loops.  With --growth: the time of every pass for generated programs of
10 to 10 000 statements, and per statement, which shows how the work grows.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

WANTED = {
    "dot": 1, "norm2": 2, "kmeans_step": 1, "filter_sum": 1, "filter_filter_sum": 1, "dense_mv": 1,
    "heat": 1, "heat_flat": 1, "nbody": 1, "row_sums": 1, "column_sums": 1, "life": 1, "heat_steps": 1,
}


def run(skald, *args):
    return subprocess.run([skald, *args], capture_output=True, text=True, cwd=ROOT)


def table(skald):
    done = run(skald, "dump", "--stats", "bench/middle/programs.fut")
    if done.returncode != 0:
        sys.exit(done.stderr)
    pattern = (r"entry (\w+): (\d+) kernels.*\n  reads (.*) bytes, writes (.*) bytes\n  (\d+) intermediate.*\n"
               r"  peak (.*) bytes besides the arguments; \d+ allocations, (\d+) in loops")
    print("| program | kernels | wanted | bytes read | bytes written | intermediate arrays | peak bytes | allocations in loops |\n"
          "|---|---|---|---|---|---|---|---|")
    for name, kernels, reads, writes, arrays, peak, in_loops in re.findall(pattern, done.stdout):
        wanted = WANTED.get(name, 0)
        mark = "" if int(kernels) <= wanted else " (!)"
        loops = in_loops if in_loops == "0" else f"{in_loops} (!)"
        print(f"| {name} | {kernels}{mark} | {wanted} | {reads} | {writes} | {arrays} | {peak} | {loops} |")


def generated(statements):
    """One function of about that many statements after inlining, with both fusible and ordered parts."""
    count, lines, calls = max(1, statements // 5), [], "xs"
    for start in range(0, count, 150):  # nesting is limited, so there are several definitions
        lines.append(f"def part{start} [n] (xs: [n]f32) : [n]f32 =")
        prev = "xs"
        for k in range(start, min(start + 150, count)):
            if k % 4 == 3:
                lines.append(f"  let s{k} = f32.sum {prev}")
                lines.append(f"  let a{k} = map (\\x -> x / s{k} + {k}) {prev}")
            else:
                lines.append(f"  let a{k} = map (\\x -> (x * {k}f32 + 1) * (x - {k}f32) + x) {prev}")
            prev = f"a{k}"
        lines.append(f"  in {prev}")
        calls = f"(part{start} {calls})"
    lines.append(f"def main [n] (xs: [n]f32) = {calls}")
    return "\n".join(lines) + "\n"


def growth(skald):
    print("| statements | " + "total ms | ms per 1000 statements | slowest pass |\n|---|---|---|---|")
    for statements in (10, 100, 1000, 3000, 10000):
        with tempfile.NamedTemporaryFile("w", suffix=".fut") as file:
            file.write(generated(statements))
            file.flush()
            done = run(skald, "dump", "--times", "--stats", file.name)
        times = re.findall(r"^(\S+) +([\d.]+) ms", done.stderr, re.M)
        if done.returncode != 0 or not times:
            sys.exit(done.stderr)
        total = sum(float(ms) for _, ms in times)
        slowest = max(times, key=lambda t: float(t[1]))
        print(f"| {statements} | {total:.1f} | {1000 * total / statements:.1f} | {slowest[0]} {slowest[1]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", default=str(ROOT / "build/dev/skald"))
    parser.add_argument("--growth", action="store_true")
    args = parser.parse_args()
    skald = str(pathlib.Path(args.skald).resolve())
    growth(skald) if args.growth else table(skald)


if __name__ == "__main__":
    main()
