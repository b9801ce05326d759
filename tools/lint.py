#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on what changed, for a bounded time.

Usage: lint.py --build-dir DIR [--base REV] [--seconds N] [--jobs N] [FILE…]

Without files: those that differ from REV or are not committed; of a header, the .cpp beside it.  REV is by
default the point where this branch left `main` or, on `main`, the commit before.  After N seconds no further
file is begun; those left are listed, and do not count as failed.
"""
import argparse
import concurrent.futures
import os
import pathlib
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


def changed_files(base):
    names = git("diff", "--name-only", "--diff-filter=d", base) or ""
    names += "\n" + (git("ls-files", "--others", "--exclude-standard") or "")
    files = set()
    for name in names.split():
        source = pathlib.Path(name).with_suffix(".cpp")
        if name.endswith((".cpp", ".h")) and name.startswith("src/") and (ROOT / source).is_file():
            files.add(source.as_posix())
    return sorted(files)


class Lint:
    def __init__(self, build_dir, seconds):
        self.build_dir = build_dir
        self.end = time.monotonic() + seconds

    def check(self, name):
        """The findings in a file, or None if there was no time for it."""
        if time.monotonic() > self.end:
            return name, None
        done = subprocess.run(
            [TIDY, "--quiet", "-p", self.build_dir, name], cwd=ROOT, capture_output=True, text=True
        )
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
    files = args.files
    if not files:
        base = args.base or default_base()
        if base is None:
            print("lint: no earlier commit to compare with")
            return 0
        files = changed_files(base)
    lint = Lint(args.build_dir, args.seconds)
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
