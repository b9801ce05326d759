#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the rows of run.py on a device: the least of some runs, and all that a first start takes.  Needs NumPy; says what a radix sort of as many keys takes if there is CuPy.

    bench/nesl/device.py --skald SKALD [--backend cuda] [--seconds 20] [--runs 5] [--divide N] [ROW…]
    bench/nesl/device.py --skald SKALD --profile [ROW…]

With `--profile`, what a call does on the device: launches by kernel, copies, sizes that are read, and the part of the call in which the device did something.
"""

import argparse
import collections
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
# The folder of the cpu rows has a run.py too, which the one here imports under that name.
sys.path.remove(str(HERE))
spec = importlib.util.spec_from_file_location("nesl_rows", HERE / "run.py")
nesl = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nesl)

TYPES = {"i64": np.int64, "f64": np.float64, "u8": np.uint8}


def lengths(random, count, total, kind):
    if kind == "even":
        return np.diff(np.linspace(0, total, count + 1).astype(np.int64))
    shares = 1 / np.arange(1, count + 1)
    found = np.floor(shares / shares.sum() * total).astype(np.int64)
    found[0] += total - found.sum()
    return random.permutation(found)


def graph(random, nodes, degree):
    a = random.integers(0, nodes, nodes * degree // 2)
    b = random.integers(0, nodes, nodes * degree // 2)
    both = np.concatenate([np.stack([a, b]), np.stack([b, a])], axis=1)
    both = both[:, np.argsort(both[0], kind="stable")]
    return [np.bincount(both[0], minlength=nodes).astype(np.int64), both[1]]


def text(random, size, different):
    letters = random.integers(97, 123, (different, 8)).astype(np.uint8)
    letters[:, 7] = 32
    return letters[random.zipf(1.5, size // 8) % different].reshape(-1)


def values(spec, divide):
    """What bench/cpu/data.cpp makes of a specification, but with other random numbers; arrays have a part of the elements."""
    random = np.random.default_rng(len(spec))
    if "=" in spec:
        kind, value = spec.split("=")
        return [TYPES[kind](value)]
    kind, *rest = spec.split(":")
    if kind == "lengths":
        return [lengths(random, int(rest[0]) // divide, int(rest[1]) // divide, rest[2])]
    if kind == "graph":
        return graph(random, int(rest[0]) // divide, int(rest[1]))
    if kind == "text":
        return [text(random, int(rest[0]) // divide, int(rest[1]))]
    count, low, high = max(1, int(rest[0]) // divide if int(rest[0]) > 1000 else int(rest[0])), float(rest[1]), float(rest[2])
    if kind == "f64":
        return [random.uniform(low, high, count)]
    # Indices into an array that is smaller are smaller.
    top = int(high) // divide if 1000 < high < 1e11 else int(high)
    return [random.integers(int(low), top, count).astype(TYPES[kind])]


def write(path, inputs):
    """In Futhark's binary format."""
    with open(path, "wb") as out:
        for value in inputs:
            array = np.asarray(value)
            name = {"int64": b" i64", "float64": b" f64", "uint8": b"  u8"}[array.dtype.name]
            out.write(b"b\x02" + bytes([array.ndim]) + name + np.array(array.shape, np.int64).tobytes() + array.tobytes())


def measure(args, row, folder):
    data, times = os.path.join(folder, "input"), os.path.join(folder, "times")
    write(data, [value for spec in row.inputs for value in values(spec, args.divide)])
    command = [args.skald, "run", f"--backend={args.backend}", "-n", "-r", str(args.runs), "-t", times, "-e", "main",
               str(HERE / "programs" / f"{row.program}.nesl")]
    begin = time.perf_counter()
    try:
        with open(data, "rb") as stdin:
            done = subprocess.run(command, stdin=stdin, stderr=subprocess.PIPE, text=True, timeout=args.seconds)
    except subprocess.TimeoutExpired:
        return f"not done after {args.seconds} s"
    if done.returncode != 0:
        return done.stderr.strip().replace("\n", " ")[:160]
    found = [float(line) / 1000 for line in pathlib.Path(times).read_text().split()]
    return f"{min(found):12.3f} ms{sorted(found)[len(found) // 2]:12.3f} ms{time.perf_counter() - begin:10.1f} s"


