# SPDX-License-Identifier: Apache-2.0
"""python -m skald --profile[=FILE]: one page about where the time of a script went.

A thread looks every millisecond at which line of the user's files is running.  The page shows the lines of these
files with their share of the time and the calls that NumPy served there, the counters of the engine, and advice.
"""

import collections
import html
import os
import sys
import threading
import time

from ._fallback import _PACKAGE, fallbacks
from ._runtime import stats

INTERVAL = 0.001
STYLE = """body{font:14px sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}td,th{padding:1px 8px;text-align:right;white-space:pre}
td.t{text-align:left;font-family:monospace}tr.hot td{background:#fdd}tr.warm td{background:#fff3d6}.bar{display:inline-block;height:9px;background:#c33}h2{margin-top:1.6em}
.timeline span{display:inline-block;width:6px;vertical-align:bottom;background:#36c;margin-right:1px}"""


class Profile:
    """Samples of one run; `stop` writes the page."""

    def __init__(self, script, path):
        self.script, self.path = os.path.abspath(script or "?"), path
        self.samples, self.timeline, self.running = collections.Counter(), [], False
        self.owner = threading.get_ident()

    def start(self):
        self.began, self.before, self.running = time.perf_counter(), stats(), True
        self.sampler = threading.Thread(target=self._sample, daemon=True, name="skald-profile")
        self.sampler.start()

    def _sample(self):
        folder = os.path.dirname(self.script) + os.sep
        while self.running:
            frame = sys._current_frames().get(self.owner)
            in_engine = frame is not None and frame.f_code.co_filename.startswith(_PACKAGE)
            while frame is not None and not frame.f_code.co_filename.startswith(folder) and frame.f_code.co_filename != self.script:
                frame = frame.f_back
            if frame is not None:
                place = (os.path.abspath(frame.f_code.co_filename), frame.f_lineno)
                self.samples[place] += 1
                self.timeline.append((time.perf_counter() - self.began, place, in_engine))
            time.sleep(INTERVAL)

    def stop(self):
        self.running = False
        self.sampler.join()
        self.seconds = time.perf_counter() - self.began
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.page())
        print(f"skald: profile of {self.seconds:.2f} s in {self.path}", file=sys.stderr)

    # ---- The page --------------------------------------------------------------------------------

    def page(self):
        parts = ["<!doctype html><meta charset=utf-8><title>skald profile</title><style>", STYLE, "</style>",
                 f"<h1>{html.escape(os.path.basename(self.script))}</h1><p>{self.seconds:.3f} s, {sum(self.samples.values())} samples</p>",
                 "<h2>Advice</h2><ul>", *(f"<li>{html.escape(text)}</li>" for text in self.advice()), "</ul>",
                 "<h2>Timeline</h2>", self.timeline_bars(), "<h2>Lines</h2>", *self.files(), "<h2>Served by NumPy</h2>", self.served(),
                 "<h2>Engine</h2>", self.counters()]
        return "".join(parts)

    def timeline_bars(self):
        count, hottest = 100, [collections.Counter() for _ in range(100)]
        for moment, place, _ in self.timeline:
            hottest[min(count - 1, int(count * moment / self.seconds))][place] += 1
        most = max((c.total() for c in hottest), default=1) or 1
        bars = "".join(f'<span style="height:{2 + 40 * c.total() // most}px" title="{html.escape(self.tip(c))}"></span>' for c in hottest)
        return f"<div class=timeline>{bars}</div>"

    @staticmethod
    def tip(counted):
        return ", ".join(f"{os.path.basename(file)}:{line}" for (file, line), _ in counted.most_common(2))

    def files(self):
        total = sum(self.samples.values()) or 1
        by_place = collections.defaultdict(list)
        for entry in fallbacks():
            by_place[os.path.abspath(entry.file), entry.line].append(f"{entry.what} ×{entry.calls}, {entry.bytes} B")
        for file in sorted({file for file, _ in self.samples} | {self.script}):
            if not os.path.exists(file):
                continue
            yield f"<h3>{html.escape(file)}</h3><table><tr><th>line<th>time<th>ms<th><th class=t>text<th class=t>NumPy</tr>"
            with open(file, encoding="utf-8", errors="replace") as source:
                for number, text in enumerate(source, 1):
                    yield self.row(file, number, text.rstrip("\n"), total, by_place.get((file, number), []))
            yield "</table>"

    def row(self, file, number, text, total, served):
        share = self.samples[file, number] / total
        kind = "hot" if share > 0.2 else "warm" if share > 0.05 else ""
        numbers = f"<td>{100 * share:.1f} %<td>{1e3 * share * self.seconds:.1f}<td class=t><span class=bar style='width:{int(150 * share)}px'></span>" if share else "<td><td><td>"
        return f"<tr class='{kind}'><td>{number}{numbers}<td class=t>{html.escape(text)}<td class=t>{html.escape('; '.join(served))}</tr>"

    def served(self):
        rows = "".join(f"<tr><td class=t>{e.kind}<td class=t>{html.escape(e.what)}<td class=t>{html.escape(os.path.basename(e.file))}:{e.line}<td>{e.calls}<td>{e.bytes}</tr>" for e in fallbacks())
        return f"<table><tr><th>kind<th>what<th>where<th>calls<th>bytes</tr>{rows}</table>" if rows else "<p>Nothing.</p>"

    def counters(self):
        now = stats()
        rows = "".join(f"<tr><td class=t>{html.escape(str(name))}<td>{value - self.before.get(name, 0) if isinstance(value, (int, float)) else html.escape(str(value))}</tr>"
                       for name, value in now.items() if name != "numpy")
        return f"<table>{rows}</table>"

    def advice(self):
        served = [e for e in fallbacks("fallback")]
        for entry in served[:3]:
            yield f"{entry.what} in line {entry.line} of {os.path.basename(entry.file)} ran in NumPy {entry.calls} times; it forces everything that leads to it."
        total = sum(self.samples.values())
        for (file, line), count in self.samples.most_common(1):
            if total and count > total / 2:
                yield f"Line {line} of {os.path.basename(file)} takes {100 * count // total} % of the time: either it computes, or it is where the values of earlier lines are needed."
        if not served:
            yield "No function was missing."
