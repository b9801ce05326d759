#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what two builds of skald make of the same programs: a refactoring must show no difference.

Usage: replay.py --before SKALD --after SKALD [--dump=--stage=imp]… [PATH…]

Each --dump is a set of options for `skald dump`; without any, imp for cores, LLVM IR, and imp and OpenCL C
for devices are compared.  Without a PATH: tests/programs, examples and the programs of bench/.  Prints the
programs that differ, the first difference of each, and a count.
"""
import argparse
import concurrent.futures
import difflib
import functools
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DUMPS = ["--stage=imp", "--emit=ll", "--emit=device-imp", "--emit=cl"]
PATHS = ["tests/programs", "examples", "bench"]


@functools.cache
def has_vectorise(skald):
    return "vectorise" in subprocess.run([skald, "dump", "--list-passes"], capture_output=True, text=True).stdout


def dumped(skald, options, program):
    # The marks of loops in lanes are younger than some builds; LLVM IR shows what becomes of them.
    if options == "--stage=imp" and has_vectorise(skald):
        options = "--after=forks"
    done = subprocess.run([skald, "dump", *options.split(), program], capture_output=True, text=True, timeout=300)
    return done.stdout if done.returncode == 0 else f"exit code {done.returncode}\n{done.stderr}"


def compare(job):
    program, options, before, after = job
    old, new = dumped(before, options, program), dumped(after, options, program)
    if old == new:
        return None
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", lineterm="", n=2)
    return program, options, list(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--dump", action="append", default=[])
    parser.add_argument("--lines", type=int, default=12, help="of a difference to show")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("paths", nargs="*", default=[str(ROOT / path) for path in PATHS])
    args = parser.parse_args()
    programs = []
    for path in map(pathlib.Path, args.paths):
        programs += [str(path)] if path.is_file() else sorted(map(str, path.rglob("*.fut")))
    dumps = args.dump or DUMPS
    jobs = [(program, options, args.before, args.after) for program in programs for options in dumps]
    differ = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for found in pool.map(compare, jobs):
            if found is None:
                continue
            differ += 1
            program, options, lines = found
            print(f"{program} {options}: {len(lines)} lines differ", *lines[: args.lines], sep="\n  ")
    print(f"replay: {len(programs)} programs, {len(dumps)} dumps each, {differ} differ")
    return 1 if differ else 0


sys.exit(main())
