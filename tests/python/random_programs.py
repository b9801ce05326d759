#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random NumPy programs, run by NumPy and by Skald and compared value by value and dtype by dtype.

A program is a list of lines.  `generate` writes it while NumPy runs it, so that shapes fit and most
lines do something.  `compare` runs the lines under both modules and looks at every variable after
every run; an exception must have the same type at the same line.  `shrink` takes lines away while the
difference stays.  One seed is one program: `random_programs.py --seed N --count 1` repeats it.

Values are small multiples of 1/4, so that sums and products are exact whatever their order.  Results
of functions that round are compared with a tolerance and never decide anything (masks, floors).
"""

import argparse
import contextlib
import random
import re
import resource
import sys
import time
import warnings

import numpy

import program_lines

# Elements of an array, and bytes that NumPy may need besides: lines that need more are left out.
LARGEST = 2**22
MOST_MEMORY = 2**31
LIMITS = {2: (4.0, 2.0**6), 4: (64.0, 2.0**14), 8: (1024.0, 2.0**22)}


class Environment:
    """What NumPy has computed of a program so far, for the writer of its next line."""

    def __init__(self):
        self.variables = {"np": numpy}
        self.rounded = set()  # ids of bases that hold results of rounding functions
        self.precision = {}  # bytes of the narrowest float that rounded on the way to a variable

    def arrays(self, exact=False):
        names = [n for n, v in self.variables.items() if isinstance(v, numpy.ndarray)]
        return [n for n in names if not exact or self.is_exact(n)]

    def base_of(self, name):
        value = self.variables[name]
        while isinstance(value.base, numpy.ndarray):
            value = value.base
        return id(value)

    def note_rounding(self, target, line, rounds):
        """Marks what a line assigned to, if it rounds or reads what was rounded."""
        if isinstance(self.variables.get(target), numpy.ndarray):
            read = [n for n in set(re.findall(r"\bv\d+\b", line)) & set(self.arrays()) if n != target]
            if rounds or any(self.base_of(n) in self.rounded for n in read):
                self.rounded.add(self.base_of(target))
                known = [self.precision[n] for n in [*read, target] if n in self.precision]
                self.precision[target] = min([float_bytes(self.variables[n].dtype) for n in [*read, target]] + known)

    def casts_well(self, target, line):
        """False if a float would become an integer that cannot hold it: what that gives depends on the machine."""
        names = re.findall(r"\bv\d+\b", line)
        changed = target if target in self.variables else names[0] if line.startswith("np.") and names else ""
        value = self.variables.get(changed)
        if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "iu":
            return True
        least = 0 if value.dtype.kind == "u" else -100
        for name in names:
            read = self.variables.get(name)
            if isinstance(read, numpy.ndarray) and read.dtype.kind in "fc":
                if not numpy.all(numpy.isfinite(read)) or numpy.any(read.real < least) or numpy.any(read.real > 100):
                    return False
        return "-1.25" not in line or least < 0

    def is_exact(self, name):
        return self.base_of(name) not in self.rounded and is_representable(self.variables[name])


def float_bytes(dtype):
    """Of a float, or of a part of a complex number; what is no float does not round."""
    return min(dtype.itemsize // (2 if dtype.kind == "c" else 1), 8) if dtype.kind in "fc" else 8


def is_representable(value):
    """True for bools, ints, and floats that are small multiples of a power of two."""
    if value.dtype.kind in "bui":
        return True
    if value.dtype.kind == "c":
        return is_representable(value.real) and is_representable(value.imag)
    unit, bound = LIMITS[min(value.dtype.itemsize, 8)]
    finite = value[numpy.isfinite(value)].astype(numpy.float64)
    return bool(numpy.all(numpy.abs(finite) < bound) and numpy.all(finite * unit == numpy.rint(finite * unit)))


def run_line(line, variables):
    """Executes one line; returns the exception's type, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with numpy.errstate(all="ignore"):
                exec(line, variables)
    except Exception as error:  # noqa: BLE001 - the type is what is compared
        return type(error)
    return None


