#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times derivatives against what they are derivatives of, and against Futhark, JAX and PyTorch where they are found.

    bench/ad/run.py --skald build/release/skald [ROW…] [--runs 10] [--backend cpu] [--futhark PATH] [--python PATH]

Every row is a program of programs/ with the entry points `primal`, `forward` (jvp) and `reverse` (vjp).  Sides run in turns on the same input; times are
the shortest of all runs inside processes that have the input, in milliseconds.  --python is an interpreter with jax or torch (peers.py).  Results of
Futhark's entry points are compared with ours within a tolerance of one part in a thousand.
"""

import argparse
import array
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"f32": "f", "f64": "d", "i64": "q"}

# Name, program, inputs: type, shape; f64[5] has numbers from 0 to 1, i64<8[5] whole numbers below 8, f32~0.1[5] numbers from
# -0.1 to 0.1.  (With weights from 0 to 1 all gates of the network would be open or shut, and its derivatives denormal numbers.)
ROWS = [
    ("gmm", "gmm", ["f64[1000][32]", "f64[25]", "f64[25][32]", "f64[25][32]", "f64[25][32][32]"]),
    ("bundle", "bundle", ["f64[49][11]", "f64[7776][3]", "f64[31843]", "i64<49[31843][2]", "f64[31843][2]"]),
    ("hand", "hand", ["f64[22][3]", "f64[20000][4]", "f64[20000][22]", "f64[20000][3]"]),
    ("lstm", "lstm", ["f32[20][64][96]", "f32~0.1[4][128][96]", "f32~0.1[4][128][128]", "f32~0.1[4][128]"]),
    ("kmeans", "kmeans", ["f64[50000][16]", "f64[20][16]"]),
    ("lookup", "lookup", ["f64[50000]", "i64<8[50000][16]", "f64[4096]", "f64[4096][5]", "f64[16]"]),
    ("poles", "poles", ["f64[20000]", "f64[100][4]"]),
    ("dense", "dense", ["f32[512][512]", "f32[512][512]"]),
    ("sparse", "sparse", ["i64<100000[100000][16]", "f64[100000][16]", "f64[100000]"]),
    ("stencil", "stencil", ["f32[1024][1024]", "f32[2]"]),
]
ENTRIES = ("primal", "forward", "reverse")


def make(spec, seed):
    head, *dims = spec.replace("]", "").split("[")
    kind, _, below = head.partition("<")
    kind, _, most = kind.partition("~")
    shape = [int(d) for d in dims]
    numbers = random.Random(seed)
    count = math.prod(shape)
    draw = numbers.random
    if below:
        draw = lambda: numbers.randrange(int(below))
    elif most:
        draw = lambda: numbers.uniform(-float(most), float(most))
    data = array.array(TYPES[kind], (draw() for _ in range(count)))
    return b"b\x02" + bytes([len(shape)]) + f" {kind}".encode() + b"".join(struct.pack("<q", d) for d in shape) + data.tobytes()


def results(data):
    """The numbers of all values in the binary format, as one list."""
    at, numbers = 0, []
    while data[at:].strip():
        at = data.index(b"b", at)
        rank, kind = data[at + 2], data[at + 3:at + 7].strip().decode()
        at += 7
        shape = struct.unpack_from(f"<{rank}q", data, at)
        at += 8 * rank
        values = array.array(TYPES[kind])
        size = math.prod(shape) * values.itemsize
        values.frombytes(data[at:at + size])
        numbers.extend(values)
        at += size
    return numbers


def close(a, b):
    scale = max((abs(x) for x in a), default=0) + 1e-30
    return len(a) == len(b) and all(abs(x - y) <= 1e-3 * scale for x, y in zip(a, b))


class Side:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder

    def run(self, command, data):
        with tempfile.NamedTemporaryFile("r") as times:
            done = subprocess.run([*command, "-t", times.name, "-r", str(self.args.runs), "-b"], input=data, capture_output=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.decode(errors="replace")[-300:])
            return min(float(x) for x in times.read().split()) / 1000, done.stdout


class Skald(Side):
    name = "skald"

    def entry(self, program, entry, data):
        path = HERE / "programs" / f"{program}.fut"
        return self.run([self.args.skald, "run", f"--backend={self.args.backend}", "-e", entry, path], data)


class Futhark(Side):
    name = "futhark"

    def entry(self, program, entry, data):
        binary = self.folder / program
        if not binary.exists():
            source = self.folder / f"{program}.fut"
            source.write_bytes((HERE / "programs" / f"{program}.fut").read_bytes())
            done = subprocess.run([self.args.futhark, "multicore", source, "-o", binary], capture_output=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.decode(errors="replace")[-300:])
        return self.run([binary, "-e", entry], data)


def measure(row, sides, args):
    name, program, inputs = row
    data = b"".join(make(spec, k) for k, spec in enumerate(inputs))
    best, outputs, problems = {}, {}, {}
    for turn in range(args.turns):
        for side in sides:
            for entry in ENTRIES:
                if (side.name, entry) in problems:
                    continue
                try:
                    time, out = side.entry(program, entry, data)
                except RuntimeError as problem:
                    problems[side.name, entry] = str(problem).strip().splitlines()[-1:] or ["failed"]
                    continue
                key = (side.name, entry)
                best[key] = min(best.get(key, math.inf), time)
                if turn == 0:
                    outputs[key] = out
        for key, time in peers(args, row).items():
            side, entry = key.split()
            best[side, entry] = min(best.get((side, entry), math.inf), time)
    for (side, entry), out in outputs.items():
        ours = outputs.get(("skald", entry))
        if side != "skald" and ours is not None and not close(results(ours), results(out)):
            problems[side, entry] = ["other results"]
    return best, problems


def peers(args, row):
    """Times of jax and torch, which peers.py prints as JSON."""
    if not args.python:
        return {}
    done = subprocess.run([args.python, HERE / "peers.py", row[0], json.dumps(row[2]), str(args.runs)], capture_output=True, text=True)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return {}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--skald", default="build/release/skald")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--futhark", default=os.environ.get("FUTHARK", ""))
    parser.add_argument("--python", default="")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    record, ratios = {}, {"forward": [], "reverse": [], "futhark": []}
    print(f"{'':8} {'primal':>9} {'jvp':>9} {'ratio':>6} {'vjp':>9} {'ratio':>6}   others' vjp (ms)")
    with tempfile.TemporaryDirectory() as folder:
        sides = [Skald(args, pathlib.Path(folder))] + ([Futhark(args, pathlib.Path(folder))] if args.futhark else [])
        for row in ROWS:
            if args.rows and not any(word in row[0] for word in args.rows):
                continue
            best, problems = measure(row, sides, args)
            times = [best.get(("skald", entry), math.nan) for entry in ENTRIES]
            line = f"{row[0]:8} {times[0]:9.3f} {times[1]:9.3f} {times[1] / times[0]:6.2f} {times[2]:9.3f} {times[2] / times[0]:6.2f}  "
            ratios["forward"].append(times[1] / times[0])
            ratios["reverse"].append(times[2] / times[0])
            other = {f"{side} {entry}": time for (side, entry), time in best.items() if side != "skald"}
            for key, time in other.items():
                if key.endswith("reverse"):
                    line += f" {key.split()[0]} {time:.3f}"
            if "futhark reverse" in other:
                ratios["futhark"].append(other["futhark reverse"] / times[2])
            print(line, flush=True)
            for (side, entry), problem in problems.items():
                print(f"         {side} {entry}: {problem[0]}")
            record[row[0]] = {"skald": dict(zip(ENTRIES, times)), "others": other}
    print(f"mean     {'':29} {mean(ratios['forward']):6.2f} {'':9} {mean(ratios['reverse']):6.2f}   futhark / skald {mean(ratios['futhark']):.2f}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
