#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every entry point of skeletons.fut on a device and compares it with the interpreter; with --sanitizer, under NVIDIA's compute-sanitizer too.

    tests/gpu/sanitize.py --skald build/gpu/skald [--backend cuda] [--sanitizer PATH] [--tools memcheck,racecheck,synccheck] [--jobs 16] [--size 4000] [NAME…]

Blocks of memory are as large as they must be, and used once ($SKALD_EXACT_MEMORY), so that memcheck sees who reads or writes too far.
Prints one line for each finding and a last line with counts.  Exit code 1: something was found.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "skeletons.fut")
FOUND = 99


def entries():
    with open(PROGRAM) as text:
        return re.findall(r"^entry (\w+)", text.read(), re.MULTILINE)


def run(command, stdin, seconds):
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=seconds, env={**os.environ, "SKALD_EXACT_MEMORY": "1"})
    except subprocess.TimeoutExpired:
        return None, "", f"not done after {seconds} s"
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--sanitizer")
    parser.add_argument("--tools", default="memcheck,racecheck,synccheck")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--size", type=int, default=4000)
    args = parser.parse_args()
    names = args.names or entries()
    plain = [args.skald, "run", "-w", f"--backend={args.backend}"]
    runs = [(name, "values", plain) for name in names]
    if args.sanitizer:
        for tool in args.tools.split(","):
            # Questions that the driver answers with an error, such as whose memory this is, are no findings.
            quiet = ["--report-api-errors", "no"] if tool == "memcheck" else []
            sanitizer = [args.sanitizer, "--tool", tool, *quiet, "--error-exitcode", str(FOUND), "--print-limit", "5"]
            runs += [(name, tool, sanitizer + plain) for name in names]

    expected = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, (code, out, err) in zip(names, pool.map(
                lambda name: run([args.skald, "run", "-w", "--backend=interp", "-e", name, PROGRAM], f"{args.size}i64", 120), names)):
            if code != 0:
                sys.exit(f"{name} does not run in the interpreter: {err}")
            expected[name] = out

        def check(job):
            name, tool, command = job
            code, out, err = run(command + ["-e", name, PROGRAM], f"{args.size}i64", 300)
            values = "".join(line + "\n" for line in out.splitlines() if not line.startswith("========="))
            if code == 0 and values == expected[name]:
                return None
            report = [line for line in (out + err).splitlines() if line.startswith("=========")]
            what = "wrong values" if code == 0 else f"exit code {code}"
            return f"FAILED {name} ({tool}): {what}\n" + "\n".join("    " + line for line in (report or err.splitlines())[:12])

        found = [problem for problem in pool.map(check, runs) if problem is not None]
    for problem in found:
        print(problem)
    print(f"{len(names)} entry points, {len(runs)} runs, {len(found)} failed"
          + ("" if args.sanitizer else "; no sanitizer: values only"))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
