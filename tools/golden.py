#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs golden tests: a program, what Skald must print for it, and a diff when it prints something else.

  golden.py [--update] [--skald PROGRAM] [--filter TEXT]… PATH…

PATH is a folder or a file; `--update` writes what was printed as the new expectation (read the diff
before you commit it); `--filter` keeps tests whose path contains TEXT.  Four kinds of test:

  *.core in any folder      `-- PASSES a,b`, `-- DEVICE gpu` (or none), `-- WHY …`, a core program, `-- EXPECT`, the program after the
                            passes.  Calls `skald dump --renumber --passes=a,b FILE` and compares what it prints,
                            apart from the numbers in names and from comments.  Where `skald dump --help`
                            mentions --check-equal, also calls `skald dump --check-equal BEFORE AFTER`, which
                            interprets both programs on random data and exits with 0 when they agree.
  *.imp in any folder       the same for a program of imp, with `// PASSES a,b` and so on, which is not interpreted.
  *.fut with a `-- RUN …`   line (*.nesl with `% RUN … %`): calls `skald … FILE` and compares with FILE.expected.
  other *.fut and *.nesl    calls `skald check FILE` and compares with FILE.expected.

What is compared for *.fut and *.nesl is standard output, standard error and the exit code.  Programs run in the top
folder of the source tree with paths relative to it.  Exit code 1 and signals are bugs of Skald: such
a test fails whatever it expects, and is never updated.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 60


class Failed(Exception):
    """A test that failed; the text says why."""


def run_skald(skald, *args):
    """Returns the finished process; anything that no test may expect raises Failed."""
    command = [str(skald), *args]
    shown = "skald " + " ".join(args)
    try:
        env = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "SKALD_CACHE": "off"}
        done = subprocess.run(
            command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{shown}\n  did not end within {TIMEOUT_SECONDS} s") from None
    done.stdout, done.stderr = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if done.returncode == 1 or done.returncode < 0:
        raise Failed(f"{shown}\n  ended with {done.returncode}, which is a bug of Skald itself\n{done.stdout}{done.stderr}")
    return done


def diff(expected, actual, name):
    lines = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), f"{name} (expected)", f"{name} (printed)", lineterm="", n=3
    )
    return "\n".join(lines)


# ---- Core and imp programs ----------------------------------------------------------------------------------------


def canonical_core(text):
    """The program without comments and blank lines, its bound names numbered in order of appearance."""
    lines = [line.rstrip() for line in re.sub(r"--.*", "", text).splitlines()]
    text = "\n".join(line for line in lines if line)
    bound = set(re.findall(r"\b([A-Za-z_][\w']*_\d+)\s*:", text))
    numbers = {}

    def renumber(match):
        name = match[0]
        if name not in bound:
            return name
        return f"{name.rsplit('_', 1)[0]}_{numbers.setdefault(name, len(numbers))}"

    return re.sub(r"\b[A-Za-z_][\w']*_\d+\b", renumber, text)


def canonical_imp(text):
    """The same for imp, where all names are bound."""
    lines = [line.rstrip() for line in re.sub(r"//.*", "", text).splitlines()]
    numbers = {}

    def renumber(match):
        return f"{match[1]}_{numbers.setdefault(match[0], len(numbers))}"

    return re.sub(r"\b([A-Za-z_][\w']*)_\d+\b", renumber, "\n".join(line for line in lines if line))


