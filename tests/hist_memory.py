#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Histograms on a device say how much memory they take beside their result (`--explain=hist`), and that is at most 64 MiB, or twice the input."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = r"""
def mix (x: u32) = let x = (x ^ (x >> 16)) * 0x7feb352d in x ^ (x >> 15)
def keys (n: i64) (h: i64) : [n]i32 = opaque (tabulate n (\i -> i32.i64 (i64.u32 (mix (u32.i64 i)) % h)))
entry add (n: i64) (h: i64) = i32.sum (hist (+) 0 h (map i64.i32 (keys n h)) (map (\k -> 1 + (k & 3)) (keys n h)))
entry saturating (n: i64) (h: i64) =
  i32.sum (hist (\a b -> i32.min (a + b) 0xffffff) 0 h (map i64.i32 (keys n h)) (map (\k -> 1 + (k & 3)) (keys n h)))
entry products (n: i64) (h: i64) = i32.sum (hist (*) 1 h (map i64.i32 (keys n h)) (map (\k -> 1 + (k & 2)) (keys n h)))
entry argmax (n: i64) (h: i64) =
  let larger (i: i32, x: i32) (j: i32, y: i32) = if x > y || (x == y && i < j) then (i, x) else (j, y)
  let ks = keys n h
  in hist larger (i32.highest, i32.lowest) h (map i64.i32 ks) (map2 (\k i -> (i32.i64 i, i32.u32 (mix (u32.i32 k + u32.i64 i) >> 8))) ks (iota n))
     |> map (.0) |> i32.sum
entry computed (n: i64) (h: i64) =
  i32.sum (hist (*) 1 h (map (\i -> i64.u32 (mix (u32.i64 i)) % h) (iota n)) (map (\i -> 1 + i32.i64 (i & 2)) (iota n)))
entry quadruples (n: i64) (h: i64) =
  let more (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, i: i32) = if a > e then (a, b + f, c, d) else (e, b + f, g, i)
  let ks = keys n h
  in hist more (i32.lowest, 0, 0, 0) h (map i64.i32 ks) (map2 (\k i -> (i32.u32 (mix (u32.i64 i) >> 8), 1, i32.i64 i, k)) ks (iota n))
     |> map (.1) |> i32.sum
"""
# What a point of an operator reads.
KEY_BYTES = {"computed": 0}
USUAL_KEY_BYTES = 4
LEAST = 64 << 20


def extra_bytes(said):
    """Of the ways that were taken: names and bytes."""
    for way, names, numbers in re.findall(r"hist: \S+: (gpu/\S+) \(([^)]*)\): \[([^\]]*)\]", said):
        values = dict(zip(names.split(", "), (int(x) for x in re.findall(r"(-?\d+)i64", numbers))))
        yield way, values.get("extra bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", default="opencl")
    parser.add_argument("--points", type=int, default=12_000_000, help="fewer would need less than the least bound")
    parser.add_argument("--bins", default="1000000")
    parser.add_argument("--operators", default="products,argmax,quadruples,computed")
    args = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "x.fut"), "w") as out:
            out.write(PROGRAM)
        for operator in args.operators.split(","):
            most = max(LEAST, 2 * KEY_BYTES.get(operator, USUAL_KEY_BYTES) * args.points)
            for bins in args.bins.split(","):
                done = subprocess.run([os.path.abspath(args.skald), "run", f"--backend={args.backend}", "--explain=hist", "-e", operator, "x.fut"], cwd=folder,
                                      input=f"{args.points} {bins}", capture_output=True, text=True, timeout=300)
                if "there is no OpenCL" in done.stderr or "OpenCL platforms of this machine" in done.stderr:
                    print(done.stderr)
                    sys.exit(77)
                taken = list(extra_bytes(done.stdout + done.stderr))
                fine = done.returncode == 0 and taken and all(extra is not None and extra <= most for _, extra in taken)
                print(f"{operator:<12}{bins:>9}  " + ", ".join(f"{way} {extra}" for way, extra in taken) + ("" if fine else f"  FAILS: at most {most}"))
                if not fine:
                    failures += 1
                    print(done.stderr[-1000:])
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
