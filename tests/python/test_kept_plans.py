# SPDX-License-Identifier: Apache-2.0
"""Compiled plans are kept on disk for the next run of a script; whatever is wrong there, nobody notices."""

import os
import subprocess
import sys

import pytest

from skald import _core

SCRIPT = """
import numpy, skald as np
a = np.array(numpy.arange(SIZE) / 8)
print(float(((a - a.mean()) ** 2).sum()), np.stats()["compiled_runs"])
"""


@pytest.fixture(autouse=True)
def needs_compiler():
    try:
        _core.set_option("evaluator", "compiled")
    except RuntimeError as problem:
        pytest.skip(str(problem))
    _core.set_option("evaluator", "auto")


def run(folder, size=5000, cache="on"):
    settings = dict(os.environ, SKALD_EVALUATOR="compiled", SKALD_CACHE_DIR=str(folder), SKALD_CACHE=cache)
    done = subprocess.run([sys.executable, "-c", SCRIPT.replace("SIZE", str(size))], env=settings, capture_output=True, text=True,
                          check=True)
    return done.stdout


def plans(folder):
    return {file.name: file.read_bytes() for file in folder.glob("*.plan")}


def test_second_run_finds_plans(tmp_path):
    first = run(tmp_path)
    kept = plans(tmp_path)
    assert kept
    assert run(tmp_path) == first
    assert plans(tmp_path) == kept
    # Another size is the same plan.
    assert run(tmp_path, 7000) == run(tmp_path, 7000, cache="off")
    assert plans(tmp_path).keys() == kept.keys()


def test_damaged_plans_are_made_again(tmp_path):
    first = run(tmp_path)
    kept = plans(tmp_path)
    for name, text in kept.items():
        (tmp_path / name).write_bytes(text[: len(text) // 2])
    assert run(tmp_path) == first
    again = plans(tmp_path)
    assert again.keys() == kept.keys()
    assert all(len(again[name]) > len(text) // 2 for name, text in kept.items())


def test_no_folder_no_plans(tmp_path):
    assert run(tmp_path, cache="off") == run(tmp_path)
    off = tmp_path / "off"
    run(off, cache="off")
    assert not off.exists()
    assert run("/dev/null/nowhere") == run(off, cache="off")