def load(path, name):
    found = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def to_device(library, context, value):
    array = np.ascontiguousarray(value)
    kind = {"int64": 4, "float64": 11, "uint8": 5}[array.dtype.name]
    shape = (library.c_int64 * max(array.ndim, 1))(*array.shape)
    out = library.Handle()
    context.must(context.library.c.skald_array_from_host(context.handle, kind, array.ndim, shape, array.ctypes.data_as(library.c_void_p), library.byref(out)))
    return library.Array(context, out)


KINDS = ["call", "launch", "copy to the device", "copy from the device", "copy on the device", "compile"]


def profile(args, row):
    """One call after three others, by kernel."""
    library = load(HERE.parent / "gpu" / "library.py", "library")
    shared = library.Library(str(pathlib.Path(args.skald).resolve().parent / "libskald.so"))
    inputs = [value for spec in row.inputs for value in values(spec, args.divide)]
    path = str(HERE / "programs" / f"{row.program}.nesl")
    plain = library.Context(shared, args.backend)
    run = plain.program(path).prepare("main", [to_device(library, plain, value) for value in inputs])
    whole = min(run.timed()[0] for _ in range(4))
    context = library.Context(shared, args.backend, profile=True)
    run = context.program(path).prepare("main", [to_device(library, context, value) for value in inputs])
    for _ in range(3):
        run()
    context.events()
    run()
    table = collections.defaultdict(lambda: [0, 0, 0])
    for kind, name, size, took in context.events():
        if KINDS[kind] != "call":
            entry = table[KINDS[kind], name if KINDS[kind] == "launch" else ""]
            entry[0] += 1
            entry[1] += took
            entry[2] += size
    busy = sum(entry[1] for entry in table.values())
    print(f"{row.name}: {whole * 1000:.3f} ms, of which the device is busy for {busy / 1e6:.3f}")
    for (kind, name), (count, took, size) in sorted(table.items(), key=lambda item: -item[1][1]):
        print(f"  {kind + ' ' + name:<58}{count:>6} times{took / 1e6:>10.3f} ms{size / 1e6 if size else 0:>10.1f} MB", flush=True)


def radix_sort(count, runs=5):
    try:
        import cupy
    except ImportError:
        return
    best = float("inf")
    for kind in (cupy.int64, cupy.float32):
        keys = cupy.random.random(count).astype(cupy.float64)
        keys = (keys * 1e12).astype(kind)
        best = float("inf")
        for _ in range(runs + 1):
            cupy.cuda.Device().synchronize()
            begin = time.perf_counter()
            cupy.sort(keys)
            cupy.cuda.Device().synchronize()
            best = min(best, time.perf_counter() - begin)
        print(f"{'radix sort (CuPy), ' + np.dtype(kind).name:<26}{best * 1000:12.3f} ms   {count} keys", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--seconds", type=float, default=20, help="for each row")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--divide", type=int, default=1, help="inputs have a part of the elements")
    parser.add_argument("--profile", action="store_true", help="where the time of one call goes")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    args = parser.parse_args()
    if args.profile:
        for row in nesl.rows():
            if not args.rows or any(word in row.name for word in args.rows):
                profile(args, row)
        return 0
    print(f"{'row':<26}{'least':>15}{'middle':>15}{'in all':>12}", flush=True)
    for row in nesl.rows():
        if args.rows and not any(word in row.name for word in args.rows):
            continue
        with tempfile.TemporaryDirectory() as folder:
            print(f"{row.name:<26}{measure(args, row, folder)}", flush=True)
    if args.backend == "cuda":
        radix_sort(10_000_000 // args.divide)
    return 0


if __name__ == "__main__":
    sys.exit(main())
