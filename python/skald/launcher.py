# SPDX-License-Identifier: Apache-2.0
"""Runs a script whose `numpy` is Skald.

The script, and modules that lie outside Python's own folders, get `skald` when they import `numpy`, the
real NumPy as `numpy_force`, and a module `bohrium`.  Packages installed for Python keep the real NumPy:
what they compute is theirs, and they receive our arrays through the protocols.
"""

import argparse
import builtins
import os
import runpy
import site
import sys
import sysconfig
import types

import numpy

_REPLACED = ("numpy", "numpy_force", "bohrium")
OWN_MODULES = ("linalg", "fft", "random", "testing")


class Importer:
    """The function behind `import` while a script runs."""

    def __init__(self, also=()):
        import skald
        self.skald, self.also, self.original = skald, tuple(also), builtins.__import__
        paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} | set(site.getsitepackages())
        paths.add(site.getusersitepackages())
        self.foreign = tuple(os.path.realpath(path) + os.sep for path in paths if path) + tuple(path + os.sep for path in paths if path)
        self.package = os.path.dirname(os.path.abspath(__file__)) + os.sep
        self.known = {}

    def serves(self, namespace):
        """True if the importing module is the user's own."""
        name = (namespace or {}).get("__name__", "__main__")
        if name.partition(".")[0] in self.also:
            return True
        path = (namespace or {}).get("__file__")
        if path is None:
            return name == "__main__"
        if path not in self.known:
            real = os.path.abspath(path)
            self.known[path] = not real.startswith(self.foreign) and not real.startswith(self.package) and not name.startswith("skald.")
        return self.known[path]

    def __call__(self, name, globals=None, locals=None, fromlist=(), level=0):
        top = name.partition(".")[0]
        if level or top not in _REPLACED or not self.serves(globals):
            return self.original(name, globals, locals, fromlist, level)
        if top == "numpy_force":
            if name == top:
                return real_numpy()
            return self.original("numpy" + name[len(top):], globals, locals, fromlist, 0)
        module = self.skald if top == "numpy" else bohrium_module()
        found = module
        if top == "numpy" and "." in name and name.split(".")[1] not in OWN_MODULES:
            theirs = self.original(name, None, None, fromlist or ("*",), 0)
            return theirs if fromlist else module
        for part in name.split(".")[1:]:
            found = self.part(found, part, name)
        return found if fromlist else module

    def part(self, module, part, name):
        try:
            return getattr(module, part)
        except AttributeError:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name) from None


class RealNumPy(types.ModuleType):
    """`numpy_force`: NumPy, with the names it had before version 2."""

    def __getattr__(self, name):
        from ._protocols import OLD_NAMES
        if hasattr(numpy, name):
            return getattr(numpy, name)
        value = OLD_NAMES.get(name)
        if value is None:
            raise AttributeError(f"module 'numpy' has no attribute {name!r}")
        return getattr(numpy, value) if type(value) is str else value

    def __dir__(self):
        return dir(numpy)


_force = RealNumPy("numpy_force")


def real_numpy():
    return _force


def bohrium_module():
    from . import bohrium
    return bohrium


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m skald", description="Runs a NumPy script on Skald.")
    parser.add_argument("--backend", choices=["cpu", "opencl", "cuda"], help="where compiled code runs")
    parser.add_argument("--profile", nargs="?", const="skald-profile.html", metavar="FILE", help="write a page about what ran")
    parser.add_argument("--fallback", choices=["warn", "error", "quiet"], help="what to do when NumPy must serve a call")
    parser.add_argument("--also", action="append", default=[], metavar="PACKAGE", help="an installed package that gets Skald as its numpy too")
    parser.add_argument("--info", action="store_true", help="print versions and options, and exit")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module instead of a file")
    parser.add_argument("script", nargs="?")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.module and options.script:
        options.arguments.insert(0, options.script)
        options.script = None
    if not options.script and not options.module and not options.info:
        parser.error("a script is missing; `python -m skald script.py`")
    if options.script and not os.path.exists(options.script):
        parser.error(f"no such file: {options.script}")
    return options


def info():
    import skald
    print(f"skald {skald.__version__} at {os.path.dirname(skald.__file__)}")
    print(f"numpy {numpy.__version__}, Python {sys.version.split()[0]}")
    ok = bool((skald.arange(10) == numpy.arange(10)).all())
    print("a first array: " + ("right" if ok else "WRONG"))
    return 0 if ok else 1


def main(arguments):
    """The launcher; returns the exit code."""
    options = parse(arguments)
    import skald
    from . import _protocols
    if options.info:
        return info()
    if options.backend:
        skald.backend(options.backend)
    if options.fallback:
        skald.set_fallback(options.fallback)
    _protocols.allow_old_names()
    profile = None
    if options.profile:
        from . import profile as profiler
        profile = profiler.Profile(options.script or options.module, options.profile)
    run(options, profile)
    return 0


def run(options, profile):
    import skald
    original = builtins.__import__
    builtins.__import__ = Importer(options.also)
    sys.argv = [options.script or options.module, *options.arguments]
    if options.script:
        sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    try:
        if profile:
            profile.start()
        if options.module:
            runpy.run_module(options.module, run_name="__main__", alter_sys=True)
        else:
            run_file(options.script)
        skald.flush()
    finally:
        builtins.__import__ = original
        if profile:
            profile.stop()


def run_file(path):
    """Like `python path`: the script is the module `__main__`."""
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = builtins
    previous, sys.modules["__main__"] = sys.modules.get("__main__"), module
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
        exec(code, vars(module))
    finally:
        if previous is not None:
            sys.modules["__main__"] = previous
