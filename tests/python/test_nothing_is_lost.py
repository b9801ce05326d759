# SPDX-License-Identifier: Apache-2.0
"""Arrays that get no memory, interrupts, threads, forks and the end of the process: what has nothing to do with it goes on."""

import os
import pathlib
import subprocess
import sys
import textwrap
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "import os, resource, signal, sys, threading, time\nimport numpy\nimport skald as np\nfrom skald import _core\n"
# More address space than this is refused by the system.
LIMIT = """
def limit(more):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))
def warm():
    # Threads and code that are needed anyway.
    a = np.arange(100_000.0)
    assert float((a * 2 + 1).sum()) > 0
    np.flush()
"""
EVALUATORS = ["numpy", "compiled"]


def run(script, evaluator, said, seconds=60):
    """The script, in a process of its own, prints that."""
    from skald import _core
    if evaluator == "compiled":
        try:
            _core.set_option("evaluator", "compiled")
        except RuntimeError as problem:
            pytest.skip(str(problem))
        _core.set_option("evaluator", "auto")
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "SKALD_EVALUATOR": evaluator, "PYTHONPATH": path, "SKALD_CACHE": "off", "SKALD_BACKEND": "cpu"}
    done = subprocess.run([sys.executable, "-c", HEAD + LIMIT + textwrap.dedent(script)], capture_output=True, text=True, timeout=seconds, env=environment)
    assert (done.returncode, done.stdout) == (0, said), done.stdout + done.stderr


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_an_array_without_memory_takes_nothing_with_it(evaluator):
    run("""
    warm()
    a = np.arange(1000.0)
    x = np.zeros(1000)
    np.flush()
    limit(1 << 30)
    before = a * 3
    x += 1
    huge = np.zeros(1 << 30) + 5.0
    x += 1
    after = a + x
    try:
        np.flush()
    except MemoryError as problem:
        print(problem)
    for _ in range(2):
        try:
            huge[7] + 1
            float(huge[7])
        except MemoryError as problem:
            print(problem)
    assert before.tolist() == [3.0 * i for i in range(1000)]
    assert after.tolist() == [i + 2.0 for i in range(1000)] and x.sum() == 2000
    """, evaluator, 3 * "Unable to allocate 8.00 GiB for an array with shape (1073741824,) and data type float64\n")


def test_what_is_computed_from_an_array_without_memory():
    # In a program the sum needs no array.
    run("""
    warm()
    limit(1 << 30)
    huge = np.ones(1 << 30) * 2
    total = huge.sum()
    try:
        np.flush()
    except MemoryError:
        print("MemoryError")
    print(float(total))
    """, "compiled", "MemoryError\n2147483648.0\n")


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_what_cannot_be_written_leaves_the_array(evaluator):
    run("""
    a = np.arange(2000)
    x, y, z = np.ones(2000, int), np.ones((2, 2000), int), np.ones(2000, int)
    x += a ** (a - 3)
    y[1] = a ** (a - 3)
    z += 1
    z *= a ** (a - 3)
    for _ in range(3):
        try:
            np.flush()
        except ValueError as problem:
            print(problem)
    print(x.sum(), y.sum(), z.sum())
    """, "numpy", 3 * "Integers to negative integer powers are not allowed.\n" + "2000 4000 4000\n")


