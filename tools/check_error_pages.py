#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every diagnostic has a page in docs/errors and a test, and every page belongs to a diagnostic.

A diagnostic is a code in quotes that follows `error(`, `warn(` or `warning(`, or stands in a Diagnostic{…}.  A test
is a message in tests/errors, or `[code]` in a program under tests that makes input too large to keep.  The codes of limits,
which only host programs see, stand in quotes in tests/embed.
"""

import argparse
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALL = re.compile(r'(?:error|warn|warning)\(\s*"([a-z]+(?:-[a-z]+)*)"')
QUOTED = re.compile(r'"([a-z]+(?:-[a-z]+)*)"')


def read(path):
    with open(path, errors="replace") as source:
        return source.read()


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
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
    shown.add("not-supported-yet")
    problems += [f"no test shows `{code}`" for code in sorted(pages - shown)]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
