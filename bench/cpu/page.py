# SPDX-License-Identifier: Apache-2.0
"""A page with the results of run.py: one bar per row and opponent, in SVG, without anything from outside."""

import html as escape
import math

COLOURS = {"hand": "#4477aa", "roofline": "#bbbbbb", "futhark c": "#ddcc77", "futhark multicore": "#ee8866",
           "futhark ispc": "#aa3377"}
LOW, HIGH = 1 / 16, 16  # what the logarithmic axis shows


def position(ratio, width):
    ratio = min(max(ratio, LOW), HIGH)
    return width * (math.log2(ratio) - math.log2(LOW)) / (math.log2(HIGH) - math.log2(LOW))


def chart(rows, key, title, colour=None):
    rows = [row for row in rows if key in row]
    if not rows:
        return ""
    width, step = 560, 18
    left = 20 + 7 * max(len(row["name"]) for row in rows)
    height = step * len(rows) + 30
    parts = [f'<h2>{escape.escape(title)}</h2><svg width="{left + width + 60}" height="{height}" font-size="12">']
    for power in range(-4, 5):
        x = left + position(2.0**power, width)
        label = f"{2**power}×" if power >= 0 else f"1/{2**-power}"
        parts.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="0" y2="{height - 20}" stroke="{"#444" if power == 0 else "#ddd"}"/>'
                     f'<text x="{x:.0f}" y="{height - 5}" text-anchor="middle">{label}</text>')
    one = left + position(1, width)
    for k, row in enumerate(rows):
        x, y = left + position(row[key], width), 4 + step * k
        parts.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{escape.escape(row["name"])}</text>'
                     f'<rect x="{min(x, one):.1f}" y="{y}" width="{abs(x - one):.1f}" height="{step - 5}" fill="{colour or COLOURS[key]}"/>'
                     f'<text x="{max(x, one) + 4:.1f}" y="{y + 11}">{row[key]:.2f}</text>')
    return "".join(parts) + "</svg>"


def lists(report):
    out = []
    if "compile_ms" in report:
        cells = "".join(f"<tr><td>{escape.escape(name)}</td><td>{cold:.0f}</td><td>{warm:.0f}</td></tr>"
                        for name, (cold, warm) in report["compile_ms"].items())
        out.append(f"<h2>Whole process, ms</h2><table><tr><th>program</th><th>compiling</th><th>from the cache</th></tr>{cells}</table>")
    if "overhead_us" in report:
        overhead = report["overhead_us"]
        out.append(f"<p>{overhead['call']:.2f} µs per call on 100 elements; {overhead['kernel']:.2f} µs per kernel inside a call.</p>")
    if "checks" in report:
        out.append("<p>Cost of checks: " + ", ".join(f"{name} {cost:+.1%}" for name, cost in report["checks"].items()) + "</p>")
    return "".join(out)


def html(report, heads):
    limits = report["limits"]
    times = "".join(
        f"<tr><td>{escape.escape(row['name'])}</td>" + "".join(f"<td>{row['us'].get(side, float('nan')) / 1000:.2f}</td>" for side in report["sides"])
        + f"<td>{escape.escape('; '.join(f'{k}: {v}' for k, v in row['problems'].items()))}</td></tr>" for row in report["rows"])
    charts = "".join(chart(report["rows"], key, f"Skald against {heads[key] if key != 'roofline' else 'the limit of the machine'}: right is faster")
                     for key in COLOURS)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Skald on the CPU</title>
<style>body{{font-family:sans-serif;margin:2em}}td,th{{padding:2px 10px;text-align:right}}td:first-child{{text-align:left}}</style>
<h1>Skald on the CPU</h1><p>{report['machine']}, {report['cores']} cores; reading {limits['read'] / 1000:.1f} GB/s, copying
{limits['copy'] / 1000:.1f} GB/s, {limits['flops'] / 1000:.1f} f32 GFlop/s, {limits['gathers'] / 1000:.2f} G gathers/s; {report['statistic']}s.</p>
{charts}{lists(report)}<h2>Times, ms</h2><table><tr><th>row</th>{''.join(f'<th>{escape.escape(s)}</th>' for s in report['sides'])}<th></th></tr>
{times}</table></html>
"""
