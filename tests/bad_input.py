#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody would keep in a repository: too long, too deep, not text, not there.

Each must be accepted or get one clear message (exit code 2), within time and memory that a small machine has.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

# Per program, on a busy machine and with assertions.
SECONDS = 120
MEMORY = 6 << 30
# A message never repeats the whole program.
LONGEST_OUTPUT = 100_000


def lines(count, line):
    return "".join(line(i) for i in range(count))


def nested(count, left, middle, right):
    return left * count + middle + right * count


LONG = "a" * 70_000

BRANCHES = (
    "def main (x: i32) : i32 =\n"
    + lines(100_000, lambda i: f"  {'else ' if i else ''}if x == {i} then {i * 7 % 1000}\n")
    + "  else -1\n"
)

# name → (text, what must be printed; None: accepted)
PROGRAMS = {
    "many_definitions": (lines(100_000, lambda i: f"def f{i} (x: i32) : i32 = x + {i}\n"), None),
    "many_lets": (
        "def main (x0: i32) =\n" + lines(100_000, lambda i: f"  let x{i + 1} = x{i} + 1\n") + "  in x100000\n",
        None,
    ),
    "many_operators": ("def main (x: i32) = x" + " + x" * 20_000 + "\n", None),
    "many_pipes": ("def main (x: i32) = x" + " |> (+ 1)" * 5_000 + "\n", None),
    "too_many_operators": ("def main (x: i32) = x" + " + x" * 200_000 + "\n", r"\[nesting-too-deep\]"),
    "long_name": (f"def {LONG} = 1i32\ndef main = {LONG} + 1\n", None),
    "long_unknown_name": (f"def main = {LONG}\n", r"\[unknown-name\]: Unknown name \"aaa.* \.\.\. a*\""),
    "many_digits": ("def main : i32 = " + "9" * 10_000 + "\n", r"\[literal-out-of-bounds\]"),
    "many_decimals": ("def main = 0." + "3" * 10_000 + "f64\n", None),
    "one_line_array": ("def main = [" + "1i32, " * 1_600_000 + "1i32]\n", None),
    "one_line_application": ("def main = " + "x " * 5_000_000 + "\n", r"\[unknown-name\]"),
    "one_line_string": ('def main = "' + "x" * 10_000_000 + '"\n', None),
    "unclosed_string": ('def main = "' + "x" * 1_000_000, r"\[syntax-error\]"),
    "deep_parentheses": ("def main = " + nested(100_000, "(", "1i32", ")") + "\n", r"\[nesting-too-deep\]"),
    "deep_arrays": ("def main = " + nested(100_000, "[", "1i32", "]") + "\n", r"\[nesting-too-deep\]"),
    "deep_types": ("def main (x: " + "[]" * 20_000 + "i32) = x\n", r"\[nesting-too-deep\]"),
    "many_branches": (BRANCHES, None),
    "too_many_branches": ("def main (x: bool) = " + "if x then 2i32 else " * 130_000 + "3\n", r"\[nesting-too-deep\]"),
    "deep_branches": ("def main (x: bool) = " + nested(20_000, "if x then ", "2i32", " else 3") + "\n", r"\[nesting-too-deep\]"),
    "deep_modules": (nested(20_000, "module m = {", "def x = 1i32", "}") + "\n", r"\[nesting-too-deep\]"),
    "many_fields": ("def main (x: i32) = x" + ".a" * 100_000 + "\n", r"\[type-mismatch\]"),
    "many_indices": ("def main (x: i32) = x" + "[0]" * 50_000 + "\n", r"\[type-mismatch\]"),
    "many_concatenations": ("def main [n] (xs: [n]i32) = xs" + " ++ xs" * 2_000 + "\n", None),
    "doubled_sizes": (
        "def main [n] (x0: [n]i32) =\n" + lines(60, lambda i: f"  let x{i + 1} = x{i} ++ x{i}\n") + "  in x60\n",
        None,
    ),
    # The bar stands in one column, whatever the number of the line.
    "late_mistake": ("\n" * 123_456 + "def main = nowhere\n", r"\n {7}\|\n123457 \| def main = nowhere\n {7}\|.*\n {7}= more"),
    "two_modules": ("module m = {def x = 1i32}\nmodule m = {def x = 2i32}\n", r"\[duplicate-definition\]"),
    "circle_a": ('import "circle_b"\n', r"\[cyclic-import\]"),
    "circle_b": ('import "circle_a"\n', r"\[cyclic-import\]"),
    "missing_import": ('import "nowhere"\ndef main = something\n', r"\[missing-import\]"),
    "empty": ("", None),
    "null_character": ("def main = 1\0i32\n", r"\[syntax-error\]"),
    "not_text": (b"def main = \xff\xfe\n", r"\[invalid-encoding\]: .*line 1"),
}