@contextlib.contextmanager
def little_memory():
    """What needs much more memory than there is in use now raises MemoryError."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def generate(seed, length, scale):
    """The lines of one program, and the narrowest floats that rounded what its variables hold."""
    rng = random.Random(seed)
    environment = Environment()
    writer = program_lines.Writer(rng, environment, scale)
    lines = []
    while len(lines) < length:
        line, rounds = writer.next_line()
        if not environment.casts_well(writer.target_of(line), line):
            continue
        known = set(environment.variables)
        with little_memory():
            error = run_line(line, environment.variables)
        is_too_much = error is not None and issubclass(error, MemoryError)
        if is_too_much or (error is not None and rng.random() > 0.05):
            for name in set(environment.variables) - known:
                del environment.variables[name]
            continue
        made = environment.variables.get(writer.target_of(line))
        if isinstance(made, numpy.ndarray) and made.size > LARGEST:
            del environment.variables[writer.target_of(line)]
            continue
        environment.note_rounding(writer.target_of(line), line, rounds)
        lines.append(line)
    return lines, environment.precision


def as_plain(value):
    return numpy.asarray(value)


def tolerance(dtype, narrowest):
    return {2: 2e-2, 4: 2e-5, 8: 1e-10}[min(float_bytes(dtype), narrowest)]


def difference(name, expected, found, narrowest=8):
    """A sentence, or None if the two values agree as well as floats of so many bytes can."""
    plain = isinstance(expected, (bool, int, float, complex, str, tuple, list)) and not isinstance(expected, numpy.generic)
    if plain or expected is None:
        if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)) and len(expected) == len(found):
            for number, (one, other) in enumerate(zip(expected, found)):
                said = difference(f"{name}[{number}]", one, other)
                if said:
                    return said
            return None
        if isinstance(expected, float) and isinstance(found, (float, int)):
            if expected == found or abs(expected - found) <= 1e-9 * max(abs(expected), 1.0) or (
                    expected != expected and found != found):
                return None
        if isinstance(expected, complex) and isinstance(found, complex):
            return difference(name, numpy.array(expected), numpy.array(found))
        return None if expected == found else f"{name} is {found!r} and should be {expected!r}"
    expected, found = numpy.asarray(expected), as_plain(found)
    if expected.dtype != found.dtype:
        return f"{name} has dtype {found.dtype} and should have {expected.dtype}"
    if expected.shape != found.shape:
        return f"{name} has shape {found.shape} and should have {expected.shape}"
    if expected.dtype.kind in "biuSUO":
        same = numpy.array_equal(expected, found)
    else:
        with numpy.errstate(all="ignore"):
            close = tolerance(expected.dtype, narrowest)
            scale = float(numpy.max(numpy.abs(expected[numpy.isfinite(expected)]), initial=0.0))
            same = numpy.allclose(expected, found, rtol=close, atol=close * min(max(scale, 1.0), 1e300), equal_nan=True)
    if same:
        return None
    wrong = numpy.flatnonzero(~numpy.isclose(expected, found, equal_nan=True)) if expected.dtype.kind != "S" else []
    where = int(wrong[0]) if len(wrong) else 0
    return f"{name}.flat[{where}] is {found.flat[where]!r} and should be {expected.flat[where]!r} ({len(wrong)} differ)"


def skald_line(line, variables):
    import skald
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with skald.errstate(all="ignore"):
                exec(line, variables)
    except Exception as error:  # noqa: BLE001
        return type(error)
    return None


def compare(lines, repeats=1, precision=None):
    """None if both modules agree, a sentence if not; "invalid" if NumPy misses a name."""
    import skald
    expected, found = {"np": numpy}, {"np": skald}
    for _ in range(repeats):
        for number, line in enumerate(lines):
            theirs = run_line(line, expected)
            if theirs is NameError:
                return "invalid"
            ours = skald_line(line, found)
            if ours is not theirs and not (ours and theirs and issubclass(ours, theirs)):
                return (f"line {number + 1} raises {ours.__name__ if ours else 'nothing'} "
                        f"and should raise {theirs.__name__ if theirs else 'nothing'}")
        for name in sorted(n for n in expected if n.startswith("v")):
            said = difference(name, expected[name], found.get(name), (precision or {}).get(name, 8))
            if said:
                return said
    return None


def shrink(lines, repeats, precision):
    """The shortest list of lines found that still differs."""
    changed = True
    while changed:
        changed = False
        for width in (len(lines) // 2, 4, 2, 1):
            position = 0
            while width and position < len(lines):
                fewer = lines[:position] + lines[position + width:]
                said = compare(fewer, repeats, precision) if fewer else None
                if said and said != "invalid":
                    lines, changed = fewer, True
                else:
                    position += width
    return lines


def report(seed, lines, repeats, precision, said):
    print(f"seed {seed}: {said}")
    small = shrink(lines, repeats, precision)
    print(f"smallest program found ({len(small)} of {len(lines)} lines, run {repeats} times): {compare(small, repeats, precision)}")
    for line in small:
        print("    " + line)
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--minutes", type=float, help="go on for so long, instead of --count")
    parser.add_argument("--length", type=int, default=24, help="lines of one program")
    parser.add_argument("--scale", type=int, default=1, help="factor of the sizes of arrays")
    parser.add_argument("--show", action="store_true", help="print programs instead of comparing")
    parser.add_argument("--verbose", action="store_true", help="print each seed before its program runs")
    parser.add_argument("--stop-after", type=int, default=5, help="differences before giving up")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    started, seed, differences = time.monotonic(), options.seed, 0
    while differences < options.stop_after:
        if options.minutes is None and seed >= options.seed + options.count:
            break
        if options.minutes is not None and time.monotonic() - started > options.minutes * 60:
            break
        if options.verbose:
            print(f"seed {seed}", flush=True)
        lines, precision = generate(seed, options.length, options.scale)
        repeats = 1 + seed % 3
        if options.show:
            print(f"# seed {seed}, {repeats} times", *lines, sep="\n")
        else:
            said = compare(lines, repeats, precision)
            if said:
                differences += 1
                report(seed, lines, repeats, precision, said)
        seed += 1
    print(f"{seed - options.seed} programs, {differences} differences, {time.monotonic() - started:.1f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
