#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on what changed, for a bounded time.

Usage: lint.py --build-dir DIR [--base REV] [--seconds N] [--jobs N] [FILE…]

Without files: those under src/ that differ from REV, and of a header the .cpp beside it; only what is found in
lines that changed counts.  REV is by default the point where this branch left `main` or, on `main`, the commit
before.  After N seconds no further file is begun; those left are listed, and do not count as failed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def default_base():
    """None where there is no history, as in a shallow clone."""
    for main in ("origin/main", "main"):
        base = git("merge-base", "HEAD", main)
        if base and base != git("rev-parse", "HEAD"):
            return base
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def changed_lines(base):
    """By file: the ranges of lines that are new or different."""
    lines, name = {}, None
    for line in (git("diff", "-U0", "--diff-filter=d", base, "--", "src") or "").splitlines():
        if line.startswith("+++ "):
            name = line[6:]
        elif (match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)) and name.endswith((".cpp", ".h")):
            first, count = int(match[1]), int(match[2] or 1)
            if count > 0:
                lines.setdefault(name, []).append([first, first + count - 1])
    for name in (git("ls-files", "--others", "--exclude-standard", "--", "src") or "").split():
        if name.endswith((".cpp", ".h")):
            lines[name] = [[1, 10**6]]
    return lines


def sources_of(names):
    files = {pathlib.Path(name).with_suffix(".cpp") for name in names}
    return sorted(file.as_posix() for file in files if (ROOT / file).is_file())


class Lint:
    def __init__(self, build_dir, seconds, lines):
        self.command = [TIDY, "--quiet", "-p", build_dir]
        if lines:
            only = [{"name": name, "lines": ranges} for name, ranges in sorted(lines.items())]
            self.command.append("--line-filter=" + json.dumps(only))
        self.end = time.monotonic() + seconds

    def check(self, name):
        """The findings in a file, or None if there was no time for it."""
        if time.monotonic() > self.end:
            return name, None
        done = subprocess.run([*self.command, name], cwd=ROOT, capture_output=True, text=True)
        found = done.stdout.strip()
        if done.returncode != 0 and not found:
            found = done.stderr.strip() or f"{TIDY} failed"
        return name, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--base")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files, lines = args.files, {}
    if not files:
        base = args.base or default_base()
        if base is None:
            print("lint: no earlier commit to compare with")
            return 0
        lines = changed_lines(base)
        files = sources_of(lines)
    lint = Lint(args.build_dir, args.seconds, lines)
    failed, left = 0, []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, found in pool.map(lint.check, files):
            if found is None:
                left.append(name)
            elif found:
                failed += 1
                print(found, flush=True)
    if left:
        print("lint: no time for", *left, sep="\n  ")
    print(f"lint: {len(files) - len(left)} files, {failed} with findings, {len(left)} not looked at")
    return 1 if failed else 0


sys.exit(main())
