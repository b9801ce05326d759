#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loops of 100 to a million elements on one thread and on more: where threads do not pay, they must not cost either.

    bench/cpu/threads.py --skald build/release/skald [--threads 2] [ENTRY…]

Prints, for every entry point of programs/threads.fut and every size, the microseconds of one loop (of one decomposition, for
`lu`) on one thread, on more, and how many times as fast the latter is.  Least of `--turns` × `--runs` runs, in turns.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from sides import save

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "threads.fut"
ENTRIES = ["maps", "sums", "scans", "scans_f64", "filters", "lu"]
SIZES = [100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
ELEMENTS = 2_000_000  # of all rounds of one run


def least(args, entry, rounds, size, threads):
    with tempfile.NamedTemporaryFile("r") as times:
        command = [args.skald, "run", "--backend=cpu", "-e", entry, "--num-threads", str(threads), "-r", str(args.runs), "-t", times.name,
                   str(PROGRAM)]
        subprocess.run(command, input=f"{rounds} {size}", text=True, check=True, stdout=subprocess.DEVNULL)
        return min(float(line) for line in times.read().split()) / rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("entries", nargs="*", metavar="ENTRY", default=ENTRIES)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    print(f"{'':<10}{'elements':>10}{'1 thread, µs':>14}{f'{args.threads} threads':>12}{'speed-up':>10}")
    for entry in args.entries:
        for size in SIZES:
            # A decomposition is some square root of its size loops.
            rounds = max(1, int(ELEMENTS / size ** (1.5 if entry == "lu" else 1)))
            turns = [[least(args, entry, rounds, size, threads) for threads in (1, args.threads)] for _ in range(args.turns)]
            one, more = map(min, zip(*turns))
            rows.append({"entry": entry, "elements": size, "one": one, "more": more})
            print(f"{entry:<10}{size:>10}{one:>14.2f}{more:>12.2f}{one / more:>10.2f}", flush=True)
    worst = min(rows, key=lambda row: row["one"] / row["more"])
    print(f"least speed-up {worst['one'] / worst['more']:.2f}: {worst['entry']}, {worst['elements']} elements")
    save(args.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
