#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/tour.md from docs/tour.in.md, in which a line

    $ skald dump --stage=kernels examples/dot_product.fut

inside a code fence is followed by what that command prints.  So the tour shows what the compiler does today.

    tools/make_tour.py --skald build/release/skald [--check]

--check writes nothing and fails if docs/tour.md is not up to date.
"""

import argparse
import difflib
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def output_of(command, skald):
    words = shlex.split(command)
    lines = None
    if "|" in words:
        # The only filter is `head -n N`.
        bar = words.index("|")
        lines = int(words[-1])
        words = words[:bar]
    stdin = subprocess.DEVNULL
    if "<<<" in words:
        at = words.index("<<<")
        data = words[at + 1]
        words = words[:at]
        done = subprocess.run([skald] + words[1:], input=data, cwd=ROOT, capture_output=True, text=True)
    else:
        done = subprocess.run([skald] + words[1:], stdin=stdin, cwd=ROOT, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    text = done.stdout + done.stderr
    if lines is not None and len(text.splitlines()) > lines:
        text = "\n".join(text.splitlines()[:lines]) + "\n…\n"
    return text


def expand(template, skald):
    out = []
    for line in template.splitlines():
        out.append(line)
        if line.startswith("$ skald "):
            out.extend(output_of(line[2:], skald).rstrip("\n").splitlines())
        elif line.startswith("$ cat "):
            with open(os.path.join(ROOT, line[6:].strip())) as source:
                out.extend(source.read().rstrip("\n").splitlines())
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skald", required=True)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    with open(os.path.join(ROOT, "docs", "tour.in.md")) as source:
        text = expand(source.read(), os.path.abspath(args.skald))
    path = os.path.join(ROOT, "docs", "tour.md")
    if not args.check:
        with open(path, "w") as out:
            out.write(text)
        return
    with open(path) as current:
        old = current.read()
    if old == text:
        return
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), "docs/tour.md", "now"))
    raise SystemExit("docs/tour.md is out of date; run tools/make_tour.py --skald build/release/skald")


if __name__ == "__main__":
    main()
