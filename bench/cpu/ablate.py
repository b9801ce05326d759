#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each special rule of the compiler is good for: the rows of bench/cpu with every rule left out in turn.

    bench/cpu/ablate.py --skald build/release/skald [--rule NAME]… [--list] [ROW…]

Rules are what `--disable` knows: passes of core and imp, ways to lower kernels, parts of the cpu back end.  First it finds out
which programs a rule changes at all, by comparing what `skald dump` prints with and without it, which takes no timing.  Only
these are run: with every rule that changes a row left out, and twice as they are, all in turns.  The second time as they are
shows how much of a difference means nothing.  A number above 1 says how many times as long a row takes without the rule.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from neighbours import data_program
from rows import ROWS
from sides import HERE, Skald, save

# Less is not worth a line.
WORTH = 0.03
# Parts that show only in the code that is made of imp.
LOWEST = {"stream", "simd256", "simd512", "avx512"}
AS_IT_IS, AGAIN = "as it is", "as it is, again"
STATISTICS = {"median": statistics.median, "min": min}


# ---- rules and what they change


def listed(skald, option):
    return subprocess.run([skald, "dump", option], check=True, capture_output=True, text=True).stdout.splitlines()


def all_rules(skald):
    """Passes, then parts of the back end, then strategies of the cpu that can be left out."""
    passes = [line.split()[0] for line in listed(skald, "--list-passes") if line and not line.endswith(":")]
    ways = [line for line in listed(skald, "--list-strategies") if "(always there)" not in line]
    return passes + [way for way in ways if not way.startswith("gpu/")]


def dumped(skald, program, rule=None):
    """What the compiler makes of a program; None if it cannot do without the rule."""
    form = "--emit=ll" if rule in LOWEST else "--stage=imp"
    options = [form] + ([f"--disable={rule}"] if rule and rule not in (AS_IT_IS, AGAIN) else [])
    done = subprocess.run([skald, "dump", "-w", *options, program], capture_output=True, text=True, timeout=600)
    return done.stdout if done.returncode == 0 else None


def program_of(row):
    return str(HERE / "programs" / f"{row.program}.fut")


class Changes:
    """Which rules change which programs."""

    def __init__(self, skald, rules, rows, jobs):
        programs = sorted({program_of(row) for row in rows})
        self.changed, self.needed = {}, {}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            plain = dict(zip(programs, pool.map(lambda program: dumped(skald, program), programs)))
            lowest = {}
            if LOWEST & set(rules):
                lowest = dict(zip(programs, pool.map(lambda program: lowest_form(skald, program), programs)))
            for rule in rules:
                before = lowest if rule in LOWEST else plain
                after = pool.map(lambda program: dumped(skald, program, rule), programs)
                pairs = list(zip(programs, after))
                self.needed[rule] = {program for program, text in pairs if text is None}
                self.changed[rule] = {p for p, text in pairs if text is not None and text != before[p]}

    def rules_for(self, row):
        return [rule for rule, programs in self.changed.items() if program_of(row) in programs]


def lowest_form(skald, program):
    done = subprocess.run([skald, "dump", "-w", "--emit=ll", program], check=True, capture_output=True, text=True)
    return done.stdout


# ---- times


