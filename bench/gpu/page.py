# SPDX-License-Identifier: Apache-2.0
"""A page with the results of run.py: one bar per row and opponent, as that of bench/cpu, without anything from outside."""

import html as escape
import importlib.util
import os

OPPONENTS = {"limit": ("the time of the bytes that must be moved", "#bbbbbb"), "peer": ("the best of other programs in the same run", "#66ccee"),
             "hand": ("a kernel written by hand", "#4477aa"), "library": ("CUB, cuBLAS or cuSPARSE", "#228833"), "futhark": ("Futhark's cuda back end", "#ee8866")}


def bars():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cpu", "page.py")
    spec = importlib.util.spec_from_file_location("cpu_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.chart


def ratios(result):
    """What others take over what we take."""
    if "error" in result:
        return {}
    found = {name: took / result["us"] for name, took in result["anchors"].items() if took}
    if "peer_us" in result:
        found["peer"] = result["peer_us"] / result["us"]
    if "of_limit" in result:
        found["limit"] = 1 / result["of_limit"]
    return found


def html(report, heads, cells):
    chart = bars()
    rows = [{"name": result["name"], **ratios(result)} for result in report["rows"]]
    charts = "".join(chart(rows, key, f"Skald against {words}: right is faster", colour) for key, (words, colour) in OPPONENTS.items())
    table = "".join("<tr>" + "".join(f"<td>{escape.escape(cell)}</td>" for cell in cells(result)) + f"<td>{escape.escape(result.get('error', ''))}</td></tr>"
                    for result in report["rows"])
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Skald on the GPU</title>
<style>body{{font-family:sans-serif;margin:2em}}td,th{{padding:2px 10px;text-align:right}}td:first-child,th:first-child{{text-align:left}}</style>
<h1>Skald on the GPU</h1><p>Back end {escape.escape(report['backend'])}; a copy on the device reaches {report['copy_tb_per_s']:.2f} TB/s. What is
written by hand, of libraries and of Futhark was measured on an NVIDIA H200.</p>
{charts}<h2>Times</h2><table><tr>{''.join(f'<th>{escape.escape(head)}</th>' for head in heads)}<th></th></tr>
{table}</table></html>
"""
