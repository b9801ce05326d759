#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`skald test --together` finds what `skald test` finds, tests that are stopped or come too late say so, and `skald run --tune` remembers what it found.

  test_command.py --skald PROGRAM
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

RIGHT = "-- ==\n-- input { 3i32 } output { 4i32 }\ndef main (x: i32) = x + 1\n"
PROGRAMS = {
    "a": RIGHT,
    "b_wrong": RIGHT.replace("4i32", "5i32"),
    "c": RIGHT,
    "d_endless": RIGHT.replace("x + 1", "loop y = x while y != 0 do y * 2 + 1"),
    "e": RIGHT,
    "f_rejected": "-- ==\n-- error: nowhere\ndef main = nowhere\n",
    "g_accepted": "-- ==\n-- error: nowhere\ndef main = 1i32\n",
    "h": RIGHT,
}
NEST = "def main [n][m] (xss: [n][m]f32) = map (\\xs -> let s = f32.sum xs in map (/ s) xs) xss\n"


def run(*words, stdin=""):
    return subprocess.run(words, input=stdin, capture_output=True, text=True, timeout=300)


def together(skald, folder):
    for name, text in PROGRAMS.items():
        (folder / f"{name}.fut").write_text(text)
    seen = {}
    for count in ("1", "3", "100"):
        for jobs in ("1", "3"):
            done = run(skald, "test", "-v", "--no-terminal", "--backend=interp", "--time-limit=3", "--together", count, "-j", jobs, str(folder))
            seen[count, jobs] = (done.returncode, sorted(done.stdout.splitlines()))
    alone = seen["1", "1"]
    text = "\n".join(alone[1])
    for words in ("a.fut: main #0 passed", "b_wrong.fut: main #0 failed", "d_endless.fut: time failed", "h.fut: main #0 passed",
                  "g_accepted.fut: compile failed", "8 programs, 5 cases passed, 3 failed"):
        if words not in text:
            return f"`{words}` is missing in:\n{text}"
    different = [f"--together {count} -j {jobs}" for (count, jobs), other in seen.items() if other != alone]
    return f"not as one by one: {', '.join(different)}" if different else None


def in_time(skald, folder):
    """What is not started in time is left out, and counted."""
    for name in ("a", "b_wrong", "c"):
        (folder / f"{name}.fut").write_text(PROGRAMS[name])
    test = [skald, "test", "--no-terminal", "--backend=interp", str(folder)]
    now = int(time.time())
    late = run(*test, "--start-until", str(now - 5))
    if (late.returncode, late.stdout) != (0, "0 programs, 0 cases passed, 0 failed, 0 skipped\n3 of 3 programs left out: the time for starting them was over\n"):
        return f"too late for all of them, and it says: {late.stdout}"
    early = run(*test, "--start-until", str(now + 1000))
    return None if "3 programs, 2 cases passed, 1 failed" in early.stdout and "left out" not in early.stdout else f"in time, but: {early.stdout}"


def stopped(skald, folder):
    """Who ends the tests before they are done is told what was found and what runs."""
    for name in ("b_wrong", "c", "d_endless"):
        (folder / f"{name}.fut").write_text(PROGRAMS[name])
    tests = subprocess.Popen([skald, "test", "--no-terminal", "--backend=interp", "-j", "1", str(folder)], stdout=subprocess.PIPE, text=True)
    line = tests.stdout.readline()  # a failure is there at once, although this is no terminal
    if "b_wrong.fut: main #0 failed" not in line:
        return f"the first line is {line!r}"
    time.sleep(1)
    tests.terminate()
    rest = tests.communicate(timeout=20)[0]
    for words in ("1 case passed, 1 failed", "stopped by a signal: 2 of 3 programs done; running: ", "d_endless.fut"):
        if words not in rest:
            return f"`{words}` is missing in:\n{rest}"
    return None if tests.returncode == 128 + signal.SIGTERM else f"exit code {tests.returncode}"


def tune(skald, folder):
    program, tuning = folder / "nest.fut", folder / "nest.tuning"
    program.write_text(NEST)
    words = [skald, "run", "-v", "--backend=interp", "--stage=kernels", "--device=gpu", "--tune", str(tuning), str(program)]
    first, again = (run(*words, stdin="[[1f32, 3f32]]") for _ in range(2))
    for done in (first, again):
        if done.returncode != 0 or done.stdout != "[[0.25f32, 0.75f32]]\n":
            return f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    if "µs with main.suff_outer_par_0=1" not in first.stderr or " µs " in again.stderr:
        return f"timed at the wrong time:\n{first.stderr}---\n{again.stderr}"
    names = [line.split("=")[0] for line in tuning.read_text().splitlines()]
    if not all(name.startswith("main.") for name in names):
        return f"remembered {names}"
    program.write_text(NEST + "entry fails [n] (xs: [n]i32) = map (\\i -> xs[i]) (map i64.i32 xs)\n")
    failing = run(*words[:-3], "-e", "fails", "--tune", str(folder / "other"), str(program), stdin="[7i32]")
    if failing.returncode != 2 or (folder / "other").exists():
        return f"a run that fails leaves a file: {failing.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skald", required=True)
    args = parser.parse_args()
    os.environ.pop("SKALD_TEST_UNTIL", None)  # programs would come in any order
    failed = 0
    for check in (together, in_time, stopped, tune):
        with tempfile.TemporaryDirectory() as folder:
            problem = check(args.skald, pathlib.Path(folder))
        failed += problem is not None
        print(f"{check.__name__}: {problem or 'ok'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
