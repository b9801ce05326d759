#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times programs on a GPU through libskald and prints a table: median of a call with its launches; arrays stay on the device.

    bench/gpu/run.py --build build/gpu [--backend cuda] [--runs 11] [--seconds 2] [--small] [--json FILE] [--markdown FILE] [--html FILE] [--peers FILE] [NAME…]

Inputs are made on the device (programs/data.fut).  "x limit" is the time over that of the bytes that must be moved, at the bandwidth
that a copy on the device reaches in the same run (a read of little else is given 1.06 of it).  The last columns are constants of an
NVIDIA H200 (rows.py): they mean something there only.  FILE of --peers has lines "name | µs | …" that another program measured in the
same run: the best of those of a row is shown, and our time over it.  NAME: parts of names of rows.
"""

import argparse
import json
import os
import select
import statistics
import subprocess
import sys

import library
import page
import rows

HERE = os.path.dirname(os.path.abspath(__file__))
READS_ARE_FASTER = 1.06
ROW_SECONDS = 90  # a row that takes longer counts as failed


def bandwidth(context, data, small):
    """Bytes per microsecond of a copy on the device, which reads and writes."""
    size = (400_000_000 if not small else 4_000_000) // 4
    source = data.call("uniform", size, 1, 0.0, 1.0)[0]
    return 8 * size / min(library.measure(context, source.copy, 11, 1))


class Bench:
    def __init__(self, args):
        self.args = args
        path = os.path.join(args.build, "libskald.so")
        self.lib = library.Library(path)
        self.context = library.Context(self.lib, args.backend, args.device)
        self.data = self.context.program(os.path.join(HERE, "programs", "data.fut"))
        self.speed = bandwidth(self.context, self.data, args.small)
        self.inputs, self.programs = {}, {}

    def program(self, name):
        path = os.path.normpath(os.path.join(HERE, "programs", name + ".fut"))
        if path not in self.programs:
            self.programs[path] = self.context.program(path)
        return self.programs[path]

    def value(self, spec):
        if not isinstance(spec, tuple):
            return spec
        if spec not in self.inputs:
            self.inputs[spec] = self.data.call(*spec)[0]
        return self.inputs[spec]

    def limit(self, row):
        moved = row.reads + row.writes
        fast = READS_ARE_FASTER if row.writes < moved / 20 else 1
        return moved / (self.speed * fast)

    def row(self, row):
        # Inputs of the row before are kept, for rows often share them.
        wanted = [spec for spec in row.inputs if isinstance(spec, tuple)]
        self.inputs = {spec: value for spec, value in self.inputs.items() if spec in wanted}
        # What others took means nothing for other sizes.
        anchors = (None,) * 4 if self.args.small else row.anchors
        result = {"name": row.name, "per": row.per, "anchors": dict(zip(("limit", "hand", "library", "futhark"), anchors))}
        try:
            run = self.program(row.program).prepare(row.entry, [self.value(spec) for spec in row.inputs])
            times = library.measure(self.context, run, self.args.runs, self.args.seconds)
        except library.SkaldError as error:
            return {**result, "error": str(error)}
        median = statistics.median(times) / row.per
        result |= {"us": median, "least_us": min(times) / row.per, "runs": len(times)}
        if row.reads + row.writes > 0:
            result |= {"bytes": row.reads + row.writes, "gb_per_s": (row.reads + row.writes) / row.per / median / 1000,
                       "of_limit": median * row.per / self.limit(row)}
        return result


def number(x):
    if x is None:
        return ""
    return f"{x:.2f}" if x < 10 else f"{x:.1f}" if x < 100 else f"{x:.0f}"


def read_peers(path):
    """The least time of each of our rows among those of another program."""
    best = {}
    with open(path) as text:
        for line in text:
            parts = [part.strip() for part in line.split("|")]
            try:
                took = float(parts[1])
            except (IndexError, ValueError):
                continue
            name = parts[0] + " |"
            for ours, theirs in rows.PEERS.items():
                if name.startswith(theirs):
                    best[ours] = min(best.get(ours, took), took)
    return best


HEADS = ["row", "µs", "least", "GB/s", "x limit", "peer now", "/ peer", "H200: limit", "hand", "library", "Futhark", "/ library", "/ Futhark"]


def cells(result):
    if "error" in result:
        return [result["name"], "FAILED"] + [""] * (len(HEADS) - 2)
    anchors = result["anchors"]
    over = [f"{result['us'] / anchors[name]:.2f}" if anchors[name] else "" for name in ("library", "futhark")]
    return [result["name"], number(result["us"]), number(result["least_us"]), number(result.get("gb_per_s")),
            f"{result['of_limit']:.2f}" if "of_limit" in result else "", number(result.get("peer_us")),
            f"{result['us'] / result['peer_us']:.2f}" if "peer_us" in result else ""] + [number(anchors[k]) for k in ("limit", "hand", "library", "futhark")] + over


def line(parts):
    return f"{parts[0]:<40}" + "".join(f"{part:>12}" for part in parts[1:])


def work(args):
    """Measures rows from a number on, each a line of JSON: first that it begins, then its result."""
    bench = Bench(args)
    print(json.dumps({"copy_tb_per_s": bench.speed / 1e6}), flush=True)
    for k, row in enumerate(rows.all_rows(1000 if args.small else 1)):
        if k < args.worker or (args.names and not any(name in row.name for name in args.names)):
            continue
        print(json.dumps({"begins": k, "name": row.name}), flush=True)
        print(json.dumps(bench.row(row)), flush=True)


class Worker:
    """A process that measures; what crashes or hangs does not take the other rows with it."""

    def __init__(self, first):
        self.child = subprocess.Popen([sys.executable, *sys.argv, f"--worker={first}"], stdout=subprocess.PIPE, bufsize=0)
        self.pending = b""

    def line(self):
        """The next line, or None at the end, or a text that says why there is none."""
        while b"\n" not in self.pending:
            if not select.select([self.child.stdout], [], [], ROW_SECONDS)[0]:
                self.child.kill()
                self.child.wait()
                return f"not done after {ROW_SECONDS} s"
            piece = os.read(self.child.stdout.fileno(), 1 << 16)
            if not piece:
                code = self.child.wait()
                return None if code == 0 else f"the process ended with {code}"
            self.pending += piece
        line, self.pending = self.pending.split(b"\n", 1)
        return json.loads(line)


def measure_all(show):
    """Calls `show` with each thing that workers say."""
    first = 0
    while True:
        worker, begun = Worker(first), None
        while isinstance(said := worker.line(), dict):
            if "begins" in said:
                begun = said
                continue
            show(said)
            if "name" in said:
                begun = None
        if said is None:
            return
        if begun is None:
            sys.exit(f"the bench does not start: {said}")
        show({"name": begun["name"], "per": 1, "anchors": {}, "error": said})
        first = begun["begins"] + 1


def write(args, speed, results):
    report = {"backend": args.backend, "copy_tb_per_s": speed, "rows": results}
    if args.json:
        with open(args.json, "w") as out:
            json.dump(report, out, indent=1)
    if args.html:
        with open(args.html, "w") as out:
            out.write(page.html(report, HEADS, cells))
    if args.markdown:
        with open(args.markdown, "w") as out:
            out.write("| " + " | ".join(HEADS) + " |\n|" + "---|" * len(HEADS) + "\n")
            out.writelines("| " + " | ".join(cells(result)) + " |\n" for result in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", required=True, help="a build folder with libskald.so")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--device")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=2, help="for each row, after at least three runs")
    parser.add_argument("--small", action="store_true", help="a thousandth of the data, to try the script itself")
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--html")
    parser.add_argument("--peers")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker is not None:
        return work(args)
    results, speed, peers = [], [], read_peers(args.peers) if args.peers else {}

    def show(said):
        if "copy_tb_per_s" in said:
            if not speed:
                print(f"{args.backend}: a copy on the device reaches {said['copy_tb_per_s']:.2f} TB/s; median of {args.runs} runs or fewer")
                print(line(HEADS), flush=True)
            speed.append(said["copy_tb_per_s"])
            return
        if said["name"] in peers:
            said["peer_us"] = peers[said["name"]]
        results.append(said)
        print(line(cells(said)), flush=True)
        if "error" in said:
            print("    " + said["error"].strip().replace("\n", "\n    "), flush=True)
        write(args, speed[0], results)

    measure_all(show)
    failed = [result["name"] for result in results if "error" in result]
    print(f"{len(results)} rows, {len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
