#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times nests in their versions on a device and prints a table; the best of ten runs, without start, compilation and transfer of arguments.

    bench/gpu/nests.py --skald build/gpu/skald [--backend cuda] [--small] [--only NAME…]

Nests are timed in each of their versions (chosen by tuning parameters) and as the program chooses by itself.
"""

import argparse
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NEVER, ALWAYS = 1 << 50, 1

NESTS = [(entry, shape) for entry in ("softmax", "scans", "rounds", "bins")
         for shape in ((200000, 32), (40000, 256), (4000, 1024), (400, 4096), (8, 4096), (20, 200000))]
FLAT = [("twice", "f32", [(50000000,)]), ("sum", "f32", [(50000000,)]), ("prefix", "i32", [(50000000,)]), ("keep", "i32", [(50000000,)]),
        ("compact", "i32", [(50000000,)]), ("hist_small", "i32", [(50000000,)]), ("hist_large", "i32", [(50000000,)]),
        ("flipped", "f32", [(7000, 7000)]), ("row_sums", "f32", [(7000, 7000)]), ("column_sums", "f32", [(7000, 7000)]),
        ("matmul", "f32", [(1000, 1000), (1000, 1000)])]


def value(elem, shape):
    count = 1
    for dim in shape:
        count *= dim
    head = b"b\x02" + bytes([len(shape)]) + elem.rjust(4).encode() + b"".join(struct.pack("<q", dim) for dim in shape)
    if elem == "i32":
        piece = os.urandom(4 << 16)
    else:
        piece = b"".join(struct.pack("<f", (k * 37 % 101) / 64) for k in range(1 << 16))
    return head + (piece * (count * 4 // len(piece) + 1))[: count * 4]


def best(args, program, entry, data, params=()):
    command = [args.skald, "run", f"--backend={args.backend}", "-n", "-r", "10", "-t", "/dev/stdout", "-e", entry]
    for name, number in params:
        command += ["--param", f"{name}={number}"]
    try:
        done = subprocess.run(command + [os.path.join(HERE, "programs", program)], input=data, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "time"
    times = [int(line) for line in done.stdout.split() if line.isdigit()]
    if done.returncode != 0 or not times:
        print(f"{entry}: {done.stderr.decode(errors='replace')[-300:]}", file=sys.stderr)
        return "FAILED"
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", default="opencl")
    parser.add_argument("--small", action="store_true", help="a hundredth of the data, to try the script itself")
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    shrink = 100 if args.small else 1
    print(f"{'µs':12} {'size':>14} {'auto':>9} {'outer':>9} {'group':>9} {'flat':>9}")
    for entry, (n, m) in NESTS:
        if args.only and entry not in args.only:
            continue
        data = value("i32" if entry == "bins" else "f32", (max(n // shrink, 1), m))
        outer, intra = f"{entry}.suff_outer_par_0", f"{entry}.suff_intra_par_0"
        times = [best(args, "nests.fut", entry, data, params)
                 for params in ((), [(outer, ALWAYS)], [(outer, NEVER), (intra, ALWAYS)], [(outer, NEVER), (intra, NEVER)])]
        print(f"{entry:12} {f'{n // shrink}x{m}':>14} " + " ".join(f"{t:>9}" for t in times), flush=True)
    print(f"{'µs':12} {'size':>14} {'auto':>9} {'GB/s or GFLOP/s':>16}")
    for entry, elem, shapes in FLAT:
        if args.only and entry not in args.only:
            continue
        shapes = [(max(shape[0] // shrink, 1),) + shape[1:] for shape in shapes]
        if entry == "matmul" and args.small:
            shapes = [(10, 10), (10, 10)]
        took = best(args, "flat.fut", entry, b"".join(value(elem, shape) for shape in shapes))
        rate = ""
        if isinstance(took, int) and took > 0:
            count = shapes[0][0] * (shapes[0][1] if len(shapes[0]) > 1 else 1)
            moved = 2 * 4 if entry in ("twice", "prefix", "compact", "flipped") else 4
            rate = f"{2 * shapes[0][0] * shapes[0][1] * shapes[1][1] / took / 1000:.0f}" if entry == "matmul" else f"{count * moved / took / 1000:.0f}"
        print(f"{entry:12} {'x'.join(map(str, shapes[0])):>14} {took:>9} {rate:>16}", flush=True)


if __name__ == "__main__":
    main()
