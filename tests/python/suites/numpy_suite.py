#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that come with the installed NumPy, with skald in NumPy's place.

The modules of tests are imported as they are; only what they import as `numpy` is skald (the internals under
`numpy._core` and `numpy.lib` stay NumPy's).  Tests whose text is about what skald leaves to NumPy on purpose
(objects, records, dates, texts, subclasses, C internals) are counted apart.

    numpy_suite.py [--list FILE] [numpy._core.tests.test_umath ...]
"""

import argparse
import builtins
import collections
import functools
import inspect
import pathlib
import re
import sys
import types

import numpy
import pytest

MODULES = ["_core/tests/test_umath.py", "_core/tests/test_ufunc.py", "_core/tests/test_indexing.py", "_core/tests/test_multiarray.py", "_core/tests/test_numeric.py",
           "lib/tests/test_function_base.py", "lib/tests/test_stride_tricks.py", "lib/tests/test_arraysetops.py", "lib/tests/test_histograms.py"]
ELSEWHERE = re.compile(r"""object|datetime|timedelta|longdouble|clongdouble|float128|np\.void|np\.bytes_|np\.str_|recarray|structured|subclass|np\.matrix|MaskedArray|masked_array
    |class\ \w+\((np\.)?ndarray|ndarray\.__new__|_tests\.|_umath|_multiarray|refcount|capi|ctypes|memmap|StringDType|newbyteorder|byteorder|['"][<>=|]?[SUVOmMg]\d*['"]|dtype=\[|dtype\(\[|dtype\(\{|np\.character
    |['"][<>][a-z]\d|Decimal|Fraction|np\.record|poly1d|__array_(wrap|finalize|priority|prepare|interface|struct)__|PyUFunc|_pickle|nditer|np\.dtype\(\s*\(|MyArray|MySub|np\.rec\b|setbufsize|dtype=['"]O|flexible|np\.ma\b
    |NoRaise|get_array_flag|string|char\b|unicode""", re.VERBOSE)


# Helpers in C that take any object for one of NumPy's arrays.
INTERNALS = re.compile(r"_multiarray_tests|incref_elide")


@functools.lru_cache(None)
def source_of(function):
    return inspect.getsource(function)


class Internals(types.ModuleType):
    """numpy._core, in which `umath` has our ufuncs."""

    def __init__(self):
        import skald
        super().__init__("numpy._core")
        self.umath = types.ModuleType("numpy._core.umath")
        vars(self.umath).update({**vars(numpy._core.umath), **{n: u for n, u in skald._core.ufuncs.items() if hasattr(numpy._core.umath, n)}})

    def __getattr__(self, name):
        return getattr(numpy._core, name)


class InNumPysPlace(types.ModuleType):
    """skald, with NumPy's internals under their names."""

    def __getattr__(self, name):
        import skald
        if name == "_core":
            self._core = Internals()
            return self._core
        if name in ("lib", "__config__", "__version__", "_CopyMode", "_NoValue", "_globals", "f2py", "_utils", "version"):
            return getattr(numpy, name)
        return getattr(skald, name)


class Plugin:
    """Imports of `numpy` in the modules of tests, and the outcomes."""

    def __init__(self):
        from skald.launcher import Importer
        self.original, self.importer, self.place = builtins.__import__, Importer(), InNumPysPlace("numpy")
        self.left_out = 0
        self.outcomes, self.about, self.messages = {}, {}, {}

    def replace(self, name, globals=None, locals=None, fromlist=(), level=0):
        caller = (globals or {}).get("__file__") or ""
        if level or "/tests/test_" not in caller or "/numpy/" not in caller or name.partition(".")[0] != "numpy":
            return self.original(name, globals, locals, fromlist, level)
        parts = name.split(".")
        if len(parts) == 1:
            return self.place
        if name == "numpy._core.umath":
            return self.place._core.umath if fromlist else self.place
        if parts[1] in ("linalg", "fft", "random", "testing") and len(parts) == 2:
            return getattr(self.place, parts[1]) if fromlist else self.place
        module = self.original(name, None, None, fromlist or ("*",), 0)
        return module if fromlist else self.place

    def pytest_collection_modifyitems(self, items):
        kept = []
        for item in items:
            try:
                text = source_of(item.function)
                if item.cls is not None and len(text) < 300:
                    text += item.cls.__name__
            except (OSError, TypeError):
                text = ""
            if INTERNALS.search(text):
                self.left_out += 1
                continue
            kept.append(item)
            self.about[item.nodeid] = bool(ELSEWHERE.search(text) or ELSEWHERE.search(item.nodeid.partition("::")[2]))

        items[:] = kept

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid] = "xfailed" if hasattr(report, "wasxfail") else report.outcome
            if report.outcome == "failed":
                crash = getattr(report.longrepr, "reprcrash", None)
                self.messages[report.nodeid] = (crash.message.splitlines() or [""])[0] if crash else str(report.longrepr).strip().splitlines()[-1]


def count(plugin):
    table = collections.defaultdict(collections.Counter)
    for node, outcome in plugin.outcomes.items():
        if outcome in ("passed", "failed"):
            name = node.split("::")[0].split("/")[-1]
            table[name][outcome, "elsewhere" if plugin.about.get(node) else "ours"] += 1
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", type=pathlib.Path, help="a file for the tests that fail, with the message")
    parser.add_argument("files", nargs="*", help="such as _core/tests/test_umath.py")
    parser.add_argument("-k", default="", help="as pytest's")
    options = parser.parse_args()
    folder = pathlib.Path(numpy.__file__).parent
    plugin = Plugin()
    builtins.__import__ = plugin.replace
    try:
        pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "--tb=short", "-W", "ignore", "-k", options.k, "-m", "not slow", "--continue-on-collection-errors",
                     *[str(folder / name) for name in options.files or MODULES]], plugins=[plugin])
    finally:
        builtins.__import__ = plugin.original
    table = count(plugin)
    total = collections.Counter()
    print(f"{'':28} passed failed rate    (about what stays NumPy's: passed failed)")
    for name, counted in sorted(table.items()):
        total += counted
        show(name, counted)
    show("all", total)
    if options.list:
        options.list.write_text("".join(f"{'elsewhere' if plugin.about.get(n) else 'ours'}\t{n.split('numpy/')[-1]}\t{m[:160]}\n" for n, m in sorted(plugin.messages.items())))
    return 0


def show(name, counted):
    passed, failed = counted["passed", "ours"], counted["failed", "ours"]
    rate = 100.0 * passed / max(passed + failed, 1)
    print(f"{name:28} {passed:6} {failed:6} {rate:5.1f} %   ({counted['passed', 'elsewhere']} {counted['failed', 'elsewhere']})")


if __name__ == "__main__":
    sys.exit(main())
