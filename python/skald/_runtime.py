# SPDX-License-Identifier: Apache-2.0
"""Running what was recorded, and looking at what was run."""

import functools

import numpy

from . import _core, _kernels
from ._fallback import fallbacks


def flush(wait=True):
    """Runs everything that was recorded and is still needed, and waits for it; without `wait`, devices go on by themselves."""
    if wait:
        _core.sync()
    else:
        _core.start()


def stats():
    """Counters of the engine, and the calls that NumPy served, as a dict."""
    counted = dict(_core.stats())
    counted["numpy"] = fallbacks()
    counted["kernels"] = _kernels.states()
    return counted


def set_option(name, value):
    """Sets an option of the engine: "evaluator", "backend", "hot", "background"."""
    _core.set_option(name, value)


def backend(name):
    """Chooses where compiled code runs: "cpu", "opencl" or "cuda"."""
    _core.set_option("backend", name)


class errstate:  # noqa: N801 - NumPy's name
    """How floating-point errors are treated inside: what is recorded inside is also run inside."""

    def __init__(self, **keywords):
        self._keywords, self._states = keywords, []
        numpy.errstate(**keywords)

    def __enter__(self):
        _core.flush()
        state = numpy.errstate(**self._keywords)
        state.__enter__()
        self._states.append(state)
        _tell_errors()
        return self

    def __exit__(self, *error):
        try:
            _core.flush()
        finally:
            self._states.pop().__exit__(*error)
            _tell_errors()

    def __call__(self, function):
        @functools.wraps(function)
        def guarded(*arguments, **keywords):
            with type(self)(**self._keywords):
                return function(*arguments, **keywords)
        return guarded


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets how floating-point errors are treated from here on; what was recorded before is run first."""
    _core.flush()
    before = numpy.seterr(all, divide, over, under, invalid)
    _tell_errors()
    return before


def _tell_errors():
    """Whoever catches or logs errors expects them at the line that makes them: then nothing is put off."""
    _core.set_option("tells_errors", not {"warn", "ignore"}.issuperset(numpy.geterr().values()))
