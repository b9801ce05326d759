# SPDX-License-Identifier: Apache-2.0
"""Does twice the input take twice the time and memory?  `run.py --doubling [--times N] [ROW…]`.

Every row whose input has a size runs with an eighth, a quarter, a half and all of it, or of N times as much, on one thread.
Time is what the processor worked, so that others on the machine disturb less; memory is the most that the process had beyond
what it has for a tiny input.
"""

import os
import re
import subprocess
import tempfile

SHARES = (8, 4, 2, 1)


def scaled(inputs, divisor):
    """Numbers in the ten thousands are sizes, or grow with them; bounds of random values do no harm."""
    return [re.sub(r"(?<![\d.])\d{5,}(?![\d.])", lambda m: str(max(64, int(int(m.group()) / divisor))), spec) for spec in inputs]


def used(command, data):
    """Processor seconds and the largest size in MB of a process."""
    with open(data, "rb") as stdin:
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise RuntimeError("the program failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Doubling:
    def __init__(self, skald, data_program, program, runs, times):
        self.skald, self.data_program, self.program, self.runs, self.times = skald, data_program, program, runs, times

    def one(self, row, divisor, folder):
        data = os.path.join(folder, "input")
        subprocess.run([self.data_program, "make", data, *scaled(row.inputs, divisor)], check=True)
        command = [self.skald, "run", "-e", "main", "-b", "-n", "--num-threads", "1"]
        once, more = [*command, "-r", "1"], [*command, "-r", str(1 + self.runs)]
        path = self.program(row)
        # From the cache from here on.
        used([*once, path], data)
        start, _ = used([*once, path], data)
        end, size = used([*more, path], data)
        return max(1e-4, (end - start) / self.runs), size

    def row(self, row):
        with tempfile.TemporaryDirectory() as folder:
            _, base = self.one(row, 10**5, folder)
            points = [self.one(row, share / self.times, folder) for share in SHARES]
        return [(seconds * 1000, max(0.1, size - base)) for seconds, size in points]


def table(rows, doubling):
    print(f"{'row':<20}{'ms for 1/8, 1/4, 1/2, 1':>36}{'each time':>20}{'MB':>30}{'each time':>20}")
    for row in rows:
        if scaled(row.inputs, 2) == row.inputs:
            continue
        try:
            points = doubling.row(row)
        except RuntimeError as problem:
            print(f"{row.name:<20}  {problem}")
            continue
        line = f"{row.name:<20}"
        for k, width in ((0, 9), (1, 8)):
            values = [point[k] for point in points]
            factors = [b / a for a, b in zip(values, values[1:])]
            line += "  " + "".join(f"{v:>{width}.1f}" for v in values) + "  " + "".join(f"{f:>6.2f}" for f in factors)
        print(line, flush=True)
