#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every diagnostic has a page in docs/errors and a test, and every page belongs to a diagnostic.

A diagnostic is a code in quotes that follows `error(`, `warn(` or `warning(`, or stands in a Diagnostic{…}.  A test
is a message in tests/errors, or `[code]` in a program under tests that makes input too large to keep.  The codes of limits,
which only host programs see, stand in quotes in tests/embed.

A page shows a wrong program first and a right one last.  With `--skald PROGRAM` both are checked: the first must get
the diagnostic that the page is about, the last must not.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALL = re.compile(r'(?:error|warn|warning)\(\s*"([a-z]+(?:-[a-z]+)*)"')
QUOTED = re.compile(r'"([a-z]+(?:-[a-z]+)*)"')


def read(path):
    with open(path, errors="replace") as source:
        return source.read()
PROGRAM = re.compile(r"```(?:futhark|nesl)\n(.*?)```", re.S)

# What is about files, other languages or programs too large to show, or needs several files.
WITHOUT_PROGRAMS = {
    "bad-arguments", "core-malformed", "core-syntax", "cyclic-import", "invalid-encoding", "memory-limit", "missing-import",
    "nesting-too-deep", "not-differentiable", "not-supported-yet", "run-time-error", "safety-check", "stack-limit", "time-limit",
    "too-many-constructors", "type-too-large", "unreadable-file", "unroll",
}


def check_programs(code, page, skald):
    """Complaints about the programs of one page."""
    programs = PROGRAM.findall(page)
    if code in WITHOUT_PROGRAMS:
        return
    if len(programs) < 2:
        yield f"docs/errors/{code}.md must show a wrong program and a right one"
        return
    if not skald:
        return
    with tempfile.TemporaryDirectory() as folder:
        for program, wrong in ((programs[0], True), (programs[-1], False)):
            path = os.path.join(folder, "program.nesl" if "```nesl" in page else "program.fut")
            with open(path, "w") as out:
                out.write(program)
            done = subprocess.run([skald, "check", path], capture_output=True, text=True, timeout=60)
            if wrong != (f"[{code}]" in done.stderr):
                yield f"docs/errors/{code}.md: the {'first' if wrong else 'last'} program gets\n{done.stderr or 'no message'}"
            elif not wrong and done.returncode != 0:
                yield f"docs/errors/{code}.md: the last program is rejected\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skald", help="the program that checks the programs of the pages")
    options = parser.parse_args()
    called, quoted = set(), set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.*"), recursive=True):
        if path.endswith((".cpp", ".h")):
            text = read(path)
            called.update(CALL.findall(text))
            quoted.update(QUOTED.findall(text))
    pages = {os.path.basename(path)[:-3] for path in glob.glob(os.path.join(ROOT, "docs", "errors", "*.md"))}
    problems = [f"the diagnostic `{code}` has no page docs/errors/{code}.md" for code in sorted(called - pages)]
    problems += [f"docs/errors/{code}.md is about no diagnostic" for code in sorted(pages - quoted)]
    shown = set()
    for pattern in ("errors/**/*.expected", "*.py"):
        for path in glob.glob(os.path.join(ROOT, "tests", pattern), recursive=True):
            shown.update(re.findall(r"\[([a-z-]+)\\?\]", read(path)))
    for path in glob.glob(os.path.join(ROOT, "tests", "embed", "*.c")):
        shown.update(QUOTED.findall(read(path)))
    # A limitation is drawn without its code.
    shown.update({"not-supported-yet", "not-differentiable"})
    for code in sorted(pages):
        page = read(os.path.join(ROOT, "docs", "errors", code + ".md"))
        problems += check_programs(code, page, options.skald)
    problems += [f"no test shows `{code}`" for code in sorted(pages - shown)]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
