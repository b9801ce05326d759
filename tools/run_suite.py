#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a folder of test programs through skald and prints a table by folder.

    tools/run_suite.py DIR --skald build/release/skald [--backend interp] [--jobs 2] [--time-limit 30] [--together N]
                       [--exclude PATTERN]… [--option=OPTION]… [--record FILE] [--compare FILE]

Every program runs in its own process, so a crash or hang is that program's failure.  With --together one `skald test` runs all of
them, N after the other in a process: for devices, which take long to start.  --record writes the outcomes as JSON; --compare shows
what changed against such a file.  Kinds of programs, by their first test block:

    error     must be rejected, with a message that matches
    run       has cases to run
    compile   must only compile
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys

CRASH = re.compile(r"^.*: (crash|internal error|time) failed$", re.M)


def find_programs(folder, excluded):
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.relpath(os.path.join(base, name), folder)
            if name.endswith(".fut") and not any(fnmatch.fnmatch(path, pattern) for pattern in excluded):
                yield path


def test_blocks(text):
    blocks, inside = [], False
    for line in text.splitlines():
        line = line.rstrip()
        if line == "-- ==":
            blocks.append([])
            inside = True
        elif inside and line.startswith("--"):
            blocks[-1].append(line[2:].strip())
        else:
            inside = False
    return [" ".join(block) for block in blocks]


def kind_of(path):
    with open(path, errors="replace") as source:
        blocks = test_blocks(source.read())
    first = re.sub(r"^tags\s*\{[^}]*\}", "", blocks[0].strip()).strip() if blocks else ""
    if first.startswith("error:"):
        return "error"
    return "run" if any(re.search(r"\binput\b", block) for block in blocks) else "compile"


CASE = re.compile(r"^(.+?\.fut): (.+) (passed|failed|skipped)(: .*)?$")


def outcome_of(kind, cases, output):
    """By the names of what failed, and how many passed."""
    failed = [name for name, result in cases if result == "failed"]
    if any(name in ("crash", "internal error", "time") for name in failed):
        return "crash"
    if failed:
        return "fail" if kind != "error" else "accepted" if "should be rejected" in output else "message"
    return "pass" if any(result == "passed" for _, result in cases) else "skip"


def run_together(args, programs, show):
    """Calls `show` with the number of programs seen so far."""
    full = {os.path.join(args.folder, path): path for path in programs}
    command = [args.skald, "test", "-v", "--no-terminal", "-j", str(args.jobs), "--together", str(args.together), "--backend", args.backend,
               "--time-limit", str(args.time_limit), "-w", *args.option, *full]
    cases, words, last = collections.defaultdict(list), collections.defaultdict(str), None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as child:
        for line in child.stdout:
            case = CASE.match(line.rstrip("\n"))
            if case and case[1] in full:
                last = full[case[1]]
                cases[last].append((case[2], case[3]))
                show(len(cases), last)
            if last is not None and (line.startswith("    ") or case):
                words[last] += line
    if child.returncode not in (0, 2):
        sys.exit(f"{args.skald} test ended with {child.returncode}")
    results = {}
    for path in programs:
        kind = kind_of(os.path.join(args.folder, path))
        # Every program has a case: one without has not come to an end.
        outcome = outcome_of(kind, cases[path], words[path]) if cases[path] else "crash"
        results[path] = {"kind": kind, "outcome": outcome, "output": "" if outcome in ("pass", "skip") else words[path][-2000:]}
    return results


def run_one(args, path):
    full = os.path.join(args.folder, path)
    command = [args.skald, "test", "-j", "1", "--backend", args.backend, "--time-limit", str(args.time_limit), "-w", *args.option, full]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=args.time_limit + 20)
        output, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        output, code = "time failed", 124
    kind = kind_of(full)
    crashed = code not in (0, 2) or CRASH.search(output) is not None
    outcome = "pass" if code == 0 else "crash" if crashed else "fail"
    if outcome == "pass" and re.search(r" 0 cases passed, 0 failed, [1-9]", output):
        outcome = "skip"
    if kind == "error" and outcome == "fail":
        outcome = "accepted" if "should be rejected" in output else "message"
    return path, {"kind": kind, "outcome": outcome, "output": "" if outcome in ("pass", "skip") else output[-2000:]}


def table(results):
    rows = collections.defaultdict(collections.Counter)
    for path, result in results.items():
        folder = path.split(os.sep)[0] if os.sep in path else "."
        for row in (folder, "all"):
            rows[row][(result["kind"], result["outcome"])] += 1
    lines = [f"{'folder':<28}{'error: ok':>12}{'message':>9}{'accepted':>9}{'run: ok':>12}{'fail':>6}{'skip':>6}{'compile: ok':>13}{'fail':>6}{'crash':>7}"]
    for folder in sorted(rows, key=lambda name: (name == "all", name)):
        row = rows[folder]
        total = lambda kind: sum(count for (k, _), count in row.items() if k == kind)
        crash = sum(count for (_, outcome), count in row.items() if outcome == "crash")
        lines.append(
            f"{folder:<28}{row['error', 'pass']:>7}/{total('error'):<4}{row['error', 'message']:>9}{row['error', 'accepted']:>9}"
            f"{row['run', 'pass']:>7}/{total('run'):<4}{row['run', 'fail']:>6}{row['run', 'skip']:>6}"
            f"{row['compile', 'pass']:>8}/{total('compile'):<4}{row['compile', 'fail']:>6}{crash:>7}")
    return "\n".join(lines)


def compare(old, new):
    for path in sorted(new):
        before = old.get(path, {}).get("outcome", "new")
        if before != new[path]["outcome"]:
            print(f"changed: {path}: {before} → {new[path]['outcome']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", default="interp")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--time-limit", type=int, default=30)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--exclude", action="append", default=[])
    parser.add_argument("--option", action="append", default=[], help="one more option of `skald test`, as --option=--verify")
    parser.add_argument("--record")
    parser.add_argument("--compare")
    parser.add_argument("--failures", action="store_true", help="print the output of every failure")
    args = parser.parse_args()
    args.skald = os.path.abspath(args.skald)
    programs = list(find_programs(args.folder, args.exclude))
    results = {}

    def show(number, path):
        if sys.stderr.isatty():
            print(f"\r\033[K[{number}/{len(programs)}] {path}", end="", file=sys.stderr)

    if args.together > 1:
        results = run_together(args, programs, show)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        alone = [] if results else programs
        for number, (path, result) in enumerate(pool.map(lambda path: run_one(args, path), alone), 1):
            results[path] = result
            show(number, path)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for path, result in results.items():
        if result["outcome"] not in ("pass", "skip"):
            print(f"{result['outcome']}: {path}")
            if args.failures:
                print("    " + result["output"].replace("\n", "\n    "))
    print(table(results))
    if args.compare and os.path.exists(args.compare):
        with open(args.compare) as old:
            compare(json.load(old), results)
    if args.record:
        with open(args.record, "w") as out:
            json.dump(results, out, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