def compare(data, row, out, reference):
    done = subprocess.run([data, "compare", out, reference, str(row.rtol), str(row.share)], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout.strip()


def measure(row, rules, args):
    """How many times as long the row takes without each rule, and with all of them a second time."""
    sides = [Skald(args.skald, AS_IT_IS), Skald(args.skald, AGAIN)]
    sides += [Skald(args.skald, rule, [f"--disable={rule}"]) for rule in rules]
    times, problems = {side.name: [] for side in sides}, {}
    with tempfile.TemporaryDirectory(dir=args.tmp) as folder:
        data = os.path.join(folder, "input")
        subprocess.run([args.data, "make", data, *row.inputs], check=True)
        outs = [os.path.join(folder, f"out{k}") for k in range(len(sides))]
        for turn in range(args.turns):
            # Each one comes first, and last, in some turn.
            order = list(zip(sides, outs))
            for side, out in order[turn % len(order):] + order[:turn % len(order)]:
                if side.name in problems:
                    continue
                try:
                    # The first runs of a process are slower for other reasons.
                    times[side.name] += side.times(row, data, out, args.runs + 2)[2:]
                except RuntimeError as problem:
                    problems[side.name] = str(problem).strip()
        if AS_IT_IS not in problems:
            for side, out in list(zip(sides, outs))[1:]:
                if side.name not in problems and (why := compare(args.data, row, out, outs[0])):
                    problems[side.name] = "another result: " + why
    typical = STATISTICS[args.statistic]
    if AS_IT_IS in problems:
        return {}, problems
    base = typical(times[AS_IT_IS])
    return {name: typical(ts) / base for name, ts in times.items() if ts and name not in problems and name != AS_IT_IS}, problems


# ---- the table


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def table(rules, changes, ratios):
    """Lines of `rule, programs changed, geometric mean, rows that differ`; `ratios` is by row, then by rule."""
    yield f"{'rule':<26}{'rows':>5}{'mean':>7}  rows that take more than {WORTH:.0%} longer or less long without it"
    for rule in [AGAIN, *rules]:
        mine = {row: by_rule[rule] for row, by_rule in ratios.items() if rule in by_rule}
        if not mine:
            # A pass without which some programs cannot be compiled at all is no special rule.
            why = "needed" if changes.needed.get(rule) else "changes no row" if not changes.changed.get(rule) else "not run"
            yield f"{rule:<26}{0:>5}{'–':>7}  {why}"
            continue
        far = sorted((row for row in mine if abs(mine[row] - 1) > WORTH), key=lambda row: -mine[row])
        yield f"{rule:<26}{len(mine):>5}{geometric_mean(list(mine.values())):>7.3f}  " + ", ".join(f"{row} {mine[row]:.2f}" for row in far)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="ROW", help="rows whose name contains one of these; none: all")
    parser.add_argument("--skald", required=True)
    parser.add_argument("--rule", action="append", default=[], help="only this one; several by repeating the option")
    parser.add_argument("--list", action="store_true", help="only say which programs each rule changes")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5, help="of each turn, after two that do not count")
    parser.add_argument("--statistic", choices=STATISTICS, default="median")
    parser.add_argument("--jobs", type=int, default=1, help="programs compared at the same time, before anything is timed")
    parser.add_argument("--build-dir", default="build/bench-cpu", help="where the program that makes inputs lies")
    parser.add_argument("--tmp", help="folder for inputs and results, up to 600 MB at a time")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.skald = os.path.abspath(args.skald)
    return args


def main():
    args = parse_arguments()
    known = all_rules(args.skald)
    if unknown := [rule for rule in args.rule if rule not in known]:
        raise SystemExit(f"there is no rule {', '.join(unknown)}; there are: {' '.join(known)}")
    rules = args.rule or known
    rows = [row for row in ROWS if not args.words or any(word in row.name for word in args.words)]
    if not rows:
        raise SystemExit("no row has such a name")
    changes = Changes(args.skald, rules, rows, args.jobs)
    if args.list:
        for rule in rules:
            names = sorted(pathlib.Path(p).stem for p in changes.changed[rule])
            needed = sorted(pathlib.Path(p).stem for p in changes.needed[rule])
            print(f"{rule:<26}{' '.join(names)}" + (f"  (cannot do without it: {' '.join(needed)})" if needed else ""))
        return 0
    pathlib.Path(args.build_dir).mkdir(parents=True, exist_ok=True)
    args.data = data_program(args.build_dir)
    ratios, wrong = {}, []
    for row in rows:
        if here := changes.rules_for(row):
            ratios[row.name], problems = measure(row, here, args)
            wrong += [f"{row.name}, {name}: {why}" for name, why in problems.items()]
            shown = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios[row.name].items())
            print(f"{row.name}: {shown}", file=sys.stderr, flush=True)
    print(f"{len(os.sched_getaffinity(0))} cores; {args.statistic} of {args.turns} × {args.runs} runs in turns")
    print("\n".join(table(rules, changes, ratios)))
    for line in wrong:
        print("wrong:", line)
    save(args.json, {"ratios": ratios, "wrong": wrong})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
