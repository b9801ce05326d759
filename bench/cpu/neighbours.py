#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of bench/cpu while other programs want the same cores.

    bench/cpu/neighbours.py --skald build/release/skald [--neighbours N] [--before OTHER] [ROW…]

Runs every row on as many threads as there are cores, in turns without and with N processes that do nothing but count (one for
every two cores unless N is given), and prints how many times as long a row takes with them.  `--before` measures another build
of skald in the same turns.  Two threads that share a core with one other program have three quarters of the machine, so 1.33 is
the least that can be expected of two cores and one neighbour; no row should take more than 2.2 times as long.
"""

import argparse
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from rows import ROWS
from sides import HERE, Peer, Skald, find_sides, save

TARGET = 2.2
# A neighbour ends by itself, whatever becomes of this program.
LONGEST_TURN = 120


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class Neighbours:
    """Processes that keep cores busy, for as long as the block runs."""

    def __init__(self, count):
        self.processes = [multiprocessing.Process(target=spin, args=(LONGEST_TURN,), daemon=True) for _ in range(count)]

    def __enter__(self):
        for process in self.processes:
            process.start()

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join()


def data_program(folder):
    """The program that makes inputs."""
    for side in find_sides("", folder, None):
        if isinstance(side, Peer):
            return side.binary(HERE / "data.cpp")
    raise SystemExit("neither g++ nor clang++-19 was found: nothing makes the inputs")


def measure(row, sides, args):
    """The times of each side, alone and with neighbours."""
    times = {(side.name, busy): [] for side in sides for busy in (False, True)}
    with tempfile.TemporaryDirectory(dir=args.tmp) as folder:
        data = os.path.join(folder, "input")
        subprocess.run([args.data, "make", data, *row.inputs], check=True)
        out = os.path.join(folder, "out")
        for _ in range(args.turns):
            for busy in (False, True):
                with Neighbours(args.neighbours if busy else 0):
                    for side in sides:
                        # The first runs of a process are slower for other reasons.
                        times[side.name, busy] += side.times(row, data, out, args.runs)[2:]
    return times


def show(row, sides, times):
    ratios = {}
    line = f"{row.name:<26}"
    for side in sides:
        idle, busy = (statistics.median(times[side.name, b]) for b in (False, True))
        ratios[side.name] = {"idle": idle, "busy": busy, "least idle": min(times[side.name, False])}
        line += f"{idle / 1000:>12.2f}{busy / 1000:>10.2f}{busy / idle:>8.2f}"
    print(line, flush=True)
    return {"row": row.name, "us": ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="ROW", help="rows whose name contains one of these; none: all")
    parser.add_argument("--skald", required=True)
    parser.add_argument("--before", help="another build of skald")
    parser.add_argument("--neighbours", type=int, help="one for every two cores unless given")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--runs", type=int, default=12, help="of each turn")
    parser.add_argument("--build-dir", default="build/bench-cpu", help="where the program that makes inputs lies")
    parser.add_argument("--tmp", help="folder for inputs and results, up to 600 MB at a time")
    parser.add_argument("--json")
    args = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    if args.neighbours is None:
        args.neighbours = max(1, cores // 2)
    pathlib.Path(args.build_dir).mkdir(parents=True, exist_ok=True)
    args.data = data_program(args.build_dir)
    sides = [Skald(os.path.abspath(args.skald))]
    if args.before:
        sides.append(Skald(os.path.abspath(args.before), name="before"))
    print(f"{cores} cores, {args.neighbours} neighbours; medians of {args.turns} × {args.runs} runs in turns")
    print(f"{'':<26}" + "".join(f"{side.name + ', ms':>12}{'busy':>10}{'ratio':>8}" for side in sides))
    rows = [row for row in ROWS if not args.words or any(word in row.name for word in args.words)]
    results = [show(row, sides, measure(row, sides, args)) for row in rows]
    ratio = lambda result: result["us"]["skald"]["busy"] / result["us"]["skald"]["idle"]
    slow = [result["row"] for result in results if ratio(result) > TARGET]
    print(f"more than {TARGET} times as long: {', '.join(slow) if slow else 'no row'}")
    save(args.json, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
