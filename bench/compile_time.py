#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the middle end takes, for programs in folders and for generated ones that grow.

  bench/compile_time.py [--skald build/release/skald] [--growth] [--plot FILE.tsv] [PATH…]

PATH: programs or folders of programs (*.fut); a row for each, slowest first, with the time of all passes and
the slowest pass, and the time of the whole command (front end and verifier included).  All times are processor time.  If the passes
take more than 500 ms the row is marked with (!).  With --growth: programs of 10 to 10 000
statements, of five kinds — straight scalar code, many SOACs in one block, deep nests, many functions, calls that need each other —
with the time per 1000 statements, which would stay the same if the work were linear.  Times are the least of three runs.
With --plot the rows of --growth go to a file as well, for a plotting program.
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_MS = 500


def pass_times(skald, path, runs=3):
    """[(pass, milliseconds)] of the fastest run; None if the program does not compile."""
    best = None
    for _ in range(runs):
        done = subprocess.run([skald, "dump", "--times", "--stats", str(path)], capture_output=True, text=True,
                              cwd=ROOT, timeout=600)
        times = [(name, float(ms)) for name, ms in re.findall(r"^(\S+) +([\d.]+) ms", done.stderr, re.M)]
        if done.returncode != 0 or not times:
            return None
        if best is None or sum(ms for _, ms in times) < sum(ms for _, ms in best):
            best = times
    return best


def slowest(times):
    sums = {}
    for name, ms in times:
        sums[name] = sums.get(name, 0) + ms
    name = max(sums, key=sums.get)
    return f"{name} {sums[name]:.0f}"


def programs(skald, paths):
    files = []
    for path in map(pathlib.Path, paths):
        files += sorted(path.rglob("*.fut")) if path.is_dir() else [path]
    rows, skipped = [], 0
    for file in files:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        times = pass_times(skald, file, runs=1)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if times is None:
            skipped += 1  # no entry points, or something we do not support
            continue
        if sum(ms for _, ms in times) > LIMIT_MS / 2:
            times = pass_times(skald, file)
        rows.append((sum(ms for _, ms in times), file, times, cpu))
    rows.sort(key=lambda row: -row[0])
    def is_over(row):
        return row[0] > LIMIT_MS

    print("| program | middle end, ms | slowest pass | processor time of all, ms |\n|---|---|---|---|")
    for row in rows[:40]:
        total, file, times, cpu = row
        print(f"| {file} | {total:.0f}{' (!)' if is_over(row) else ''} | {slowest(times)} | {cpu:.0f} |")
    print(f"\n{len(rows)} programs, {skipped} without a time, {sum(map(is_over, rows))} over {LIMIT_MS} ms")


PART = 150  # expressions nest only so deep, so long code is cut into definitions


def in_parts(count, arg, signature, step):
    """Definitions of PART steps each, and the call of all of them.  A step k computes a{k} from what is before it."""
    lines, calls = [], arg
    for start in range(0, count, PART):
        lines.append(f"def part{start} {signature} =")
        prev = arg
        for k in range(start, min(start + PART, count)):
            lines += step(k, prev)
            prev = f"a{k}"
        lines.append(f"  in {prev}")
        calls = f"(part{start} {calls})"
    return "\n".join(lines), calls


def straight(count):
    parts, calls = in_parts(count, "x", "(x: f32) : f32", lambda k, prev: [f"  let a{k} = {prev} * {k % 7 + 2} + x"])
    return parts + f"\ndef main [n] (xs: [n]f32) = map (\\x -> {calls}) xs\n"


def soacs(count):
    def step(k, prev):
        if k % 4 == 3:
            return [f"  let s{k} = f32.sum {prev}", f"  let a{k} = map (\\x -> x / s{k} + {k}) {prev}"]
        return [f"  let a{k} = map (\\x -> (x * {k} + 1) * (x - {k}) + x) {prev}"]

    parts, calls = in_parts(max(1, count // 5), "xs", "[n] (xs: [n]f32) : [n]f32", step)
    return parts + f"\ndef main [n] (xs: [n]f32) = {calls}\n"


def nests(count):
    depth = 6
    lines = []
    for k in range(max(1, count // (2 * depth))):
        body = f"x * {k} + 1"
        for level in range(depth - 1):
            body = f"f32.sum (map (\\y{level} -> {'x' if level == 0 else f'y{level - 1}'} + y{level}) xs) + {body}" if level == 0 else \
                f"f32.sum (map (\\z{level} -> z{level} * x + {body}) xs)"
        lines.append(f"entry nest{k} [n] (xs: [n]f32) : [n]f32 = map (\\x -> {body}) xs")
    return "\n".join(lines) + "\n"


def functions(count):
    lines = ["def fun0 (x: i64) : i64 = x + 1"]
    for k in range(1, max(2, count // 10)):
        lines.append(f"def fun{k} (x: i64) : i64 = if x % {k + 1} == 0 then x * {k} else fun{k // 2} (x - 1) + fun{k // 3} (x / 2)")
    last = len(lines) - 1
    calls = " + ".join(f"fun{k} x" for k in range(0, last + 1, max(1, last // 20)))
    return "\n".join(lines) + f"\ndef main [n] (xs: [n]i64) : [n]i64 = map (\\x -> {calls}) xs\n"


def calls(count):
    lines = ["#[noinline]", "def step [n] (xs: [n]f32) : [n]f32 = map (+ 1) (rotate 1 xs)"]
    whole = "xs"
    for start in range(0, count, PART):
        lines.append(f"def part{start} [n] (xs: [n]f32) : [n]f32 =")
        lines += ["  let xs = #[noinline] step xs"] * min(PART, count - start) + ["  in xs"]
        whole = f"(part{start} {whole})"
    return "\n".join(lines) + f"\ndef main [n] (xs: [n]f32) = {whole}\n"


def growth(skald, plot):
    print("| kind | statements | middle end, ms | ms per 1000 statements | slowest pass |\n|---|---|---|---|---|")
    rows = []
    for kind in (straight, soacs, nests, functions, calls):
        for statements in (10, 100, 1000, 3000, 10000):
            with tempfile.NamedTemporaryFile("w", suffix=".fut") as file:
                file.write(kind(statements))
                file.flush()
                times = pass_times(skald, file.name)
            if times is None:
                print(f"| {kind.__name__} | {statements} | does not compile | | |")
                continue
            total = sum(ms for _, ms in times)
            rows.append((kind.__name__, statements, total))
            print(f"| {kind.__name__} | {statements} | {total:.1f} | {1000 * total / statements:.1f} | {slowest(times)} |")
    if plot:
        text = "".join(f"{kind}\t{statements}\t{total:.3f}\n" for kind, statements, total in rows)
        pathlib.Path(plot).write_text("kind\tstatements\tms\n" + text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", default=str(ROOT / "build/dev/skald"))
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--plot", help="write the rows of --growth to this file, separated by tabs")
    parser.add_argument("paths", nargs="*")
    args = parser.parse_args()
    skald = str(pathlib.Path(args.skald).resolve())
    if not args.growth and not args.paths:
        parser.error("nothing to do: give programs, folders, or --growth")
    if args.paths:
        programs(skald, args.paths)
    if args.growth:
        growth(skald, args.plot)


if __name__ == "__main__":
    main()
