#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Skald with Futhark on a folder of Futhark programs that have test blocks with inputs.

    bench/public.py FOLDER --skald build/release/skald --futhark futhark [--backend multicore] [--filter TEXT]

Takes every case with values in the program, in a file that exists (also a packed one), or made at random (our own
numbers; both sides get the same).  Prints one line per case, above 1 Skald is faster, and the geometric mean over the cases that take
at least `--least` microseconds on some side.  `--backend=cuda` and `--backend=opencl` compare the devices.
Results are not compared here: `skald test` does that.
"""

import argparse
import collections
import gzip
import hashlib
import itertools
import json
import math
import os
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile

FORMATS = {"bool": "?", **{f"{kind}{bits}": code for kind, codes in (("i", "bhiq"), ("u", "BHIQ"))
                           for bits, code in zip((8, 16, 32, 64), codes)}, "f32": "f", "f64": "d"}


# ---- Test blocks --------------------------------------------------------------------------------------------------

def blocks(text):
    """The test blocks of a program: lines of comment after a line `-- ==`."""
    found, current = [], None
    for line in text.splitlines():
        stripped = line.strip()
        if re.fullmatch(r"--\s*==\s*", stripped):
            current = []
            found.append(current)
        elif current is not None and stripped.startswith("--"):
            current.append(stripped[2:])
        else:
            current = None
    return ["\n".join(lines) for lines in found]


def braces(text, at):
    """The text between the brace at `at` and the one that closes it."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1:end]
    return None


CASE = re.compile(r"((?:^|\n)[^\n{}]*?)\b(?:(random|script)\s+)?input\s*(@\s*\S+|\{)")


def cases(program):
    """(entry, kind, text of the input) for every case of a program that can be run here."""
    for block in blocks(program.read_text(errors="replace")):
        entries = re.search(r"entry:\s*([^\n]*)", block)
        for case in CASE.finditer(block):
            if "nobench" in case[1] or "notest" in case[1] or case[2] == "script":
                continue
            if case[3].startswith("@"):
                data = program.parent / case[3][1:].strip()
                if not data.is_file():
                    continue
                kind, text = "file", str(data)
            else:
                kind, text = case[2] or "values", braces(block, case.end() - 1)
            if text is None:
                continue
            for entry in (entries[1].split() if entries else ["main"]):
                yield entry, kind, text


