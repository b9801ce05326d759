#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Skald and prints one table: ratios against a hand-written peer in the same run, start-up, memory.

    bench/run.py --build-dir build/release [--json FILE] [--size 100000000] [NAME]

Nothing here asserts; docs/performance.md holds the latest table.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 11


def run_times(command, stdin=None):
    """The microseconds that a command prints, one per line."""
    out = subprocess.run(command, stdin=stdin, check=True, capture_output=True, text=True).stdout
    return [int(line) for line in out.split()]


def skald_times(skald, program, data):
    with tempfile.NamedTemporaryFile("r") as times, open(data, "rb") as stdin:
        subprocess.run(
            [skald, "run", program, "-n", "-r", str(RUNS), "-t", times.name], stdin=stdin, check=True)
        return [int(line) for line in times.read().split()]


def peak_memory(command, data):
    """Peak resident bytes of a command, by wait4."""
    with open(data, "rb") as stdin:
        child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command} failed")
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def streaming(skald, peer, name, vectors, outputs, size, folder):
    """One row: Skald and the peer on the same amount of data."""
    data = os.path.join(folder, name + ".in")
    subprocess.run([peer, "input", data, name, str(size)], check=True)
    program = os.path.join(HERE, "programs", name + ".fut")
    ours = statistics.median(skald_times(skald, program, data))
    theirs = statistics.median(run_times([peer, "time", name, str(size), str(RUNS)]))
    values = 4 * size * (vectors + outputs)
    peak = peak_memory([skald, "run", program, "-n"], data)
    os.remove(data)
    return {
        "name": f"{name}, {size // 1_000_000} M f32",
        "skald_us": ours,
        "peer_us": theirs,
        "ratio": theirs / ours,
        "gb_per_s": values / ours / 1000,
        "memory_over_values_mb": (peak - values) / 1e6,
    }


def start_up(skald, root):
    program = os.path.join(root, "examples", "dot_product.fut")
    stdin = b"[1f32,2f32,3f32] [4f32,5f32,6f32]"
    def best(command, data):
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            subprocess.run(command, input=data, check=True, capture_output=True)
            times.append((time.perf_counter() - start) * 1000)
        return statistics.median(times)
    return {
        "run_ms": best([skald, "run", program], stdin),
        "check_ms": best([skald, "check", program], b""),
        "version_ms": best([skald, "--version"], b""),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?", choices=["sum", "saxpy", "start"], help="only this measurement")
    parser.add_argument("--build-dir", default=os.path.join(HERE, "..", "build", "release"))
    parser.add_argument("--json")
    parser.add_argument("--size", type=int, default=100_000_000)
    args = parser.parse_args()
    skald = os.path.join(args.build_dir, "skald")
    peer = os.path.join(args.build_dir, "skald_bench_peer")
    root = os.path.dirname(HERE)
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            streaming(skald, peer, name, vectors, outputs, args.size, folder)
            for name, vectors, outputs in [("sum", 1, 0), ("saxpy", 2, 1)]
            if args.name in (None, name)
        ]
    start = start_up(skald, root) if args.name in (None, "start") else None
    print(f"{platform.machine()}, {os.cpu_count()} cores, median of {RUNS} runs")
    if rows:
        print(f"{'program':<22}{'skald µs':>10}{'TBB µs':>10}{'speed vs TBB':>14}{'GB/s':>8}{'memory beyond values':>22}")
    for row in rows:
        print(f"{row['name']:<22}{row['skald_us']:>10.0f}{row['peer_us']:>10.0f}{row['ratio']:>13.0%} {row['gb_per_s']:>7.1f}"
              f"{row['memory_over_values_mb']:>18.0f} MB")
    if start:
        print(f"dot product, 3 elements, from typing to result: {start['run_ms']:.0f} ms"
              f" (of it front end {start['check_ms'] - start['version_ms']:.0f} ms, process start {start['version_ms']:.0f} ms)")
    if args.json:
        with open(args.json, "w") as out:
            json.dump({"machine": platform.machine(), "cores": os.cpu_count(), "rows": rows, "start": start}, out, indent=2)


if __name__ == "__main__":
    main()