# Files that are no programs: what must be printed.
OTHERS = {
    "folder.fut": r"\[unreadable-file\]: `folder.fut` is a folder",
    "not_there.fut": r"\[unreadable-file\]: there is no file `not_there.fut`",
    "text.core": r"\[core-syntax\]",
    "broken.core": r"\[core-malformed\]",
}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def problem(skald, name, expected, folder, limited):
    try:
        done = subprocess.run(
            [skald, "check", "-w", name],
            cwd=folder,
            capture_output=True,
            timeout=SECONDS,
            preexec_fn=limit if limited else None,
        )
    except subprocess.TimeoutExpired:
        return f"took more than {SECONDS} s"
    output = (done.stdout + done.stderr).decode(errors="replace")
    if len(output) > LONGEST_OUTPUT:
        return f"printed {len(output)} characters"
    if expected is None:
        return None if done.returncode == 0 else f"was rejected with exit code {done.returncode}: {output[:300]}"
    if done.returncode != 2:
        return f"gave exit code {done.returncode} instead of 2: {output[:300]}"
    if not re.search(expected, output):
        return f"printed no `{expected}`: {output[:300]}"
    return "printed more than one error" if output.count("error[") > 1 else None


def many_threads(skald, folder):
    """A number of threads that nobody can want is lowered, and that is said; a small one is taken as it is."""
    (folder / "sum.fut").write_text("def main (xs: []i32) = i32.sum xs\n")
    for count, warned in ((1_000_000, True), (3, False)):
        done = subprocess.run([skald, "run", "--num-threads", str(count), "sum.fut"], cwd=folder, input="[1, 2, 4]",
                              capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0 or done.stdout != "7i32\n":
            return f"{count} threads: exit code {done.returncode}: {done.stdout}{done.stderr}"
        if warned != (f"Warning: {count} threads" in done.stderr):
            return f"{count} threads: printed `{done.stderr}`"
    return None


def long_branches(skald, folder):
    """A chain of `else if` may be as long as a table."""
    for x in (99_999, -1):
        done = subprocess.run([skald, "run", "--backend=interp", "many_branches.fut"], cwd=folder, input=str(x),
                              capture_output=True, text=True, timeout=SECONDS)
        expected = f"{99_999 * 7 % 1000 if x > 0 else -1}i32\n"
        if done.returncode != 0 or done.stdout != expected:
            return f"many branches: exit code {done.returncode}: {done.stdout}{done.stderr[:300]}"
    return None


def little_memory(skald, folder):
    """Too little memory is called so, whatever part of the compiler runs out of it."""
    for megabytes in (96, 128, 160):
        for name in ("many_definitions.fut", "many_branches.fut", "one_line_array.fut"):
            size = megabytes << 20
            done = subprocess.run([skald, "check", "-w", name], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
            if done.returncode == 0:
                continue
            if done.returncode != 2 or not re.match(r"error: out of memory.*\n  = try:  .*`ulimit -v`", done.stderr):
                return f"{name} in {megabytes} MB: exit code {done.returncode}: {done.stderr[:300]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--no-memory-limit", action="store_true", help="for builds with sanitizers")
    parser.add_argument("--cpu", action="store_true", help="this build has the cpu back end")
    parser.add_argument("names", nargs="*", help="only these")
    args = parser.parse_args()
    skald = os.path.abspath(args.skald)
    failures = 0
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for name, (text, _) in PROGRAMS.items():
            data = text if isinstance(text, bytes) else text.encode()
            (folder / f"{name}.fut").write_bytes(data)
        (folder / "folder.fut").mkdir()
        (folder / "text.core").write_text("this is no core\n")
        (folder / "broken.core").write_text("stage soacs\n\nfun f (x_1 : i32) : {i32} =\n  in {y_2}\n")
        tests = {f"{name}.fut": expected for name, (_, expected) in PROGRAMS.items()}
        tests.update(OTHERS)
        for name, expected in tests.items():
            if args.names and name.rpartition(".")[0] not in args.names:
                continue
            what = problem(skald, name, expected, folder, not args.no_memory_limit)
            if what:
                failures += 1
                print(f"{name}: {what}")
        others = [long_branches]
        if args.cpu:
            others.append(many_threads)
        if not args.no_memory_limit:
            others.append(little_memory)
        for test in others if not args.names else []:
            what = test(skald, folder)
            if what:
                failures += 1
                print(what)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
