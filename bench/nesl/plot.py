# SPDX-License-Identifier: Apache-2.0
"""Draws what doubling.py measured: a small picture for each row, as SVG.

Time and memory for an element, relative to the smallest input: a flat line means that twice the input takes twice as much.  The grey
line is n log n.
"""

import math

WIDTH, HEIGHT, COLUMNS, MOST = 210, 150, 5, 4.0
LEFT, TOP, RIGHT, BOTTOM = 26, 26, 10, 18
COLOURS = {"time": "#1f5fa8", "memory": "#c2571a"}


def place(step, steps, value):
    x = LEFT + step / (steps - 1) * (WIDTH - LEFT - RIGHT)
    y = TOP + (1 - min(value, MOST) / MOST) * (HEIGHT - TOP - BOTTOM)
    return f"{x:.1f},{y:.1f}"


def line(values, colour, extra=""):
    points = " ".join(place(k, len(values), v) for k, v in enumerate(values))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" {extra}/>'


def for_an_element(values, shares):
    return [v * share / (values[0] * shares[0]) for v, share in zip(values, shares)]


def picture(name, points, elements, shares):
    parts = [f'<text x="{LEFT}" y="16" class="name">{name}</text>']
    for value in (0, 1, 2, 3, 4):
        begin, end = place(0, 2, value), place(1, 2, value)
        x, y = begin.split(",")
        parts.append(f'<polyline points="{begin} {end}" stroke="{"#999" if value == 1 else "#e4e4e4"}"/>')
        parts.append(f'<text x="{float(x) - 6}" y="{float(y) + 4}" text-anchor="end">{value}</text>')
    sizes = [elements / share for share in shares]
    parts.append(line([math.log(n) / math.log(sizes[0]) for n in sizes], "#999", 'stroke-dasharray="3 3"'))
    for k, what in enumerate(COLOURS):
        parts.append(line(for_an_element([p[k] for p in points], shares), COLOURS[what], 'stroke-width="2"'))
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 4}">1/{shares[0]}</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{elements:,} elements</text>'.replace(",", " "))
    return "".join(parts)


def svg(results, shares):
    """`results`: name, elements of the whole input, and milliseconds and megabytes for each share."""
    rows = math.ceil(len(results) / COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
           "<!-- SPDX-License-Identifier: Apache-2.0 -->",
           "<style>text { font: 10px sans-serif; fill: #333 } .name { font-weight: bold; font-size: 12px }</style>",
           f'<rect width="{width}" height="{height}" fill="white"/>']
    x = LEFT
    for what, colour in COLOURS.items():
        out.append(f'<rect x="{x}" y="9" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="19">{what} for an element</text>')
        x += 160
    out.append(f'<text x="{x}" y="19">relative to the smallest input; dashed: n log n</text>')
    for k, (name, elements, points) in enumerate(results):
        at = f"translate({k % COLUMNS * WIDTH},{34 + k // COLUMNS * HEIGHT})"
        out.append(f'<g transform="{at}">{picture(name, points, elements, shares)}</g>')
    return "\n".join([*out, "</svg>", ""])
