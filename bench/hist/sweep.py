# SPDX-License-Identifier: Apache-2.0
"""For each cell of a grid: the plan that Skald chooses, and every other one that fits, forced by a parameter.  Results are compared; the chosen
plan should take hardly longer than the best.

A way that is hopeless is not run on all points: each is timed on a part of them first."""

import os
import sys
import time

import grid
import library

HERE = os.path.dirname(os.path.abspath(__file__))
# As machine/hist_costs.h numbers them.
WAYS = {"cpu": {"one thread": 1, "copies": 2, "in turn": 3, "sorted": 4},
        "device": {"group bins": 5, "range bins": 6, "sorted bins": 7, "points": 8}}
NEAR = 1.1  # times the best that is as good
HOPELESS = 20  # times the best, as far as a part of the points says
PART, LEAST_PART = 50, 100_000  # of the points, and at least so many


class Sweep:
    def __init__(self, context, backend, threads, time):
        """`time` measures a function: a dictionary with `us`, on the cpu `work_us` too, which is what one thread takes if nobody disturbs it."""
        self.context, self.time = context, time
        self.unit = "work_us" if backend == "cpu" and threads == 1 else "us"
        self.programs = {}
        path = os.path.join(HERE, "programs", "hist.fut")
        for name, number in {"chosen": 0, **WAYS["cpu" if backend == "cpu" else "device"]}.items():
            context.choose("hist.way", number)
            self.programs[name] = context.program(path)
        context.choose("hist.way", 0)

    def keys(self, name, points, bins):
        return self.programs["chosen"].call(*grid.KEYS[name](points, bins))[0]

    def cell(self, operator, bins, keys, part, times_part):
        """Microseconds of each way, estimates of those that are hopeless, and whether all gave the same.  `part` are `times_part` times fewer keys."""
        times, hopeless, first, first_part, same = {}, {}, None, None, True
        for name, program in self.programs.items():
            try:
                estimate, results = once(program.prepare(operator, [bins, part]))
                first_part = results if first_part is None else first_part
                same = same and results == first_part
                if times and times_part * estimate > HOPELESS * min(times.values()):
                    hopeless[name] = times_part * estimate
                    continue
                run = program.prepare(operator, [bins, keys])
                results = contents(run())
                times[name] = self.time(run)[self.unit]
            except library.SkaldError as error:
                print(f"{operator}, {bins} bins, {name}: {error}", file=sys.stderr)
                continue
            first = results if first is None else first
            same = same and results == first
        return {"times": times, "hopeless": hopeless, "same": same}


def contents(results):
    return [bytes(each.read()) for each in results]


def once(run):
    """Microseconds of a second call, and what it gives; the first one compiles kernels."""
    run()
    took, results = run.timed()
    return 1e6 * took, contents(results)


def line(row, ways):
    """Times; `>` before an estimate.  Then the best way, if the chosen one is not as good."""
    def shown(way):
        return f"{row['times'][way]:.0f}" if way in row["times"] else f">{row['hopeless'][way]:.0f}" if way in row["hopeless"] else "-"

    notes = ("" if row["over"] <= NEAR else "  " + row["best"]) + ("" if row["same"] else "  RESULTS DIFFER")
    return f"{row['points']:>10}{row['operator']:>12}{row['bins']:>10} {row['keys']:<9}" + "".join(f"{shown(way):>12}" for way in ways) + f"{row['over']:>10.2f}{notes}"


def run_sweep(sweep, points, operators, all_bins, wanted, seconds):
    """A line for each cell, as long as there is time; ways that do not fit are what is chosen, once more.  The rows, and how many cells there was no
    time for."""
    ways = list(sweep.programs)
    print(f"{'points':>10}{'operator':>12}{'bins':>10} {'keys':<9}" + "".join(f"{name:>12}" for name in ways) + f"{'over best':>10}")
    rows, left, end = [], 0, time.monotonic() + seconds
    part = max(points // PART, min(points, LEAST_PART))
    for bins in all_bins:
        for name in wanted:
            keys, some = sweep.keys(name, points, bins), sweep.keys(name, part, bins)
            for operator in operators:
                if time.monotonic() > end:
                    left += 1
                    continue
                row = {"points": points, "operator": operator, "bins": bins, "keys": name, **sweep.cell(operator, bins, keys, some, points / part)}
                if "chosen" not in row["times"]:
                    continue
                row["best"] = min(row["times"], key=row["times"].get)
                row["over"] = row["times"]["chosen"] / row["times"][row["best"]]
                rows.append(row)
                print(line(row, ways), flush=True)
    return rows, left


def summary(rows, left):
    if not rows:
        return "no cell was measured"
    near = sum(row["over"] <= NEAR for row in rows)
    wrong = sum(not row["same"] for row in rows)
    worst = max(rows, key=lambda row: row["over"])
    return (f"{near} of {len(rows)} cells within {NEAR - 1:.0%} of the best plan ({near / len(rows):.0%}); the worst {worst['over']:.2f}: "
            f"{worst['operator']}, {worst['bins']} bins, {worst['keys']}, {worst['points']} points; "
            f"{sum(len(row['hopeless']) for row in rows)} ways not run whole, as a part of the points took {HOPELESS} times as long as the best"
            + (f"; NO TIME FOR {left} CELLS" if left else "")
            + (f"; IN {wrong} CELLS RESULTS DIFFER" if wrong else "; all results are equal"))
