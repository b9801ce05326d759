#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names its licence and that no tracked file knows one machine's folders.

The SPDX line is the first line, or the second after `#!`.  Usage: check_spdx.py
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPDX = "SPDX-License-Identifier: Apache-2.0"
SOURCES = {".h", ".cpp", ".py", ".cmake", ".fut", ".c", ".cl", ".cu", ".sh"}
SOURCE_NAMES = {"CMakeLists.txt", "skald-dev"}
# Generated or compared byte by byte, where a comment has no place.
EXEMPT = ("tests/errors/", "tests/golden/", "tests/fuzz/")
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}

# Written in pieces so that this file does not match itself.
MACHINE_PATH = re.compile(rb"(?<![\w.~/-])/(?:" + rb"|".join([b"work", b"home", b"root", b"tmp"]) + rb")/\w")


def tracked_files():
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True)
    if git.returncode == 0 and git.stdout:
        return [ROOT / name.decode() for name in git.stdout.split(b"\0") if name]
    return [p for p in ROOT.rglob("*") if not SKIPPED_FOLDERS & set(p.relative_to(ROOT).parts)]


def complaints():
    for file in sorted(tracked_files()):
        if not file.is_file() or file.is_symlink():
            continue
        name, content = file.relative_to(ROOT).as_posix(), file.read_bytes()
        is_source = file.suffix in SOURCES or file.name in SOURCE_NAMES
        if is_source and not name.startswith(EXEMPT) and SPDX.encode() not in b"\n".join(content.split(b"\n")[:2]):
            yield f"{name}:1: the line '{SPDX}' is missing"
        if b"\0" in content:
            continue
        for number, line in enumerate(content.split(b"\n"), 1):
            if match := MACHINE_PATH.search(line):
                yield f"{name}:{number}: a path of one machine: {match[0].decode()}…"


def main():
    found = list(complaints())
    print("\n".join(found) if found else "spdx: every source file has its line")
    return 1 if found else 0


sys.exit(main())
