# SPDX-License-Identifier: Apache-2.0
"""For each cell of a grid: the plan that Skald chooses, and every other one that fits, forced by a parameter.  Results are compared; the chosen
plan should take hardly longer than the best.

A way that is hopeless is not run on all points: each is timed on two small parts of them first, and what the larger one takes more says what the
rest would take."""

import os
import sys
import time

import grid
import library

HERE = os.path.dirname(os.path.abspath(__file__))
# As machine/hist_costs.h numbers them.
WAYS = {"cpu": {"one thread": 1, "copies": 2, "in turn": 3, "sorted": 4},
        "device": {"group bins": 5, "range bins": 6, "sorted bins": 7, "points": 8, "looked bins": 9, "run bins": 10}}
NEAR = 1.1  # times the best that is as good
# Times the best, as far as parts of the points say, and so many microseconds, which are more than the noise of that.
HOPELESS, HOPELESS_US = 20, 30_000
PARTS = (4000, 1000)  # of the points: one of so many
TURNS = 3  # how often all ways are timed, one after the other: what else the machine does hits all of them


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

    def cell(self, operator, points, bins, keys, parts):
        """Microseconds of each way, estimates of those that are hopeless, and whether all gave the same.  `parts` are numbers of keys, and the keys."""
        times, hopeless, runs, first, first_part, same = {}, {}, {}, None, None, True
        for name, program in self.programs.items():
            try:
                estimate, results = whole_of_parts([(n, program.prepare(operator, [bins, some])) for n, some in parts], points)
                first_part = results if first_part is None else first_part
                same = same and results == first_part
                if times and estimate > max(HOPELESS * min(times.values()), HOPELESS_US):
                    hopeless[name] = estimate
                    continue
                run = program.prepare(operator, [bins, keys])
                results = contents(run())
                runs[name], times[name] = run, self.time(run)[self.unit]
            except library.SkaldError as error:
                print(f"{operator}, {bins} bins, {name}: {error}", file=sys.stderr)
                continue
            first = results if first is None else first
            same = same and results == first
        for _ in range(1, TURNS):
            for name, run in runs.items():
                times[name] = min(times[name], self.time(run)[self.unit])
        return {"times": times, "hopeless": hopeless, "same": same}


def contents(results):
    return [bytes(each.read()) for each in results]


def whole_of_parts(parts, points):
    """Microseconds that all points would take, by those of a smaller and a larger part; and what the larger one gives.  First calls compile kernels."""
    took = []
    for count, run in parts:
        run()
        seconds, results = min((run.timed() for _ in range(3)), key=lambda each: each[0])
        took.append((count, 1e6 * seconds))
    (few, least), (many, most) = took[0], took[-1]
    return most + max(most - least, 0) / max(many - few, 1) * (points - many), contents(results)


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
    sizes = [max(points // part, 1) for part in PARTS]
    for bins in all_bins:
        for name in wanted:
            keys, parts = sweep.keys(name, points, bins), [(n, sweep.keys(name, n, bins)) for n in sizes]
            for operator in operators:
                if time.monotonic() > end:
                    left += 1
                    continue
                row = {"points": points, "operator": operator, "bins": bins, "keys": name, **sweep.cell(operator, points, bins, keys, parts)}
                if "chosen" not in row["times"]:
                    continue
                row["best"] = min(row["times"], key=row["times"].get)
                row["over"] = row["times"]["chosen"] / row["times"][row["best"]]
                rows.append(row)
                print(line(row, ways), flush=True)
    return rows, left


def table(rows):
    """For each operator and number of bins: the worst of the distributions, chosen plan over best, with the keys and the best way if that is not near."""
    lines = []
    for operator in dict.fromkeys(row["operator"] for row in rows):
        for bins in dict.fromkeys(row["bins"] for row in rows):
            cells = [row for row in rows if (row["operator"], row["bins"]) == (operator, bins)]
            if not cells:
                continue
            worst = max(cells, key=lambda row: row["over"])
            why = "" if worst["over"] <= NEAR else f"  {worst['keys']}: {worst['best']}"
            lines.append(f"{operator:<12}{bins:>10}{sum(row['over'] <= NEAR for row in cells):>4} of {len(cells)}{worst['over']:>8.2f}{why}")
    return "\n".join(lines)


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
