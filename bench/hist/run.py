#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times histograms through libskald, and those of others in the same run: a grid of operators, bins and keys, the data sets D1 to D12, applications;
and, with --parts sweep, the plan that is chosen against every other one.

    bench/hist/run.py --build build/gpu [--backend cuda|opencl|cpu] [--parts grid,datasets,applications,sweep] [--brief] [--runs 11] [--small]
                      [--json FILE] [--html FILE] [--operators add,argmax] [--bins 31,2048] [--keys uniform,zipf] [--no-peers]
                      [--points 2000000,20000000] [--threads 1] [--sweep-seconds 150]

On devices: microseconds, medians of calls with their launches, one after the other; data lie on the device.  On the cpu: least times, and processor
time, in which the ratios to the best peer are.  `read` is the time of the bytes of the input at the speed of a copy, on the cpu of a sum, in the same run.
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu")]
import applications  # noqa: E402
import grid  # noqa: E402
import library  # noqa: E402
import page  # noqa: E402
import peers  # noqa: E402
import sweep  # noqa: E402
import timing  # noqa: E402


class Bench:
    def __init__(self, args):
        self.args = args
        self.context = library.Context(library.Library(os.path.join(args.build, "libskald.so")), args.backend, args.device, threads=args.threads)
        folder = os.path.join(args.build, "bench", "hist-peers")
        self.peers = peers.NoPeers() if args.no_peers else peers.of_backend(args.backend, folder, args.threads or len(os.sched_getaffinity(0)))
        self.programs = {}

    def program(self, name):
        if name not in self.programs:
            self.programs[name] = self.context.program(os.path.join(HERE, "programs", name + ".fut"))
        return self.programs[name]

    def time(self, run):
        if self.args.backend == "cpu":
            return timing.of_threads(run, self.args.runs, self.args.seconds)
        return timing.of_device(library, self.context, run, self.args.runs, self.args.seconds)

    def speed(self, points):
        """Bytes per microsecond: of a copy on the device, read and written; on the cpu of adding up."""
        program = self.program("hist")
        keys = program.call("sparse", points, 31, 1)[0]
        if self.args.backend == "cpu":
            return 4 * points / self.time(program.prepare("total", [keys]))["us"]
        return 8 * points / self.time(keys.copy)["us"]

    def histogram(self, operator, bins, keys, on_host):
        """One histogram and its peers; an error becomes a row without a time."""
        row = {"operator": operator, "bins": bins}
        try:
            row.update(self.time(self.program("hist").prepare(operator, [bins, keys])))
        except library.SkaldError as error:
            print(f"{operator} {bins}: {error}", file=sys.stderr)
            row["us"] = None
        row["peers"] = self.peers.times(operator, on_host, bins, self.args.runs, self.args.seconds)
        return row


def ratio(row):
    """Our processor time over that of the best peer, on devices the time."""
    unit = "work_us" if "work_us" in row else "us"
    best = min((peer[unit] for peer in row["peers"].values()), default=None)
    return row[unit] / best if best and row.get(unit) else None


def cell(row):
    over = ratio(row)
    return f"{row['us']:>10.0f}" + (f"{over:>6.2f}x" if over else "       ") if row["us"] is not None else f"{'-':>10}       "


def run_grid(bench, points, operators, all_bins, wanted):
    print(f"{'operator':<12}{'bins':>10}" + "".join(f"{name:>17}" for name in wanted) + f"{'worst':>8}{'goal':>7}")
    results = []
    for bins in all_bins:
        rows = {operator: [] for operator in operators}
        for name in wanted:
            keys = bench.program("hist").call(*grid.KEYS[name](points, bins))[0]
            on_host = None if bench.args.no_peers else keys.read()
            for operator in operators:
                rows[operator].append({**bench.histogram(operator, bins, keys, on_host), "keys": name})
            del keys
        for operator, cells in rows.items():
            known = [row["us"] for row in cells if row["us"] is not None]
            worst = f"{max(known) / known[0]:7.2f}x" if known and cells[0]["us"] is not None else ""
            print(f"{operator:<12}{bins:>10}" + "".join(map(cell, cells)) + f"{worst:>8}{grid.goal(operator, bins) or '':>7}", flush=True)
            results += cells
    return results


