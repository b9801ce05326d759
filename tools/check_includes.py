#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every folder under src/ includes only what the table below allows, that no folders, at any
depth, include each other in a circle, and that none holds more files than one can overlook.

The table is the architecture: data flows from top to bottom, and a folder knows only what lies above
it.  A folder may always include itself and `support`; a single header may be named with its path.
Usage: check_includes.py [ROOT]
"""
import pathlib
import re
import sys

ALLOWED = {
    "support": [],
    "source": [],
    "machine": [],
    "core": ["source", "machine"],
    "frontend": ["source", "core"],
    "frontend/core": ["source", "core", "frontend/frontend.h"],
    "frontend/futhark": ["source", "core", "frontend/frontend.h"],
    "frontend/nesl": ["source", "core", "frontend/frontend.h", "frontend/script.h"],
    "frontend/lazy": ["source", "core", "frontend/frontend.h"],
    "analysis": ["source", "core"],
    "passes": ["source", "machine", "core", "analysis"],
    "imp": ["source", "machine", "core", "analysis"],
    # Bytecode is what the host code of devices becomes.
    "codegen/clike": ["core", "imp", "runtime/abi.h", "runtime/device/kernel_unit.h",
                      "runtime/executor/bytecode.h", "runtime/executor/operators.h",
                      "runtime/executor/program_bytes.h"],
    "codegen/opencl": ["core", "imp", "codegen/clike", "runtime/abi.h"],
    "codegen/cuda": ["core", "imp", "codegen/clike", "runtime/abi.h"],
    "codegen/cpu": ["machine", "core", "imp", "codegen/clike", "runtime/abi.h"],
    "runtime": [],  # No compiler header: compiled programs link it.
    "compile": ["*"],  # All of the above, but not the commands: see below.
    "driver": ["*"],
}

# Headers of other projects that are slow to read or must stay behind one folder.
CONFINED = {"llvm/": ["codegen/cpu"], "llvm-c/": ["codegen/cpu"], "regex": [], "CLI/": ["driver"]}

# In one folder: more than this and a stranger no longer sees what is where.
MOST_FILES = 28

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def folder_of(path):
    """The row of the table that a path relative to src/ belongs to, or None."""
    for depth in (2, 1):
        name = "/".join(path.split("/")[:depth])
        if name in ALLOWED and path != name:
            return name
    return None


def complaints(src):
    for file in sorted([*src.rglob("*.h"), *src.rglob("*.cpp")]):
        relative = file.relative_to(src).as_posix()
        folder = folder_of(relative)
        if folder is None:
            yield f"src/{relative}:1: its folder is not in the table of tools/check_includes.py"
            continue
        allowed = [folder, "support", *ALLOWED[folder]]
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            place, included = f"src/{relative}:{number}", match[2]
            if match[1] == "<":
                for prefix, owners in CONFINED.items():
                    confined = included.startswith(prefix) if prefix.endswith("/") else included == prefix
                    if confined and folder not in owners:
                        yield f"{place}: {folder} may not include <{included}>"
                continue
            target = folder_of(included)
            if not (src / included).is_file():
                yield f'{place}: "{included}" is not a path relative to src/'
            elif target not in allowed and included not in allowed and "*" not in allowed:
                yield f"{place}: {folder} may not include {target}"


def own_includes(src):
    """(file, line, included file) for every include of a file of ours, as paths relative to src/."""
    for file in sorted([*src.rglob("*.h"), *src.rglob("*.cpp")]):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1] == '"' and (src / match[2]).is_file():
                yield file.relative_to(src).as_posix(), number, match[2]


def circles(src):
    """For every include that closes a circle of folders: where it is, and the way back."""
    edges = {}
    for file, number, included in own_includes(src):
        a, b = (path.rpartition("/")[0] for path in (file, included))
        if a != b:
            edges.setdefault(a, {}).setdefault(b, f"src/{file}:{number}")
    for start, targets in sorted(edges.items()):
        for target, place in sorted(targets.items()):
            way = shortest_way(edges, target, start)
            if way:
                yield f"{place}: {start} includes {target}, which includes it: {' → '.join(way)}"


def shortest_way(edges, start, goal):
    ways = [[start]]
    seen = {start}
    for way in ways:
        for following in edges.get(way[-1], {}):
            if following == goal:
                return [*way, goal]
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return None


def crowded(src):
    for folder in sorted({file.parent for file in src.rglob("*.cpp")}):
        count = sum(1 for file in folder.iterdir() if file.suffix in (".h", ".cpp"))
        if count > MOST_FILES:
            yield f"{folder.relative_to(src.parent).as_posix()}: {count} files; {MOST_FILES} at most, make rooms in it"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    src = root / "src"
    found = [*complaints(src), *circles(src), *crowded(src)]
    print("\n".join(found) if found else "includes: every folder keeps to the table")
    return 1 if found else 0


sys.exit(main())
