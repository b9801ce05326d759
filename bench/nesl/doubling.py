# SPDX-License-Identifier: Apache-2.0
"""Does twice the input take twice the time and memory?  `run.py --doubling [--times N] [--svg FILE] [--busy] [ROW…]`.

Every row whose input has a size runs with an eighth, a quarter, a half and all of it, or of N times as much, on one thread.
Time is the least of some runs, without reading the input; memory is the most that the process had beyond what it has for a tiny
input.  On a machine that others use, `--busy` takes what the processor worked instead.
"""

import os
import re
import resource
import subprocess
import tempfile

import plot

SHARES = (8, 4, 2, 1)
# Of most rows the numbers in the ten thousands are sizes, or grow with them; bounds of random values do no harm.
SIZES = re.compile(r"(?<![\d.])\d{5,}(?![\d.])")


def scaled(row, divisor):
    if row.program == "mandelbrot":
        return [f"i64={max(1, int(int(row.inputs[0][4:]) / divisor))}", *row.inputs[1:]]
    return [SIZES.sub(lambda m: str(max(64, int(int(m.group()) / divisor))), spec) for spec in row.inputs]


def elements(row, times):
    if row.program == "mandelbrot":
        return times * int(row.inputs[0][4:]) * int(row.inputs[1][4:])
    return times * max(int(m.group()) for spec in row.inputs for m in SIZES.finditer(spec.partition(":")[2].split(":")[0] or spec))


def largest_size(command, data):
    """The largest size in MB of a process."""
    with open(data, "rb") as stdin:
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise RuntimeError("the program failed")
    return usage.ru_maxrss / 1024


class Doubling:
    def __init__(self, skald, data_program, program, runs, times, on_busy_machine):
        self.skald, self.data_program, self.program, self.runs, self.times = skald, data_program, program, runs, times
        self.on_busy_machine = on_busy_machine

    def processor_time(self, command, data):
        """Seconds of one run: what more runs take more."""
        totals = []
        for runs in (1, 6):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            largest_size([*command, "-r", str(runs)], data)
            totals.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        return max(1e-4, totals[1] - totals[0]) / 5

    def one(self, row, divisor, folder):
        data, times = os.path.join(folder, "input"), os.path.join(folder, "times")
        subprocess.run([self.data_program, "make", data, *scaled(row, divisor)], check=True)
        command = [self.skald, "run", "-e", "main", "-b", "-n", "--num-threads", "1", self.program(row)]
        if self.on_busy_machine:
            size = largest_size([*command, "-r", "2"], data)
            return self.processor_time(command, data), size
        size = largest_size([*command, "-t", times, "-r", str(self.runs)], data)
        with open(times) as file:
            return min(float(line) for line in file) / 1e6, size

    def row(self, row):
        with tempfile.TemporaryDirectory() as folder:
            self.one(row, 10**5, folder)  # from the cache from here on
            _, base = self.one(row, 10**5, folder)
            points = [self.one(row, share / self.times, folder) for share in SHARES]
        return [(seconds * 1000, max(0.1, size - base)) for seconds, size in points]


def table(rows, doubling, svg):
    print(f"{'row':<20}{'ms for 1/8, 1/4, 1/2, 1':>36}{'each time':>20}{'MB':>30}{'each time':>20}")
    results = []
    for row in rows:
        if scaled(row, 2) == row.inputs:
            continue
        try:
            points = doubling.row(row)
        except (RuntimeError, subprocess.CalledProcessError) as problem:
            print(f"{row.name:<20}  {problem}")
            continue
        line = f"{row.name:<20}"
        for k, width in ((0, 9), (1, 8)):
            values = [point[k] for point in points]
            factors = [b / a for a, b in zip(values, values[1:])]
            line += "  " + "".join(f"{v:>{width}.1f}" for v in values) + "  " + "".join(f"{f:>6.2f}" for f in factors)
        print(line, flush=True)
        results.append((row.name, elements(row, doubling.times), points))
        if svg:
            with open(svg, "w") as file:
                file.write(plot.svg(results, SHARES))