def random_values(text, most):
    """Values of the types in `text`, such as `[10][20]f32 100i64`, in the binary format; arrays of at most `most` elements."""
    rng = random.Random(hashlib.sha256(text.encode()).digest())
    out = bytearray()
    for token in text.split():
        constant = re.fullmatch(r"(-?[0-9][0-9_.]*)([a-z]+[0-9]*)?", token)
        typed = re.fullmatch(r"((?:\[[0-9_]+(?:i64)?\])*)([a-z]+[0-9]*)", token)
        if constant:
            name = constant[2] or ("f64" if "." in constant[1] else "i32")
            dims, values = [], [float(constant[1]) if name[0] == "f" else int(constant[1].replace("_", ""))]
        elif typed and typed[2] in FORMATS:
            name = typed[2]
            dims = [int(d.replace("_", "")) for d in re.findall(r"\[([0-9_]+)", typed[1])]
            count = math.prod(dims)
            if count > most:
                return None
            if name[0] == "f":
                # The same million numbers again and again, for the sake of time.
                some = [rng.random() for _ in range(min(count, 1_000_000))]
                values = (some * (count // len(some) + 1))[:count] if some else []
            elif name == "bool":
                values = [rng.random() < 0.5 for _ in range(count)]
            else:
                values = rng.randbytes(count * int(name[1:]) // 8)
        else:
            return None
        out += b"b\x02" + struct.pack("B", len(dims)) + name.rjust(4).encode() + struct.pack(f"<{len(dims)}q", *dims)
        out += values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{FORMATS[name]}", *values)
    return bytes(out)


# ---- Sides --------------------------------------------------------------------------------------------------------

def compiled(options, program, folder):
    """Futhark's executable, compiled once for each version of the program; None if that fails."""
    key = hashlib.sha256(program.read_bytes() + str(program).encode()).hexdigest()[:12]
    binary = folder / f"{program.stem}-{options.backend}-{key}"
    if not binary.exists():
        environment = {**os.environ, "CFLAGS": os.environ.get("CFLAGS", "-O3 -march=native -std=gnu11")}
        try:
            subprocess.run([options.futhark, options.backend, str(program), "-o", str(binary)], env=environment,
                           capture_output=True, timeout=600, check=False)
        except subprocess.TimeoutExpired:
            return None
    return binary if binary.exists() else None


def microseconds(command, data, options):
    with tempfile.NamedTemporaryFile("r") as times, open(data, "rb") as stdin:
        if options.threads:
            command = [*command, "--num-threads", str(options.threads)]
        try:
            done = subprocess.run([*command, "-b", "-r", str(options.runs), "-t", times.name], stdin=stdin,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=options.limit)
        except subprocess.TimeoutExpired:
            return f"more than {options.limit} s"
        if done.returncode != 0:
            return (done.stderr.decode(errors="replace").strip().splitlines() or ["failed"])[0]
        runs = [float(line) for line in times.read().split()]
        return (min if options.statistic == "min" else statistics.median)(runs)


def better(before, now):
    """The lesser of two times; a failure counts more than any."""
    return now if before is None or isinstance(now, str) else before if isinstance(before, str) else min(before, now)


def last_of_each_entry(found, count):
    """The last `count` cases of each entry point, which are most often the largest ones."""
    seen, kept = collections.Counter(), []
    for number, case in reversed(found):
        seen[case[0]] += 1
        if seen[case[0]] <= count:
            kept.append((number, case))
    return reversed(kept)


def measure(options, program, folder):
    theirs = None
    for number, (entry, kind, text) in last_of_each_entry(list(enumerate(cases(program))), options.last):
        if next(options.turn) % options.parts != options.part:
            continue
        name = f"{program.relative_to(options.folder)}:{entry} #{number}"
        if kind == "file" and not text.endswith(".gz"):
            data = pathlib.Path(text)
        else:
            values = (gzip.decompress(pathlib.Path(text).read_bytes()) if kind == "file" else
                      random_values(text, options.most) if kind == "random" else text.encode())
            if values is None:
                continue
            data = folder / f"input-{options.part}"
            data.write_bytes(values)
        theirs = theirs or compiled(options, program, folder)
        if theirs is None:
            print(f"{program}: Futhark does not compile it", file=sys.stderr)
            return
        row = {"case": name}
        row["skald"] = row["futhark"] = None
        for _ in range(options.turns):
            for side, command in (("skald", [options.skald, "run", f"--backend={options.ours}", str(program)]), ("futhark", [str(theirs)])):
                row[side] = better(row[side], microseconds([*command, "-e", entry], data, options))
        if all(isinstance(row[side], float) for side in ("skald", "futhark")):
            row["ratio"] = max(row["futhark"], 0.5) / max(row["skald"], 0.5)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--futhark", required=True)
    parser.add_argument("--backend", default="multicore")
    parser.add_argument("--filter", default="")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--least", type=float, default=200, help="shorter cases are not in the mean (microseconds)")
    parser.add_argument("--most", type=int, default=40_000_000, help="leave out random arrays of more elements")
    parser.add_argument("--limit", type=float, default=60, help="seconds for all runs of a case")
    parser.add_argument("--threads", type=int, help="how many threads both sides take")
    parser.add_argument("--part", default="0/1", help="K/N: only every N-th case, from the K-th on, to run several at once")
    parser.add_argument("--last", type=int, default=sys.maxsize, help="only so many cases of each entry point, the last ones")
    parser.add_argument("--turns", type=int, default=1, help="run one side after the other so often; the best of each counts")
    parser.add_argument("--statistic", choices=("median", "min"), default="median")
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("build/bench-public"))
    parser.add_argument("--json")
    options = parser.parse_args()
    options.part, options.parts = map(int, options.part.split("/"))
    options.turn = itertools.count()
    options.ours = options.backend if options.backend in ("cuda", "opencl") else "cpu"
    options.build_dir.mkdir(parents=True, exist_ok=True)

    rows = []
    for program in sorted(options.folder.rglob("*.fut")):
        if options.filter not in str(program) or "lib" in program.relative_to(options.folder).parts:
            continue
        for row in measure(options, program, options.build_dir.resolve()):
            if "ratio" in row and max(row["skald"], row["futhark"]) < options.least:
                continue
            rows.append(row)
            shown = [f"{row[s]:>12.0f}" if isinstance(row[s], float) else f"{row[s][:60]:>12}" for s in ("skald", "futhark")]
            print(f"{row['case'][:64]:64} {shown[0]} {shown[1]} {row.get('ratio', float('nan')):8.2f}", flush=True)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} cases, geometric mean {mean:.2f}, below 0.95: {sum(r < 0.95 for r in ratios)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