def test_exceptions_name_both_lines(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""
    import skald as np
    def powers(a):
        return a ** (a - 3)
    a = np.arange(2000)
    b = powers(a)
    try:
        print(b[5])
    except ValueError as problem:
        print(*problem.__notes__)
    c = np.mean(a ** (a - 3))
    try:
        np.flush()
    except ValueError as problem:
        print(*problem.__notes__)
    """))
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    assert said.stderr == ""
    assert said.stdout == (f'recorded at File "{script}", line 4, in powers\nrun at File "{script}", line 8, in <module>\n'
                           f'recorded at File "{script}", line 11, in <module>\nrun at File "{script}", line 13, in <module>\n')


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_interrupts_lose_nothing(evaluator):
    # Whenever it comes, each step is done once.
    run("""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main, ends = threading.get_ident(), time.monotonic() + 2
    def interrupt():
        while time.monotonic() < ends:
            time.sleep(0.003)
            signal.pthread_kill(main, signal.SIGINT)
    a, b = np.zeros(50_000), np.zeros((50, 50_000))
    np.flush()
    thread = threading.Thread(target=interrupt)
    interrupts = steps = 0
    started = False
    while time.monotonic() < ends + 0.1:
        # The way back to the head of a loop is interrupted too.
        try:
            while time.monotonic() < ends + 0.1:
                if not started:
                    started = True
                    thread.start()
                a += 1.0
                steps += 1
                b[3] = a * 2.0
                b[4] += 1.0
                np.flush()
        except KeyboardInterrupt:
            interrupts += 1
    while True:
        try:
            thread.join()
            np.flush()
            break
        except KeyboardInterrupt:
            pass
    found = float(a[7])
    assert a.min() == a.max() and steps <= found <= steps + interrupts, (found, steps, interrupts)
    assert b[4].min() == b[4].max() and b[3].min() == b[3].max() and b[0].max() == 0
    assert interrupts > 20, interrupts
    print("done")
    """, evaluator, "done\n")


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_threads_record_at_once(evaluator):
    run("""
    rounds, failures = 60, []
    def work(number):
        try:
            a = np.arange(3000.0) + number
            for i in range(rounds):
                b = a * 2 - a
                b[::2] += 1
                b[::2] -= 1
                a = b + 1
                if i % 7 == number % 7:
                    assert float(a[5]) == 5 + number + i + 1
            assert numpy.array_equal(numpy.asarray(a), numpy.arange(3000.0) + number + rounds)
        except BaseException as problem:
            failures.append(problem)
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(failures)
    """, evaluator, "[]\n")


@pytest.mark.parametrize("evaluator", EVALUATORS + ["auto"])
def test_forks(evaluator):
    # What is pending at a fork is computed in both processes.
    run("""
    a = np.arange(300_000.0)
    for _ in range(40):
        b = np.sqrt(a * 2 + 1).sum() + (a[1:] - a[:-1]).sum()
        kept = float(b)
    pending = a * 2
    a[3:5] = -1
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            good = float(pending[9]) == 18 and float(a[4]) == -1
            for _ in range(3):
                good = good and float(np.sqrt(pending + 1).sum() * 0) == 0
            sys.exit(0 if good else 7)
        children.append(child)
    print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
    print(float(pending[9]), float(a[4]))
    """, evaluator, "[0, 0, 0, 0]\n18.0 -1.0\n")


def test_pools_of_processes():
    run("""
    import multiprocessing
    def square(n):
        a = np.arange(float(n))
        return float((a * a).sum())
    a = np.arange(100_000.0)
    for _ in range(30):
        float((a * 3 + 1).sum())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(square, [10, 100, 1000, 30_000]))
    """, "auto", "[285.0, 328350.0, 332833500.0, 8999550005000.0]\n")


@pytest.mark.parametrize("evaluator", EVALUATORS + ["auto"])
def test_the_end_runs_nothing_that_is_pending(evaluator):
    began = time.monotonic()
    run("""
    import time
    a = np.arange(2_000_000.0)
    for _ in range(3):
        float(np.sin(a).sum())
    for _ in range(500):
        a = np.sin(a) + a[::-1]
    huge = np.zeros(1 << 40) + 1
    print("done")
    """, evaluator, "done\n")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("evaluator", EVALUATORS + ["auto"])
def test_the_end_while_another_thread_computes(evaluator):
    run("""
    a = np.arange(1_000_000.0)
    ready = threading.Event()
    def work():
        b = a
        while True:
            b = np.sin(b) + 1
            float(b.sum())
            ready.set()
    threading.Thread(target=work, daemon=True).start()
    ready.wait()
    print("done")
    """, evaluator, "done\n")