def run_passes(path, options):
    is_core = path.suffix == ".core"
    comment, canonical = ("--", canonical_core) if is_core else ("//", canonical_imp)
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    passes = re.search(rf"^{comment} PASSES\s+(\S.*)$", text, re.M)
    if not passes:
        raise Failed(f"{name}: there is no `{comment} PASSES` line")
    expect = f"{comment} EXPECT"
    before, marker, expected = re.sub(rf"^{expect}\s*$", expect, text, flags=re.M).partition(f"{expect}\n")
    if not marker and not options.update:
        raise Failed(f"{name}: there is no `{expect}` line; --update adds one")
    with tempfile.TemporaryDirectory() as folder:
        before_file = pathlib.Path(folder) / f"before{path.suffix}"
        before_file.write_text(before, encoding="utf-8")
        device = re.search(rf"^{comment} DEVICE\s+(\S+)$", text, re.M)
        args = ["dump", "--renumber", *([f"--device={device[1]}"] if device else []), "--passes=" + ",".join(re.split(r"[,\s]+", passes[1].strip())), str(before_file)]
        done = run_skald(options.skald, *args)
        if done.returncode != 0:
            raise Failed(f"{name}: skald {' '.join(args[:3])} ended with {done.returncode}\n{done.stderr}")
        actual = done.stdout
        if canonical(actual) != canonical(expected):
            if options.update:
                path.write_text(before.rstrip("\n") + f"\n{expect}\n" + actual.rstrip("\n") + "\n", encoding="utf-8")
                return "updated"
            raise Failed(diff(canonical(expected), canonical(actual), name))
        if options.check_equal and is_core:
            after_file = pathlib.Path(folder) / "after.core"
            after_file.write_text(expected, encoding="utf-8")
            done = run_skald(options.skald, "dump", "--check-equal", str(before_file), str(after_file))
            if done.returncode != 0:
                raise Failed(f"{name}: before and after give different results\n{done.stdout}{done.stderr}")
    return "passed"


# ---- Source programs --------------------------------------------------------------------------------------


def run_source(path, options):
    name = path.relative_to(ROOT).as_posix()
    header = re.search(r"^(?:--|%) RUN\s+(\S.*?)\s*%?$", path.read_text(encoding="utf-8", errors="replace"), re.M)
    args = header[1].split() if header else ["check"]
    done = run_skald(options.skald, *args, name)
    actual = "".join(part if part.endswith("\n") or not part else part + "\n" for part in (done.stdout, done.stderr))
    actual += f"exit code {done.returncode}\n"
    expected_path = path.with_name(path.name + ".expected")
    expected = expected_path.read_text(encoding="utf-8") if expected_path.exists() else ""
    if actual == expected:
        return "passed"
    if options.update:
        expected_path.write_text(actual, encoding="utf-8")
        return "updated"
    raise Failed(diff(expected, actual, name))


# ---- Main -------------------------------------------------------------------------------------------------


def find_tests(paths, filters):
    for path in paths:
        path = pathlib.Path(path).resolve()
        if not path.exists():
            sys.exit(f"golden.py: there is no {path}")
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".core", ".imp", ".fut", ".nesl") and (not filters or any(text in str(file) for text in filters)):
                yield file


def default_skald():
    built = [p for p in ROOT.glob("build/*/skald") if os.access(p, os.X_OK) and p.is_file()]
    return max(built, key=lambda p: p.stat().st_mtime, default=None)


def main():
    parser = argparse.ArgumentParser(description="Runs golden tests; see the head of this file.")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--update", action="store_true", help="write what was printed as the expectation")
    parser.add_argument("--skald", default=default_skald(), help="the program to test; the newest under build/")
    parser.add_argument("--without", action="append", default=[], metavar="THING", help="skip tests with a line `-- NEEDS THING`")
    parser.add_argument("--filter", action="append", metavar="TEXT", help="only tests whose path contains TEXT")
    options = parser.parse_args()
    if not options.skald:
        sys.exit("golden.py: no program skald under build/; build one or say --skald=PROGRAM")
    options.skald = pathlib.Path(options.skald).resolve()
    tests = list(find_tests(options.paths, options.filter))
    if not tests:
        sys.exit("golden.py: no test found")
    has_core = any(test.suffix == ".core" for test in tests)
    options.check_equal = has_core and "--check-equal" in run_skald(options.skald, "dump", "--help").stdout

    def run(test):
        needs = re.findall(r"^-- NEEDS\s+(\S+)", test.read_text(encoding="utf-8", errors="replace"), re.M)
        if set(needs) & set(options.without):
            return "skipped", ""
        try:
            return (run_source if test.suffix in (".fut", ".nesl") else run_passes)(test, options), ""
        except Failed as failure:
            return "failed", str(failure)

    count = {"passed": 0, "updated": 0, "failed": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for test, (outcome, text) in zip(tests, pool.map(run, tests)):
            count[outcome] += 1
            if outcome != "passed":
                print(f"{outcome.upper()} {test.relative_to(ROOT)}")
            if text:
                print(text + "\n")
    note = "" if options.check_equal or not has_core else " (not interpreted: no skald dump --check-equal)"
    print(", ".join(f"{n} {word}" for word, n in count.items() if n) + note)
    return 1 if count["failed"] else 0


sys.exit(main())
