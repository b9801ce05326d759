#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures NESL programs on the cpu back end against hand-written C++ with oneTBB: the rows of README.md here.

    bench/nesl/run.py --skald SKALD --build-dir build/bench-nesl [ROW…]
    bench/nesl/run.py --skald SKALD --build-dir build/bench-nesl --doubling [--times N] [--svg FILE] [--busy] [ROW…]
    bench/nesl/run.py --skald SKALD --build-dir build/bench-nesl --twins [ROW…]

Sides run in turns on the same input, and results must be equal, as in bench/cpu, whose parts do the work.
"""

import math
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "cpu"))
sys.path.insert(1, str(HERE))
import doubling
import run as cpu
import sides
from rows import Row

M = 1_000_000


class Skald(sides.Skald):
    def __init__(self, skald):
        super().__init__(skald, options=["-e", "main"])

    def program(self, row):
        return str(HERE / "programs" / f"{row.program}.nesl")


class Twin(Skald):
    """The same program in Futhark."""

    def program(self, row):
        return str(HERE / "twins" / f"{row.program}.fut")


class Peer(sides.Peer):
    def __init__(self, compiler, folder):
        super().__init__(compiler, folder)
        self.flags.append(f"-I{HERE.parent / 'cpu' / 'peers'}")

    def binary(self, source):
        own = HERE / "peers" / source.name
        return super().binary(own if own.exists() else source)


def rows():
    yield Row("dot", "dot", [f"f64:{16 * M}:0:1"] * 2, rtol=1e-9)
    yield Row("sparse matrix", "sparse", [f"lengths:200000:{10 * M}:even", f"i64:{10 * M}:0:200000", f"f64:{10 * M}:0:1", "f64:200000:0:1"], rtol=1e-9)
    yield Row("sparse, skewed", "sparse", [f"lengths:200000:{10 * M}:skewed", f"i64:{10 * M}:0:200000", f"f64:{10 * M}:0:1", "f64:200000:0:1"], rtol=1e-9)
    yield Row("segments", "segments", [f"lengths:100000:{10 * M}:even", f"f64:{10 * M}:0.1:1"], rtol=1e-9)
    yield Row("primes", "primes", [f"i64={10 * M}"])
    yield Row("string search", "string_search", [f"u8:{16 * M}:97:101", "u8:8:97:101"])
    yield Row("mandelbrot", "mandelbrot", ["i64=800", "i64=600", "i64=255"], share=0.01)
    yield Row("line of sight", "line_of_sight", [f"f64:{10 * M}:0:1"])
    yield Row("black-scholes", "black_scholes", [f"f64:{4 * M}:5:30", f"f64:{4 * M}:1:100", f"f64:{4 * M}:0.25:10"], rtol=1e-9)
    yield Row("components", "connected_components", [f"i64={M}", f"i64:{2 * M}:0:{M}", f"i64:{2 * M}:0:{M}"])
    yield Row("breadth first", "breadth_first_search", [f"graph:{M}:8", "i64=5"])
    yield Row("independent set", "maximal_independent_set", [f"graph:{M}:8"])
    yield Row("word count", "word_count", [f"text:{4 * M}:20000"])
    yield Row("kth smallest", "kth_smallest", [f"f64:{10 * M}:0:1", f"i64={3 * M}"])
    yield Row("integration", "adaptive_integration", ["i64=0", "i64=30", "i64=13"], rtol=1e-9)
    yield Row("queens 11", "queens", ["i64=11"])
    yield Row("fft 1 M", "fft", [f"f64:{1 << 20}:-1:1"] * 2, rtol=1e-9)
    yield Row("k-d tree 200 K", "kd_tree", ["f64:200000:0:1"] * 4, rtol=1e-9)
    yield Row("barnes-hut 100 K", "barnes_hut", ["f64:100000:0.1:1", "f64:100000:-1:1", "f64:100000:-1:1"], rtol=1e-9)
    yield Row("quicksort 1 M", "quicksort", [f"i64:{M}:0:1000000000000"])
    yield Row("quicksort 10 M", "quicksort", [f"i64:{10 * M}:0:1000000000000"])
    yield Row("mergesort 10 M", "mergesort", [f"i64:{10 * M}:0:1000000000000"])
    yield Row("quickhull 10 M", "quickhull", [f"f64:{10 * M}:-1:1"] * 2, rtol=1e-9)


cpu.ROWS = list(rows())
cpu.find_sides = lambda skald, folder, wanted: [Skald(skald), Peer("g++", folder)]


def option(name, default):
    """Takes an option that bench/cpu does not know from the command line."""
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at : at + 2]
    return value


def measure_doubling():
    sys.argv.remove("--doubling")
    times, svg = int(option("--times", 1)), option("--svg", None)
    on_busy_machine = "--busy" in sys.argv
    if on_busy_machine:
        sys.argv.remove("--busy")
    args = cpu.parse_arguments()
    chosen = [row for row in cpu.ROWS if not args.words or any(word in row.name for word in args.words)]
    pathlib.Path(args.build_dir).mkdir(parents=True, exist_ok=True)
    data_program = Peer("g++", args.build_dir).binary(sides.HERE / "data.cpp")
    measured = doubling.Doubling(args.skald, data_program, Skald(args.skald).program, args.runs, times, on_busy_machine)
    doubling.table(chosen, measured, svg)
    return 0


def measure_twins():
    """Both on one thread, in turns; the least time counts.  Above 1: the twin is slower."""
    sys.argv.remove("--twins")
    args = cpu.parse_arguments()
    args.sides = []
    bench = cpu.Bench(args)
    wrong = False
    print(f"{'row':<26}{'nesl ms':>10}{'futhark ms':>12}{'ratio':>8}")
    for row in cpu.ROWS:
        if not (HERE / "twins" / f"{row.program}.fut").exists() or args.words and not any(word in row.name for word in args.words):
            continue
        with tempfile.TemporaryDirectory(dir=args.tmp) as folder:
            data, times = bench.make(row.inputs, folder), {}
            outs = {Skald: os.path.join(folder, "nesl"), Twin: os.path.join(folder, "futhark")}
            for _ in range(args.rounds):
                for kind, out in outs.items():
                    times[kind] = min(times.get(kind, math.inf), *kind(args.skald).times(row, data, out, args.runs, 1))
            why = bench.same(*outs.values(), row)
        wrong = wrong or why is not None
        print(f"{row.name:<26}{times[Skald] / 1000:>10.2f}{times[Twin] / 1000:>12.2f}{times[Twin] / times[Skald]:>8.2f}" +
              (f"  another result: {why}" if why else ""), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    if "--twins" in sys.argv:
        sys.exit(measure_twins())
    if "--doubling" in sys.argv:
        sys.exit(measure_doubling())
    if "--only" not in sys.argv:
        sys.argv += ["--only", "rows"]
    sys.exit(cpu.main())
