#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cpu back end against hand-written C++, the machine's limits and, where it is found, Futhark.

    ./skald-dev bench cpu [ROW…]        rows whose name contains one of the words; --help says more

All sides of a row run in turns, several times each, on the same input; results must be equal, or the row counts as wrong.
README.md here says how to read the table.
"""

import argparse
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import page
from rows import ROWS, Row
from sides import HERE, Peer, Skald, find_sides, save
from sweep import sweep

# Of each turn; the best counts.
LIMIT_RUNS = 10
STATISTICS = {"median": statistics.median, "min": min}


def has_limit(row):
    return row.reads + row.writes + row.flops + row.gathers > 0


class Bench:
    def __init__(self, args):
        self.args = args
        self.folder = pathlib.Path(args.build_dir)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.sides = find_sides(args.skald, self.folder, args.sides)
        peers = [side for side in self.sides if isinstance(side, Peer)]
        if not peers:
            raise SystemExit("neither g++ nor clang++-19 was found: there is nothing to compare with")
        self.peer = peers[0]
        self.data = self.peer.binary(HERE / "data.cpp")
        self.typical = STATISTICS[args.statistic]

    def limits(self, runs=40):
        command = [self.data, "limits", "0", str(runs)]
        numbers = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return dict(zip(("read", "copy", "flops", "gathers"), map(float, numbers)))

    def make(self, inputs, folder):
        path = os.path.join(folder, "input")
        subprocess.run([self.data, "make", path, *inputs], check=True)
        return path

    def same(self, a, b, row):
        done = subprocess.run([self.data, "compare", a, b, str(row.rtol), str(row.share)], capture_output=True, text=True)
        return None if done.returncode == 0 else done.stdout.strip()

    def measure(self, row, folder):
        data = self.make(row.inputs, folder)
        runs = math.ceil(self.args.runs / self.args.rounds)
        times = {side.name: [] for side in self.sides}
        times["skald, 1 thread"] = []
        problems, limits = {}, []
        for side in self.sides:
            if why := side.prepare(row):
                problems[side.name] = "does not compile it: " + why.strip().splitlines()[-1][:150]
        for _ in range(self.args.rounds):
            # The machine's speed changes from minute to minute.
            if has_limit(row):
                limits.append(self.limits(LIMIT_RUNS))
            for side in self.sides:
                if side.name in problems:
                    continue
                try:
                    times[side.name] += side.times(row, data, os.path.join(folder, side.name), runs)
                    if isinstance(side, Skald):
                        times["skald, 1 thread"] += side.times(row, data, os.path.join(folder, "one"), runs, 1)
                except RuntimeError as problem:
                    problems[side.name] = str(problem).strip()
        reference = os.path.join(folder, self.peer.name)
        if self.peer.name not in problems:
            for side in self.sides:
                if side is not self.peer and side.name not in problems:
                    if why := self.same(os.path.join(folder, side.name), reference, row):
                        problems[side.name] = "another result: " + why
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        return {name: self.typical(ts) for name, ts in times.items() if ts}, problems, limits

    def limit_us(self, row, limits):
        bandwidth = limits["copy"] if row.writes > row.reads / 100 else limits["read"]
        return max((row.reads + row.writes) / bandwidth, row.flops / limits["flops"], row.gathers / limits["gathers"])

    def row(self, row):
        with tempfile.TemporaryDirectory(dir=self.args.tmp) as folder:
            times, problems, limits = self.measure(row, folder)
        result = {"name": row.name, "group": row.group, "us": times, "problems": problems, "limits": limits}
        ours = times.get("skald")
        if ours is None or "skald" in problems:
            return result
        fair = {name: us for name, us in times.items() if name not in problems and not name.startswith("skald")}
        hand = [us for name, us in fair.items() if not name.startswith("futhark")]
        if hand:
            result["hand"] = min(hand) / ours
        for name, us in fair.items():
            if name.startswith("futhark"):
                result[name] = us / ours
        if limits:
            result["roofline"] = self.typical([self.limit_us(row, each) for each in limits]) / ours
        if "skald, 1 thread" in times:
            result["speedup"] = times["skald, 1 thread"] / ours
        return result

    # ---- What is not a row ----------------------------------------------------------------------

    def start(self, row):
        """Milliseconds of a whole process on a small input: cold, from the cache."""
        program = str(HERE / "programs" / (row.program + ".fut"))
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "SKALD_CACHE_DIR": os.path.join(folder, "skald"), "SKALD_CACHE": "on"}
            data = self.make(row.small_inputs(), folder)
            def once(*options):
                begin = time.perf_counter()
                with open(data, "rb") as stdin:
                    subprocess.run([self.args.skald, "run", "-n", *options, program], env=env, stdin=stdin, check=True)
                return (time.perf_counter() - begin) * 1000
            cold = self.typical([once("--no-cache") for _ in range(7)])
            once()
            return cold, self.typical([once() for _ in range(7)])

    def compile_times(self, rows):
        return {row.program: self.start(row) for row in {row.program: row for row in rows}.values()}

    def call_overhead(self):
        """Microseconds of one call on 100 elements, and of one small kernel inside a call."""
        program = str(HERE / "programs" / "small.fut")
        with tempfile.TemporaryDirectory() as folder:
            data = self.make(["f32:100:0:1"], folder)
            def wall(runs):
                begin = time.perf_counter()
                with open(data, "rb") as stdin:
                    subprocess.run([self.args.skald, "run", "-e", "once", "-n", "-r", str(runs), program], stdin=stdin, check=True)
                return (time.perf_counter() - begin) * 1e6
            wall(2)
            per_call = min((wall(20_000) - wall(2)) / 19_998 for _ in range(5))
            side = Skald(self.args.skald, options=["-e", "many"])
            many = self.typical(side.times(Row("", "small", []), data, os.path.join(folder, "out"), 11))
        return {"call": per_call, "kernel": many / 2000}

    def checks(self):
        """How much longer kernels with checks take on one thread: 0.03 is 3 %."""
        # In the cache and with indices that rise, so that memory does not hide the checks.
        n, turns, runs = 50_000, 8, 400
        costs = {}
        with tempfile.TemporaryDirectory(dir=self.args.tmp) as folder:
            result = os.path.join(folder, "result")
            data = self.make([f"f32:{n}:0:1", f"offsets:{n - 1}:{n - 1}:even"], folder)
            for name in ("gather", "divide", "window"):
                times = {"": [], "_unchecked": []}
                for _ in range(turns):
                    for kind, list_of in times.items():
                        side = Skald(self.args.skald, options=["-e", name + kind])
                        list_of += side.times(Row("", "checks", []), data, result, runs, threads=1)
                costs[name] = self.typical(times[""]) / self.typical(times["_unchecked"]) - 1
        return costs


def mean(numbers):
    numbers = [n for n in numbers if n]
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else None


RATIOS = ("hand", "roofline", "futhark c", "futhark multicore", "futhark ispc", "speedup")
HEADS = {"hand": "hand-written", "roofline": "of limit", "futhark c": "futhark c", "futhark multicore": "multicore",
         "futhark ispc": "ispc", "speedup": "2 : 1 threads"}


def ratio_text(value):
    return "" if value is None else f"{value:.2f}"


def table(results):
    columns = [key for key in RATIOS if any(key in r for r in results)]
    lines = [f"{'row':<26}{'skald ms':>10}" + "".join(f"{HEADS[c]:>15}" for c in columns)]
    for r in results:
        ours = r["us"].get("skald")
        line = f"{r['name']:<26}{ours / 1000 if ours else float('nan'):>10.2f}"
        line += "".join(f"{ratio_text(r.get(c)):>15}" for c in columns)
        lines.append(line.rstrip())
        for side, problem in r["problems"].items():
            lines.append(f"    {side}: {problem.splitlines()[0][:140] if problem else 'failed'}")
    lines.append(f"{'geometric mean':<26}{'':>10}" + "".join(f"{ratio_text(mean(r.get(c) for r in results)):>15}" for c in columns))
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="ROW", help="rows whose name contains one of these; none: all")
    parser.add_argument("--skald", required=True)
    parser.add_argument("--build-dir", required=True, help="where compiled peers lie")
    parser.add_argument("--sides", action="append", help="only these besides skald: g++, clang++, 'futhark multicore', …")
    parser.add_argument("--runs", type=int, default=12, help="timed runs of each side")
    parser.add_argument("--rounds", type=int, default=3, help="turns in which they are done")
    parser.add_argument("--statistic", choices=STATISTICS, default="median", help="min where others use the machine")
    parser.add_argument("--only", choices=["rows", "compile", "calls", "checks", "sweep"],
                        help="only this part; `sweep` (histograms over all numbers of bins) is done only if asked for")
    parser.add_argument("--json")
    parser.add_argument("--html")
    parser.add_argument("--tmp", help="folder for inputs and results, up to 600 MB at a time")
    parser.add_argument("--list", action="store_true", help="list the rows")
    args = parser.parse_args()
    args.skald = os.path.abspath(args.skald)
    return args


def main():
    args = parse_arguments()
    if args.only == "sweep":
        result = sweep(Bench(args), args.words)
        save(args.json, {"sweep": result})
        return 0
    rows = [row for row in ROWS if not args.words or any(word in row.name for word in args.words)]
    if args.list or not rows:
        print("\n".join(row.name for row in (rows or ROWS)))
        return 0 if rows else 2
    bench = Bench(args)
    part = lambda name: args.only in (None, name)
    limits = bench.limits()
    report = {"machine": platform.machine(), "cores": os.cpu_count(), "statistic": args.statistic, "limits": limits,
              "sides": [side.name for side in bench.sides], "rows": []}
    print(f"{platform.machine()}, {os.cpu_count()} cores; reading {limits['read'] / 1000:.1f} GB/s, copying {limits['copy'] / 1000:.1f} GB/s,"
          f" {limits['flops'] / 1000:.1f} f32 GFlop/s, {limits['gathers'] / 1000:.2f} G gathers/s; {args.statistic} of {args.runs}; ratios above 1: Skald is faster", flush=True)
    if part("rows"):
        for k, row in enumerate(rows):
            print(f"\r\x1b[K{k + 1}/{len(rows)} {row.name}", end="", file=sys.stderr, flush=True)
            report["rows"].append(bench.row(row))
            # Whoever stops it keeps what was measured.
            save(args.json, report)
        print("\r\x1b[K", end="", file=sys.stderr)
        print(table(report["rows"]), flush=True)
    if part("compile"):
        report["compile_ms"] = bench.compile_times(rows)
        cold = {name: times[0] for name, times in report["compile_ms"].items()}
        warm = {name: times[1] for name, times in report["compile_ms"].items()}
        slowest = max(cold, key=cold.get)
        print(f"process with compilation, on a small input: geometric mean {mean(cold.values()):.0f} ms, longest {cold[slowest]:.0f} ms ({slowest});"
              f" from the cache: {mean(warm.values()):.0f} ms, longest {max(warm.values()):.0f} ms")
    if part("calls") and not args.words:
        report["overhead_us"] = bench.call_overhead()
        print(f"overhead: {report['overhead_us']['call']:.2f} µs per call on 100 elements,"
              f" {report['overhead_us']['kernel']:.2f} µs per kernel on 100 elements inside a call")
    if part("checks") and not args.words:
        report["checks"] = bench.checks()
        print("cost of checks: " + ", ".join(f"{name} {cost:+.1%}" for name, cost in report["checks"].items()))
    save(args.json, report)
    if args.html:
        pathlib.Path(args.html).write_text(page.html(report, HEADS))
    return 1 if any("skald" in r["problems"] for r in report["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
