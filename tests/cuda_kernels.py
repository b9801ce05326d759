#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every CUDA kernel of our programs is accepted by NVRTC, where that is found; it needs no GPU.  It does not optimise them, which takes most of its time.

  cuda_kernels.py --skald PROGRAM [--jobs N] PATH…

Exit code 77 if there is no NVRTC.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
SECONDS = 300


def compile_kernels(skald, program):
    """What went wrong; None if nothing did."""
    try:
        done = subprocess.run([skald, "dump", "-w", "--emit=ptx", program], capture_output=True, text=True, timeout=SECONDS,
                              env=os.environ | {"SKALD_NVRTC_OPTIONS": "--device-debug"})
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} seconds"
    return done.stderr[:2000] if done.returncode != 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skald", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    args = parser.parse_args()
    paths = [pathlib.Path(path) for path in args.paths]
    programs = sorted(str(file) for path in paths for file in ([path] if path.is_file() else path.rglob("*.fut")))
    first = compile_kernels(args.skald, programs[0])
    if first is not None and "NVRTC" in first:
        print(first)
        return SKIPPED
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for program, problem in zip(programs, pool.map(lambda each: compile_kernels(args.skald, each), programs)):
            if problem is not None:
                failed += 1
                print(f"FAILED {program}\n{problem}")
    print(f"{len(programs)} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
