#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the programs of a checkout of NPBench under NumPy and Skald, by turns in one process.

    git clone https://github.com/spcl/npbench
    npbench.py --folder npbench --size S adi syrk      # no names: all of them
    SKALD_EVALUATOR=numpy npbench.py --folder npbench  # what recording costs where nothing is compiled

Each program has a process of its own.  Printed is how many times less than NumPy's the time of a run
is: by processor time of all threads (first run, median, best of all) and by the clock (the same).
Every run begins with copies of the same arrays, and its results are compared with NumPy's.
"""

import argparse
import copy
import importlib.util
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time


def load(path, module_of_arrays):
    """The program at `path`, with this module in NumPy's place."""
    import numpy
    sys.modules["numpy"] = module_of_arrays
    try:
        spec = importlib.util.spec_from_file_location(f"{path.stem}_{module_of_arrays.__name__}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.modules["numpy"] = numpy
    return module


def arguments(folder, info, size):
    """The arguments of the program by name, made by its own `initialize`."""
    import numpy
    values = dict(info["parameters"][size])
    path = folder / "npbench/benchmarks" / info["relative_path"]
    init = info.get("init")
    if not init:
        return values
    module = load(path / (info["module_name"] + ".py"), numpy)
    made = getattr(module, init["func_name"])(*(values[a] for a in init["input_args"]))
    names = init["output_args"]
    values.update(zip(names, made if len(names) > 1 else [made]))
    return values


def runner(folder, info, module_of_arrays):
    path = folder / "npbench/benchmarks" / info["relative_path"] / (info["module_name"] + "_numpy.py")
    function = getattr(load(path, module_of_arrays), info["func_name"])

    def run(values):
        import numpy
        own = {}
        for name in info["input_args"]:
            value = values[name]
            is_array = isinstance(value, numpy.ndarray)
            own[name] = module_of_arrays.array(value) if is_array else copy.copy(value)
        wait = getattr(module_of_arrays, "flush", lambda: None)
        wait()
        clock, processor = time.perf_counter(), time.process_time()
        result = function(*(own[n] for n in info["input_args"]))
        wait()
        times = time.process_time() - processor, time.perf_counter() - clock
        result = result if isinstance(result, tuple) else () if result is None else (result,)
        return times, [numpy.asarray(r) for r in (*result, *(own[n] for n in info["output_args"]))]

    return run


def difference(ours, theirs):
    """The greatest difference, as a part of the greatest value."""
    import numpy
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a.shape != b.shape:
            return math.inf
        if b.size and b.dtype.kind in "fc":
            scale = numpy.nanmax(numpy.abs(b)) or 1.0
            worst = max(worst, float(numpy.nanmax(numpy.abs(a - b)) / scale))
        elif not numpy.array_equal(a, b):
            worst = math.inf
    return worst


def measure(folder, name, size, seconds):
    import numpy

    import skald
    info = json.loads((folder / "bench_info" / (name + ".json")).read_text())["benchmark"]
    values = arguments(folder, info, size)
    theirs, ours = runner(folder, info, numpy), runner(folder, info, skald)
    times, results = {"numpy": [], "skald": []}, {}
    started = time.perf_counter()
    while len(times["skald"]) < 3 or time.perf_counter() - started < seconds:
        for engine, run in (("numpy", theirs), ("skald", ours)):
            with numpy.errstate(all="ignore"):
                pair, results[engine] = run(values)
            times[engine].append(pair)
    row = {"name": name, "runs": len(times["skald"]), "difference": difference(results["skald"], results["numpy"])}
    for number, what in enumerate(("processor", "clock")):
        base = [t[number] for t in times["numpy"]]
        own = [t[number] for t in times["skald"]]
        row[what] = {
            "numpy_ms": min(base) * 1e3,
            "first": base[0] / own[0],
            "median": statistics.median(base) / statistics.median(own),
            "best": min(base) / min(own)
        }
    return row


def line(row):
    p, c = row["processor"], row["clock"]
    return (f"{row['name']:26} {p['numpy_ms']:10.2f} {p['first']:8.2f} {p['median']:8.2f} {p['best']:8.2f}"
            f" {c['first']:8.2f} {c['median']:8.2f} {c['best']:8.2f} {row['runs']:6} {row['difference']:9.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--size", default="S")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one program")
    parser.add_argument("--skip", default="", help="names, with commas between")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.folder, options.names[0], options.size, options.seconds)))
        return
    skipped = set(options.skip.split(","))
    names = options.names or sorted(p.stem for p in (options.folder / "bench_info").glob("*.json"))
    print(f"{'':26} {'NumPy ms':>10} {'first':>8} {'median':>8} {'best':>8} {'by clock':>8} {'median':>8} {'best':>8}"
          f" {'runs':>6} {'differs':>9}")
    rows = []
    for name in names:
        if name in skipped:
            continue
        command = [sys.executable, __file__, "--one", "--folder", str(options.folder), "--size", options.size]
        command += ["--seconds", str(options.seconds), name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(line(rows[-1]), flush=True)
        except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
            words = done.stderr.strip().splitlines()[-1:] if not isinstance(error, subprocess.TimeoutExpired) else ["time"]
            print(f"{name:26} {' '.join(words)}", flush=True)
    for what in ("processor", "clock"):
        means = [statistics.geometric_mean([r[what][k] for r in rows]) for k in ("first", "median", "best") if rows]
        print(f"geometric mean, {what}: " + " ".join(f"{m:.2f}" for m in means))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
