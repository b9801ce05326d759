#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times NumPy programs under Skald and its peers.

Each program (nine/*.py, more/*.py) is a module with `SIZES`, `setup(np, **size)`, `step(np, state)`,
`result(np, state)` and `limit(**size)` (bytes moved and operations at least).  Every pair of program and
engine runs in a process of its own: the first step is the cold time; then steps are repeated, each
ending with `flush`, and the median is the warm time.  Results are compared with NumPy's.  With
`--processor` the columns are the least processor time of a step on all threads instead, which other
work on the machine disturbs less; half of it is what two idle cores would need.

    run.py --engines numpy,skald heat nbody
    run.py --set more --size M --json build/numpy.json
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ("numexpr", "numba", "jax")
# What one core moves and computes per second, if nothing better is known: for the column `limit`.
BANDWIDTH = float(os.environ.get("SKALD_BENCH_BANDWIDTH", 15e9))
OPERATIONS = float(os.environ.get("SKALD_BENCH_OPERATIONS", 2e10))


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(names, wanted_set):
    folders = ["nine", "more"] if wanted_set == "all" else [wanted_set]
    found = [p for f in folders for p in sorted((HERE / f).glob("*.py"))]
    return [p for p in found if not names or p.stem in names]


def stepper(module, engine):
    """The module that plays NumPy, a function that does one step, one that starts it and one that waits for it."""
    import numpy
    if engine == "numpy":
        return numpy, lambda state: module.step(numpy, state), lambda: None, lambda: None
    if engine == "skald":
        import skald
        return skald, lambda state: module.step(skald, state), lambda: skald.flush(wait=False), skald.flush
    peer = __import__(engine)
    if engine == "jax":
        peer.config.update("jax_enable_x64", True)
    make = getattr(module, engine + "_step", None)
    if make is None:
        raise LookupError(f"{module.__name__} has no version for {engine}")
    return numpy, make(peer), lambda: None, lambda: None


def summary(values):
    """Enough of a result to compare it in another process: its sum, its extremes, some elements."""
    import numpy
    values = numpy.asarray(values, dtype=numpy.float64).ravel()
    some = values[:: max(1, values.size // 50)][:50]
    return [float(values.sum()), float(values.min()), float(values.max()), *map(float, some)]


def run_one(path, engine, size, seconds, together=1):
    module = load(path)
    extent = module.SIZES[size]
    np, step, start, wait = stepper(module, engine)
    state = module.setup(np, **extent)
    wait()
    started = time.perf_counter()
    step(state)
    wait()
    cold = time.perf_counter() - started
    # Two more steps before the result is taken, so that plans that repeat are compared too.
    for _ in range(2):
        step(state)
        wait()
    found = summary(module.result(np, state))
    times, processor, until = [], [], time.perf_counter() + seconds
    while len(times) < 3 or (time.perf_counter() < until and len(times) < 1000):
        started, used = time.perf_counter(), time.process_time()
        for _ in range(together - 1):
            step(state)
            start()
        step(state)
        wait()
        times.append((time.perf_counter() - started) / together)
        processor.append((time.process_time() - used) / together)
    return {"cold": cold, "warm": statistics.median(times[len(times) // 3:]), "processor": min(processor),
            "steps": len(times), "summary": found}


def agree(module, expected, found):
    close = 0.35 if getattr(module, "RANDOM", False) else 1e-4 if "softmax" in module.__name__ else 1e-8
    scale = max(abs(v) for v in expected[1:3])
    return all(abs(a - b) <= close * max(scale, abs(a)) for a, b in zip(expected, found))


def measure(path, engine, options):
    command = [sys.executable, __file__, "--one", engine, "--size", options.size, "--seconds", str(options.seconds),
               "--together", str(options.together), str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {options.timeout} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"exit {done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def show(rows, engines, kind):
    print(("ms per step" if kind == "warm" else "processor ms").ljust(20) + "limit".rjust(9) + "".join(e.rjust(11) for e in engines) + "   speed-up   cold (skald)")
    for row in rows:
        cells = ""
        for engine in engines:
            outcome = row["engines"].get(engine, {})
            text = f"{1e3 * outcome[kind]:.3f}" if kind in outcome else "-"
            cells += (text + ("" if outcome.get("agrees", True) else " !")).rjust(11)
        ratio = row.get("speed-up")
        cold = row["engines"].get("skald", {}).get("cold")
        print(row["program"].ljust(20) + f"{1e3 * row['limit']:9.3f}" + cells
              + (f"{ratio:10.2f}x" if ratio else " " * 11) + (f"{1e3 * cold:12.1f}" if cold else ""))
    ratios = [row["speed-up"] for row in rows if row.get("speed-up")]
    if ratios:
        print(f"geometric mean of speed-ups: {statistics.geometric_mean(ratios):.2f}x, least {min(ratios):.2f}x")
    for row in rows:
        for engine, outcome in row["engines"].items():
            if "error" in outcome and "has no version" not in outcome["error"]:
                print(f"{row['program']}, {engine}: {outcome['error']}")
            if not outcome.get("agrees", True):
                print(f"{row['program']}, {engine}: another result than NumPy's (marked !)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--set", default="nine", choices=["nine", "more", "all"])
    parser.add_argument("--size", help="test, two-core or gpu for the nine; S, M or L for the others")
    parser.add_argument("--engines", default="numpy,skald," + ",".join(PEERS))
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to repeat a step")
    parser.add_argument("--together", type=int, default=1, help="so many steps before one is waited for, as scripts do on devices")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--processor", action="store_true", help="processor time instead of time")
    parser.add_argument("--json", help="a file for all numbers")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(pathlib.Path(options.programs[0]), options.one, options.size, options.seconds, options.together)))
        return 0
    options.size = options.size or ("two-core" if options.set == "nine" else "M")
    engines = options.engines.split(",")
    rows, wrong = [], 0
    for path in find(options.programs, options.set):
        module = load(path)
        if options.size not in module.SIZES:
            continue
        moved, computed = module.limit(**module.SIZES[options.size])
        row = {"program": path.stem, "size": module.SIZES[options.size], "engines": {},
               "limit": max(moved / BANDWIDTH, computed / OPERATIONS)}
        for engine in engines:
            row["engines"][engine] = outcome = measure(path, engine, options)
            reference = row["engines"].get("numpy", {}).get("summary")
            if "summary" in outcome and reference:
                outcome["agrees"] = agree(module, reference, outcome["summary"])
                wrong += not outcome["agrees"]
        kind = "processor" if options.processor else "warm"
        both = [row["engines"].get(e, {}).get(kind) for e in ("numpy", "skald")]
        row["speed-up"] = both[0] / both[1] if all(both) else None
        rows.append(row)
        print(f"  {path.stem} done", file=sys.stderr)
    show(rows, engines, "processor" if options.processor else "warm")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
