#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ctest entry `python`: an environment with NumPy, the extension for it, and the tests in it.

    run.py --build BUILD-FOLDER [--venv FOLDER] [--core FILE]

The environment (NumPy >= 2, pytest) is made once, from PyPI, in BUILD-FOLDER/../python-venv.  If that cannot be
done, the test is skipped with exit code 77 and says why.  `--core` is the extension built by CMake; without it,
tools/build_python_core.sh builds one, which loads the compiler from BUILD-FOLDER.  Random programs run twice: by
NumPy, node by node, and compiled.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ["numpy>=2", "pytest"]
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def make_environment(folder):
    """The Python of an environment that has NumPy and pytest."""
    python = folder / "bin" / "python"
    probe = "import numpy, pytest, sys; sys.exit(numpy.__version__ < '2')"
    if python.exists() and subprocess.run([python, "-c", probe], capture_output=True).returncode == 0:
        return python
    print(f"making {folder}: {', '.join(PACKAGES)}", flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True)
    if made.returncode:
        skip("python3 -m venv failed (on Debian it needs the package python3-venv):\n" + made.stdout + made.stderr)
    try:
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20", *PACKAGES],
                              capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        skip("installing NumPy from PyPI took more than 300 s")
    if done.returncode:
        skip("NumPy could not be installed from PyPI: " + (done.stderr.strip().splitlines() or ["no message"])[-1])
    return python


def extension_for(python, core, build):
    """The folder to import `skald` from."""
    if core:
        return pathlib.Path(core).resolve().parents[1]
    have_headers = subprocess.run([python, "-c", "import sysconfig, os, sys; sys.exit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))"]).returncode == 0
    if not have_headers:
        skip("Python.h is missing (on Debian, the package python3-dev)")
    started = time.monotonic()
    engine = build.resolve() / "python" / "skald" / "libskald_engine.so"
    built = subprocess.run([ROOT / "tools" / "build_python_core.sh", python, engine], capture_output=True, text=True)
    if built.returncode:
        print(built.stdout + built.stderr)
        sys.exit(1)
    print(f"built the extension in {time.monotonic() - started:.0f} s", flush=True)
    return ROOT / "python"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--venv", type=pathlib.Path)
    parser.add_argument("--core", help="the extension built by CMake, inside a folder skald")
    parser.add_argument("--programs", type=int, default=150, help="how many random programs")
    options = parser.parse_args()
    if not (ROOT / "tools" / "build_python_core.sh").exists() and not options.core:
        skip("there is no extension to test")
    python = make_environment(options.venv or options.build.resolve().parent / "python-venv")
    folder = extension_for(python, options.core, options.build)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, dict.fromkeys((folder, ROOT / "python")))), "PYTHONDONTWRITEBYTECODE": "1"}
    here = ROOT / "tests" / "python"
    random = [python, here / "random_programs.py", "--count"]
    steps = [({}, [python, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", here]),
             ({}, [*random, str(options.programs)]),
             ({"SKALD_EVALUATOR": "compiled"}, [*random, str(options.programs // 10)]),
             ({}, [python, ROOT / "bench" / "numpy" / "run.py", "--size", "test", "--engines", "numpy,skald", "--seconds", "0.02"])]
    failed = 0
    for settings, step in steps:
        failed |= subprocess.run(step, env={**environment, **settings}, cwd=ROOT).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