def run_datasets(bench, points, speed):
    print(f"\n{'data set':<12}{'bins':>10}{'us':>10}{'x peer':>7}{'read':>8}")
    results = []
    for name, bins, made in grid.datasets(points):
        keys = bench.program("hist").call(*made)[0]
        row = {**bench.histogram("add", bins, keys, None if bench.args.no_peers else keys.read()), "name": name, "read_us": 4 * points / speed}
        print(f"{name:<12}{bins:>10}{cell(row)}{row['read_us']:>8.0f}", flush=True)
        results.append(row)
    return results


def run_applications(bench, part, speed):
    print(f"\n{'application':<24}{'us':>12}{'read':>8}{'x read':>8}{'by hand':>12}{'x':>8}")
    results = []
    for app in applications.applications(part):
        try:
            program = bench.program(app.program)
            arguments = applications.arguments_of(program, app)
            call = program.prepare(app.entry, arguments)
            row = {"name": app.name, **bench.time(call), "read_us": app.read / speed}
            row["by_hand_us"] = bench.peers.by_hand(app.peer, arguments, call(), bench.args.runs)
        except library.SkaldError as error:
            print(f"{app.name}: {error}", file=sys.stderr)
            continue
        by_hand = row["by_hand_us"]
        beside = f"{by_hand:>12.0f}{row['us'] / by_hand:>8.2f}" if by_hand else f"{'-':>12}"
        print(f"{app.name:<24}{row['us']:>12.0f}{row['read_us']:>8.0f}{row['us'] / row['read_us']:>8.1f}{beside}", flush=True)
        results.append(row)
    return results


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder with libskald.so")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--device")
    parser.add_argument("--parts", default="grid,datasets,applications")
    parser.add_argument("--points", help="of the grid and the sweep; several for the sweep")
    parser.add_argument("--sweep-seconds", type=float, default=3600, help="the sweep ends after so many, with what it has")
    parser.add_argument("--threads", type=int, default=0, help="of the cpu; all by default")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each number, after at least three runs")
    parser.add_argument("--small", action="store_true", help="a hundredth of the points, to try the script itself")
    parser.add_argument("--operators", help="all, but with --brief none that needs locks, which take long where keys collide")
    parser.add_argument("--bins")
    parser.add_argument("--keys", default=",".join(grid.KEYS))
    parser.add_argument("--brief", action="store_true", help="some numbers of bins, few runs: less than a minute on a GPU")
    parser.add_argument("--no-peers", action="store_true", help="nobody else, for whom keys must be copied to the host")
    parser.add_argument("--json")
    parser.add_argument("--html")
    args = parser.parse_args()
    if args.brief:
        args.runs, args.seconds = min(args.runs, 5), 0.02
    return args


def main():
    args = parse_arguments()
    part = 100 if args.small else 1
    several = [int(n) // part for n in (args.points or str(grid.POINTS.get(args.backend, 50_000_000))).split(",")]
    points = several[0]
    operators = args.operators.split(",") if args.operators else grid.OPERATORS[:3] if args.brief else grid.OPERATORS
    chosen = [int(b) for b in args.bins.split(",")] if args.bins else grid.BRIEF_BINS if args.brief else grid.BINS
    bench = Bench(args)
    speed = bench.speed(points)
    report = {"backend": args.backend, "points": points, "read_us": 4 * points / speed}
    print(f"{points} keys of 4 bytes; read {report['read_us']:.0f} µs")
    parts = args.parts.split(",")
    if "grid" in parts:
        report["grid"] = run_grid(bench, points, operators, chosen, args.keys.split(","))
    if "datasets" in parts:
        report["datasets"] = run_datasets(bench, grid.DATASET_POINTS // part, speed)
    if "applications" in parts:
        report["applications"] = run_applications(bench, part, speed)
    if "sweep" in parts:
        of_plans = sweep.Sweep(bench.context, args.backend, args.threads, bench.time)
        swept = [sweep.run_sweep(of_plans, n, operators, chosen, args.keys.split(","), args.sweep_seconds / len(several)) for n in several]
        report["sweep"] = [row for rows, _ in swept for row in rows]
        print(f"\n{'near best':<22}{'cells':>8}{'worst':>8}\n" + sweep.table(report["sweep"]))
        print(sweep.summary(report["sweep"], sum(left for _, left in swept)))
    for path, text in ((args.json, lambda: json.dumps(report, indent=1)), (args.html, lambda: page.page(report))):
        if path:
            with open(path, "w") as out:
                out.write(text())


if __name__ == "__main__":
    main()
