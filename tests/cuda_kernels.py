#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every CUDA kernel of our programs is accepted by NVRTC, where that is found; it needs no GPU.  It does not optimise them, which takes most of its time.

  cuda_kernels.py --skald PROGRAM [--jobs N] PATH…

No program is started after the time SKALD_TEST_UNTIL (seconds since 1970), if that is set; then they come in random order.
Exit code 77 if there is no NVRTC.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import time

SKIPPED = 77
SECONDS = 300
LEFT_OUT = "left out"


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
    until = float(os.environ.get("SKALD_TEST_UNTIL") or "inf")
    if until != float("inf"):
        random.shuffle(programs)

    def compile_in_time(program):
        return LEFT_OUT if time.time() > until else compile_kernels(args.skald, program)

    failed = left_out = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for program, problem in zip(programs, pool.map(compile_in_time, programs)):
            if problem is LEFT_OUT:
                left_out += 1
            elif problem is not None:
                failed += 1
                print(f"FAILED {program}\n{problem}")
    if left_out:
        print(f"{left_out} of {len(programs)} programs left out: the time for starting them was over")
    print(f"{len(programs) - left_out} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
