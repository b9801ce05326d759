#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs data-apis/array-api-tests, from a checkout outside this repository, on skald.

    array_api.py --folder CHECKOUT [--examples 20] [--numpy] [pytest arguments]

`--numpy` runs the same tests on NumPy, to see which of them NumPy itself fails.  Needs pytest, hypothesis,
ndindex and pytest-json-report.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--numpy", action="store_true")
    parser.add_argument("--list", help="a file for the names of tests that fail")
    options, more = parser.parse_known_args()
    report = tempfile.mktemp(suffix=".json")
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": "numpy" if options.numpy else "skald", "SKALD_FALLBACK": "quiet"}
    environment.setdefault("ARRAY_API_TESTS_VERSION", "2025.12")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line", "-W", "ignore", "--json-report",
               f"--json-report-file={report}", f"--max-examples={options.examples}", *(more or ["array_api_tests"])]
    subprocess.run(command, cwd=options.folder, env=environment, stdout=subprocess.DEVNULL)
    with open(report) as file:
        tests = json.load(file)["tests"]
    failed = sorted(t["nodeid"] for t in tests if t["outcome"] in ("failed", "error"))
    known = expected_failures()
    unexpected = [name for name in failed if not any(part in name for part in known)]
    counted = {outcome: sum(t["outcome"] == outcome for t in tests) for outcome in ("passed", "failed", "error", "skipped", "xfailed")}
    for test in tests:
        if test["nodeid"] in unexpected:
            crash = next((test[s]["crash"]["message"] for s in ("call", "setup") if test.get(s, {}).get("crash")), "")
            print(test["nodeid"].split("/")[-1] + ": " + crash.split("\n")[0][:200])
    if options.list:
        with open(options.list, "w") as file:
            file.writelines(name + "\n" for name in failed)
    print(", ".join(f"{value} {name}" for name, value in counted.items()) + f"; {len(failed) - len(unexpected)} failed for a known reason, {len(unexpected)} did not")
    return 1 if unexpected else 0


def expected_failures():
    """Parts of names of tests that fail for a reason that is written down."""
    path = pathlib.Path(__file__).with_name("array_api_expected.txt")
    lines = path.read_text().splitlines()
    return [line.split("  ")[0].strip() for line in lines if line and not line.startswith("#")]


if __name__ == "__main__":
    sys.exit(main())
