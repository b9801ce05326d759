# SPDX-License-Identifier: Apache-2.0
"""For each cell of a grid: the plan that Skald chooses, and every other one that fits, forced by a parameter.  Results are compared; the chosen
plan should take hardly longer than the best."""

import os
import sys

import grid
import library

HERE = os.path.dirname(os.path.abspath(__file__))
# As machine/hist_costs.h numbers them.
WAYS = {"cpu": {"one thread": 1, "copies": 2, "in turn": 3, "sorted": 4},
        "device": {"group bins": 5, "range bins": 6, "sorted bins": 7, "points": 8}}
NEAR = 1.1  # times the best that is as good


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

    def cell(self, operator, bins, keys):
        """Microseconds of each way, and whether all gave the same."""
        times, first, same = {}, None, True
        for name, program in self.programs.items():
            run = program.prepare(operator, [bins, keys])
            try:
                results = [bytes(each.read()) for each in run()]
                times[name] = self.time(run)[self.unit]
            except library.SkaldError as error:
                print(f"{operator}, {bins} bins, {name}: {error}", file=sys.stderr)
                continue
            first = results if first is None else first
            same = same and results == first
        return times, same


def run_sweep(sweep, points, operators, all_bins, wanted):
    """A line for each cell; ways that do not fit are what is chosen, once more."""
    ways = list(sweep.programs)
    print(f"{'points':>10}{'operator':>12}{'bins':>10} {'keys':<9}" + "".join(f"{name:>12}" for name in ways) + f"{'over best':>10}")
    rows = []
    for bins in all_bins:
        for name in wanted:
            keys = sweep.programs["chosen"].call(*grid.KEYS[name](points, bins))[0]
            for operator in operators:
                times, same = sweep.cell(operator, bins, keys)
                if "chosen" not in times:
                    continue
                best = min(times, key=times.get)
                over = times["chosen"] / times[best]
                rows.append({"points": points, "operator": operator, "bins": bins, "keys": name, "times": times, "best": best, "over": over, "same": same})
                shown = "".join(f"{times[way]:>12.0f}" if way in times else f"{'-':>12}" for way in ways)
                notes = ("" if over <= NEAR else "  " + best) + ("" if same else "  RESULTS DIFFER")
                print(f"{points:>10}{operator:>12}{bins:>10} {name:<9}{shown}{over:>10.2f}{notes}", flush=True)
    return rows


def summary(rows):
    near = sum(row["over"] <= NEAR for row in rows)
    wrong = sum(not row["same"] for row in rows)
    worst = max(rows, key=lambda row: row["over"])
    return (f"{near} of {len(rows)} cells within {NEAR - 1:.0%} of the best plan ({near / len(rows):.0%}); the worst {worst['over']:.2f}: "
            f"{worst['operator']}, {worst['bins']} bins, {worst['keys']}, {worst['points']} points"
            + (f"; IN {wrong} CELLS RESULTS DIFFER" if wrong else "; all results are equal"))
