#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrays of more than 2³¹ elements on the cpu: numbers of 32 bits are too small for their indices.  With --backend=cuda, what needs no such arrays:
histograms of as many points, and more than 2³² updates of one bin.

Each entry point needs up to 4 GiB. Where there is less than 8 GiB, nothing is run; that is printed, and the exit code is 77.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NEEDED = 8 << 30
N = 2**31 + 5
PROGRAM = r"""
def bytes (n: i64) : [n]u8 = opaque (map u8.i64 (iota n))
entry index (n: i64) = let xs = bytes n in (xs[n - 1], xs[2147483648i64], i64.sum (map (\x -> i64.u8 x) xs))
entry scans (n: i64) = let xs = opaque (scan (+) 0 (replicate n 1i8)) in (xs[n - 1], xs[n - 5], xs[2147483647])
entry filters (n: i64) =
  let xs = filter (\x -> x != 7) (bytes n)
  let m = length xs
  in (m, xs[m - 1], xs[m - 9])
entry bins (n: i64) =
  let xs = reduce_by_index (replicate n 1u8) (+) 0 (map (\i -> n - 1 - i * 7) (iota 1000000)) (replicate 1000000 2u8)
  in (xs[n - 1], xs[n - 2], xs[n - 8])
entry points (n: i64) = hist (+) 0i64 4 (map (\i -> i & 3) (iota n)) (replicate n 1)
entry updates (n: i64) = hist (+) 0i64 1 (map (const 0) (iota (2 * n))) (replicate (2 * n) 1)
entry scatters (n: i64) =
  let xs = scatter (opaque (replicate n 0u8)) (map (\i -> n - 1 - i * 1000000) (iota 2000)) (map u8.i64 (iota 2000))
  in (xs[n - 1], xs[n - 1 - 1000000], xs[n - 1 - 1999 * 1000000])
entry beyond (n: i64) = let xs = bytes n in map (\i -> xs[i + n]) (iota 3)
"""


WITHOUT_ARRAYS = ("points", "updates")


def i8(x):
    return (x + 128) % 256 - 128


def expected():
    kept = [i % 256 for i in range(N - 40, N) if i % 256 != 7]
    return {
        "index": [(N - 1) % 256, 0, sum(range(256)) * (N // 256) + sum(range(N % 256))],
        "scans": [i8(N), i8(N - 4), i8(2**31)],
        "filters": [N - ((N - 8) // 256 + 1), kept[-1], kept[-9]],
        "bins": [3, 1, 3],
        "points": [(N + 3 - k) // 4 for k in range(4)],
        # More than 2³² of one bin.
        "updates": [2 * N],
        "scatters": [0, 1, 1999 % 256],
        "beyond": f"Index [{N}] out of bounds for array of shape [{N}]",
    }


def available():
    text = pathlib.Path("/proc/meminfo").read_text()
    return int(re.search(r"MemAvailable:\s*(\d+) kB", text)[1]) << 10


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--backend", default="cpu")
    args = parser.parse_args()
    skald, on_cpu = os.path.abspath(args.skald), args.backend == "cpu"
    if on_cpu and available() < NEEDED:
        print(f"skipped: {available() >> 30} GiB of memory are left, {NEEDED >> 30} are needed")
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "large.fut").write_text(PROGRAM)
        for entry, wanted in expected().items():
            if not on_cpu and entry not in WITHOUT_ARRAYS:
                continue
            done = subprocess.run([skald, "run", f"--backend={args.backend}", "--no-cache", "-e", entry, "large.fut"], cwd=folder,
                                  input=str(N), capture_output=True, text=True, timeout=300)
            if isinstance(wanted, str):
                fine = done.returncode == 2 and wanted in done.stderr and done.stdout == ""
            else:
                fine = [int(x) for x in re.findall(r"(-?\d+)[iu]\d+", done.stdout)] == wanted
            if not fine:
                failures += 1
                print(f"{entry}: expected {wanted}, exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
