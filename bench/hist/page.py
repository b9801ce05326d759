# SPDX-License-Identifier: Apache-2.0
"""A page with the results of run.py: time over the number of bins for each operator and distribution of keys, and tables; nothing from outside."""

import html
import math

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#222222")
WIDTH, HEIGHT, LEFT, TOP = 420, 260, 60, 26


def plot(title, lines, unit="µs"):
    """`lines`: name to pairs of a number of bins and a time; both axes are logarithmic."""
    points = [p for line in lines.values() for p in line]
    if not points:
        return ""
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    left, right, low, high = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys) + 1e-9)
    right, high = max(right, left + 1), max(high, low + 1)

    def at(x, y):
        return (LEFT + (WIDTH - LEFT - 10) * (math.log10(x) - left) / (right - left),
                HEIGHT - 30 - (HEIGHT - 30 - TOP) * (math.log10(y) - low) / (high - low))

    out = [f'<svg width="{WIDTH + 120}" height="{HEIGHT}"><text x="{LEFT}" y="14">{html.escape(title)}</text>']
    for power in range(low, high + 1):
        y = at(10 ** left, 10.0 ** power)[1]
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
    for power in range(math.ceil(left), math.floor(right) + 1):
        x = at(10.0 ** power, 10.0 ** low)[0]
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - 12}" text-anchor="middle">1e{power}</text>')
    for k, (name, line) in enumerate(lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in sorted(line)))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                   f'<text x="{WIDTH}" y="{TOP + 14 * k + 8}" fill="{colour}">{html.escape(name)}</text>')
    out.append(f'<text x="4" y="{TOP - 12}">{unit}</text></svg>')
    return "".join(out)


def plots(rows, read_us):
    """One plot for each operator and distribution: ours, each peer, and the time of reading the keys."""
    groups = {}
    for row in rows:
        groups.setdefault((row["operator"], row["keys"]), []).append(row)
    for (operator, keys), members in groups.items():
        lines = {"Skald": [(r["bins"], r["us"]) for r in members if r.get("us")]}
        for row in members:
            for name, peer in row["peers"].items():
                lines.setdefault(name, []).append((row["bins"], peer["us"]))
        lines["read"] = [(r["bins"], read_us) for r in members]
        yield plot(f"{operator}, {keys}", lines)


def table(heads, rows):
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def page(report):
    grid, data, apps = (report.get(part, []) for part in ("grid", "datasets", "applications"))
    parts = ["".join(plots(grid, report["read_us"]))]
    if data:
        names = sorted({name for row in data for name in row["peers"]})
        parts.append("<h2>Data sets</h2>" + table(["", "bins", "µs", *names, "read"], [
            [r["name"], r["bins"], f"{r['us']:.0f}", *(f"{r['peers'][n]['us']:.0f}" if n in r["peers"] else "" for n in names), f"{r['read_us']:.0f}"] for r in data]))
    if apps:
        parts.append("<h2>Applications</h2>" + table(["", "µs", "by hand", "read"], [
            [r["name"], f"{r['us']:.0f}", f"{r['by_hand_us']:.0f}" if r["by_hand_us"] else "", f"{r['read_us']:.0f}"] for r in apps]))
    if report.get("sweep"):
        parts.append("<h2>Plans</h2>" + table(["", "points", "bins", "keys", "chosen µs", "best µs", "best", "over best"], [
            [r["operator"], r["points"], r["bins"], r["keys"], f"{r['times']['chosen']:.0f}", f"{r['times'][r['best']]:.0f}", r["best"], f"{r['over']:.2f}"]
            for r in report["sweep"]]))
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Histograms</title>
<style>body{{font-family:sans-serif;margin:2em}}svg{{font-size:11px}}td,th{{padding:2px 10px;text-align:right}}td:first-child{{text-align:left}}</style>
<h1>Histograms on {html.escape(report['backend'])}</h1><p>Time over the number of bins; {report['points']} keys of 4 bytes.</p>{''.join(parts)}</html>
"""
