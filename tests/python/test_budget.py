# SPDX-License-Identifier: Apache-2.0
"""What a script does not need it does not pay for: the compiler is loaded when a plan may be worth compiling."""

import os
import pathlib
import subprocess
import sys

import pytest

from skald import _core

SCRIPT = """
import skald as np
a = np.ones(SIZE)
for _ in range(ROUNDS):
    a = a * 0.5 + 1
    last = float(a.sum())
print(last == SIZE * 2, "libskald_engine" in open("/proc/self/maps").read())
"""


@pytest.fixture(autouse=True)
def needs_compiler():
    if not pathlib.Path("/proc/self/maps").exists():
        pytest.skip("no list of loaded libraries")
    try:
        _core.set_option("evaluator", "compiled")
    except RuntimeError as problem:
        pytest.skip(str(problem))
    _core.set_option("evaluator", "auto")


def run(size, rounds, **settings):
    script = SCRIPT.replace("SIZE", str(size)).replace("ROUNDS", str(rounds))
    done = subprocess.run([sys.executable, "-c", script], env=dict(os.environ, **settings), capture_output=True, text=True,
                          check=True)
    return done.stdout.split()


def test_a_short_script_loads_no_compiler():
    assert run(20_000, 60) == ["True", "False"]


def test_many_small_rounds_neither():
    assert run(40, 3000) == ["True", "False"]


def test_a_longer_script_loads_it():
    assert run(1_000_000, 120) == ["True", "True"]


def test_it_is_loaded_where_all_is_compiled():
    assert run(20_000, 60, SKALD_EVALUATOR="compiled") == ["True", "True"]
