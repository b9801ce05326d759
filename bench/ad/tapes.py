#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of the derivative of a loop under budgets for its tape, against the full tape.

    bench/ad/tapes.py --skald build/release/skald [--rounds 4096] [--numbers 8192] [--runs 5]

Budgets are fractions of the full tape.  Memory is the peak of the process less that of the same program with one round; times are the shortest of the runs.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "rounds.fut"


def run(args, rounds, extra):
    """Milliseconds, peak KiB, the result or the message."""
    with tempfile.NamedTemporaryFile("r") as times:
        command = [args.skald, "run", f"--backend={args.backend}", f"--num-threads={args.threads}", "-b", "-e", "reverse", "-t", times.name, "-r", str(args.runs), *extra, str(PROGRAM)]
        inner = "import resource,subprocess,sys; d = subprocess.run(sys.argv[1:], stdin=sys.stdin, capture_output=True); " \
                "sys.stdout.buffer.write(d.stdout); sys.stderr.buffer.write((d.stderr.splitlines() or [b''])[0] + b'\\n%d' % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        done = subprocess.run([sys.executable, "-c", inner, *command], input=f"{rounds}i64 {args.numbers}i64".encode(), capture_output=True)
        numbers = [float(x) for x in times.read().split()]
        message, _, peak = done.stderr.decode(errors="replace").rpartition("\n")
        return (min(numbers) / 1000 if numbers else None), int(peak), done.stdout or message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", default="build/release/skald")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=4096)
    parser.add_argument("--numbers", type=int, default=8192)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    tape = 8 * args.rounds * args.numbers
    _, least, _ = run(args, 1, [])
    full, peak, expected = run(args, args.rounds, [])
    print(f"{'budget':>12} {'MiB':>8} {'peak MiB':>9} {'peak/budget':>11} {'ms':>9} {'ratio':>6}")
    print(f"{'full tape':>12} {tape / 2**20:8.1f} {(peak - least) / 1024:9.1f} {(peak - least) * 1024 / tape:11.2f} {full:9.1f} {1:6.2f}")
    for part in (2, 4, 8, 16, 32, 64, 128, 256):
        budget = tape // part
        time, peak, result = run(args, args.rounds, [f"--param=differentiate.tape_memory={budget}"])
        if time is None:
            print(f"{f'1/{part}':>12} {budget / 2**20:8.1f}   {str(result).strip()[:90]}")
            continue
        same = "" if result == expected else "  other results"
        print(f"{f'1/{part}':>12} {budget / 2**20:8.1f} {(peak - least) / 1024:9.1f} {(peak - least) * 1024 / budget:11.2f} {time:9.1f} {time / full:6.2f}{same}")


if __name__ == "__main__":
    main()
