# SPDX-License-Identifier: Apache-2.0
"""Scripts on a device, by OpenCL: order, errors, interrupts, the end of the process.  Each in a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

HEAD = """
import numpy, skald, skald as np
from skald import _core, _kernels
_kernels.LEAST = 0
def same(ours, numpys):
    ours = numpy.asarray(ours)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape, (ours.dtype, ours.shape, numpys.dtype, numpys.shape)
    assert numpy.array_equal(ours, numpys, equal_nan=numpys.dtype.kind == "f"), (ours, numpys)
"""


def run(code, expected="", seconds=200):
    environment = {**os.environ, "SKALD_BACKEND": "opencl", "SKALD_EVALUATOR": "compiled", "SKALD_FALLBACK": "quiet"}
    done = subprocess.run([sys.executable, "-c", HEAD + textwrap.dedent(code)], capture_output=True, text=True, timeout=seconds, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


@pytest.fixture(scope="module", autouse=True)
def device():
    try:
        run("a = np.arange(1000.0)\nassert (a * 2 + 1).sum() == 1000000\nassert _core.compile_failures() == [], _core.compile_failures()")
    except AssertionError as problem:
        if "OpenCL" in str(problem) or "engine" in str(problem):
            pytest.skip(str(problem).splitlines()[-1])
        raise


def test_order_is_numpys():
    # One entry point, as compiling takes long here; the program's own tests know more.
    run("""
    r = numpy.random.default_rng(1)
    x = r.integers(0, 100, (60, 41)).astype(float)
    x[::7, 3], x[::5, 1] = numpy.nan, -numpy.inf
    x[::3, 2] *= -1
    same(np.argsort(np.array(x), axis=0, kind="stable"), numpy.argsort(x, axis=0, kind="stable"))
    assert [name for name, state in _kernels.states().items() if "compiled" not in state] == [], _kernels.states()
    assert [each.what for each in np.fallbacks()] == [], np.fallbacks()
    """)


def test_wrong_places_are_numpys_error():
    run("""
    a = np.arange(5000.0)
    for wrong in (lambda n: n.partition(a, 9999), lambda n: n.sort(a, axis=3), lambda n: n.argsort(a, kind="bubble")):
        for module in (np, numpy):
            try:
                wrong(module)
            except ValueError as problem:
                print(type(problem).__name__)
    """, "ValueError\nValueError\nAxisError\nAxisError\nValueError\nValueError\n")


def test_too_much_memory_is_an_error_and_the_rest_goes_on():
    run("""
    a = np.arange(1000.0)
    kept = a * 3
    np.flush()
    try:
        np.zeros(1 << 45)
    except MemoryError:
        print("MemoryError")
    huge = np.zeros(1 << 35) + kept[5]
    try:
        np.flush()
        print(huge[7])
    except MemoryError:
        print("MemoryError")
    assert kept.sum() == 3 * 499500
    assert (a + 1).max() == 1000
    """, "MemoryError\nMemoryError\n")


def test_an_interrupt_loses_nothing():
    run("""
    import os, signal, threading
    a = np.zeros(100_000)
    for rounds in range(1, 4):
        a += 1.0
        np.flush(wait=False)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        while True:
            a += 1.0
            rounds += 1
            np.flush(wait=False)
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
    found = numpy.asarray(a)
    assert found.min() == found.max() and rounds <= found[0] + 1 <= rounds + 2, (found, rounds)
    """, "KeyboardInterrupt\n")


def test_the_end_does_not_wait_for_what_nobody_needs():
    run("""
    a = np.ones((2000, 2000))
    for _ in range(5):
        a = a * 1.5 + a.sum(axis=0)
    np.flush(wait=False)
    b = a @ a
    print("end")
    """, "end\n")


def test_steps_that_nobody_waits_for_come_in_order():
    run("""
    a, x = np.zeros(5000), numpy.zeros(5000)
    for k in range(300):
        for array in (a, x):
            array[1:] = array[:-1] * 0.5 + k
            array[0] += 1
        np.flush(wait=False)
    same(a, x)
    """)


def test_walls_are_read_elsewhere():
    # Thin writes before a large part of the array is computed from it: walls that reflect, ends that meet, fixed values,
    # corners, a part of a side, three dimensions, another type.
    run("""
    def waves(h, u, v):
        h[:, 0], u[:, 0], v[:, 0] = h[:, 1], u[:, 1], -v[:, 1]
        h[:, -1], u[:, -1], v[:, -1] = h[:, -2], u[:, -2], -v[:, -2]
        h[0, :], u[0, :], v[0, :] = h[1, :], -u[1, :], v[1, :]
        h[-1, :], u[-1, :], v[-1, :] = h[-2, :], -u[-2, :], v[-2, :]
        x = (u[:-1, 1:-1] + u[1:, 1:-1]) / 2 - 0.1 * (u[1:, 1:-1] ** 2 / h[1:, 1:-1] - u[:-1, 1:-1] ** 2 / h[:-1, 1:-1])
        y = (v[1:-1, :-1] + v[1:-1, 1:]) / 2 - 0.1 * (v[1:-1, 1:] ** 2 / h[1:-1, 1:] - v[1:-1, :-1] ** 2 / h[1:-1, :-1])
        h[1:-1, 1:-1] -= 0.02 * (x[1:, :] - x[:-1, :] + y[:, 1:] - y[:, :-1])
        u[1:-1, 1:-1] -= 0.02 * (x[1:, :] ** 2 - x[:-1, :] ** 2)
        v[1:-1, 1:-1] -= 0.02 * (y[:, 1:] ** 2 - y[:, :-1] ** 2)
        return h, u, v

    def periodic(a):
        a[0], a[-1] = a[-2], a[1]
        a[1:-1] = 0.5 * a[1:-1] + 0.25 * (a[:-2] + a[2:])
        return a,

    def fixed(a):
        a[0, :], a[:, 0] = 4.0, 2.5 * a[:, 1]
        a[3:9, -1] = a[3:9, -2]
        a[-1, 2:] = 7
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        return a,

    def shifted(a):
        # What is written is a part of the border, and what is read lies beyond it.
        a[0, 1:] = a[2, :-1]
        a[2:, 3] = -a[2:, 1] * 3
        a[1:, :] = a[1:, :] * 0.5 + a[:-1, :]
        return a,

    def cube(a):
        a[0], a[-1] = a[1], -a[-2]
        a[:, 0] = a[:, 1]
        a[:, :, -1] = 1
        a[1:-1, 1:-1, 1:-1] += 0.1 * (a[2:, 1:-1, 1:-1] - 2 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
        return a,

    def kept(a):
        # Somebody has the array as it was between two writes.
        a[0] = a[1]
        b = a.copy()
        a[:, 0] = a[:, 2]
        a[1:-1, 1:-1] = a[:-2, 1:-1] + a[1:-1, 2:]
        return a, b

    r = numpy.random.default_rng(3)
    for program, shape, count, dtype in [(waves, (41, 37), 3, float), (waves, (150, 140), 3, float), (periodic, (1000,), 1, float), (fixed, (40, 50), 1, float),
                                         (fixed, (40, 50), 1, numpy.float32), (shifted, (30, 33), 1, float), (cube, (9, 20, 30), 1, float), (kept, (50, 40), 1, float)]:
        theirs = [(r.random(shape) + 0.5).astype(dtype) for _ in range(count)]
        ours = [np.array(x) for x in theirs]
        for _ in range(3):
            ours, theirs = program(*ours), program(*theirs)
            np.flush()
            ours, theirs = ours[:count], theirs[:count]
        for a, b in zip(ours, theirs):
            numpy.testing.assert_allclose(numpy.asarray(a), b, rtol=1e-5 if dtype == numpy.float32 else 1e-11, err_msg=program.__name__)
            assert numpy.asarray(a).dtype == b.dtype
    assert _core.compile_failures() == [], _core.compile_failures()
    """)
