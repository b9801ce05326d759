# SPDX-License-Identifier: Apache-2.0
"""Calls that the real NumPy serves, and the book that is kept about them.

Three kinds of calls leave the engine:

* ``fallback``: a function that Skald does not have.  SKALD_FALLBACK says what happens: ``warn`` (once
  per place, the default), ``error``, or ``quiet``.  All are counted.
* ``library``: matrix products, decompositions, transforms, sorts, that a host library does best.
* ``host``: files, printing, types.  These never had anything to do with arrays on a device.

`fallbacks()` gives the book: what, from where in the script, how often, how many bytes were handed over.
"""

import functools
import os
import sys
import warnings
from collections import namedtuple

import numpy

from . import _core
from ._engine import from_numpy, is_core_dtype, ndarray, peek, to_numpy

Fallback = namedtuple("Fallback", "kind what file line calls bytes")
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_book = {}
_mode = os.environ.get("SKALD_FALLBACK", "warn")
if _mode not in ("warn", "error", "quiet"):
    raise ImportError(f"SKALD_FALLBACK is {_mode!r}; it must be warn, error or quiet")


class FallbackWarning(UserWarning):
    """A function ran in NumPy because Skald does not have it."""


class FallbackError(RuntimeError):
    """A function would have run in NumPy, and SKALD_FALLBACK=error forbids that."""


def set_fallback(mode):
    """Sets what happens when NumPy must serve a call: "warn", "error" or "quiet".  Returns the old mode."""
    global _mode
    if mode not in ("warn", "error", "quiet"):
        raise ValueError(f"mode must be 'warn', 'error' or 'quiet', not {mode!r}")
    old, _mode = _mode, mode
    return old


def fallbacks(kind=None):
    """The calls that NumPy served so far, the most bytes first; of one kind, if asked for."""
    counted = [(*key, *entry) for key, entry in _book.items()] + _core.served_calls()
    rows = [Fallback(*row) for row in counted if kind in (None, row[0])]
    return sorted(rows, key=lambda row: (-row.bytes, -row.calls, row.what))


def clear_fallbacks():
    """Forgets all calls counted so far."""
    _book.clear()
    _core.forget_served()


def place_in_script():
    """File and line of the innermost caller outside this package and outside NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE) and "numpy/_core" not in name:
            return name, frame.f_lineno
        frame = frame.f_back
    return "?", 0


def note(kind, what, size):
    """Counts one call; warns or raises for what Skald should have had."""
    place = place_in_script()
    entry = _book.setdefault((kind, what, *place), [0, 0])
    entry[0] += 1
    entry[1] += size
    if kind == "fallback" and _mode != "quiet":
        text = f"{what} is served by NumPy ({place[0]}:{place[1]})"
        if _mode == "error":
            raise FallbackError(text + "; SKALD_FALLBACK=error forbids that")
        if entry[0] == 1:
            warnings.warn_explicit(text, FallbackWarning, place[0], place[1])


class _Tally:
    """The bytes of the arrays that one call hands over."""

    __slots__ = ("size",)

    def __init__(self):
        self.size = 0


def to_real(value, tally=None):
    """The same value with real NumPy arrays in place of ours, also inside lists, tuples and dicts."""
    kind = type(value)
    if kind is ndarray:
        if tally is not None:
            tally.size += value.nbytes
        return peek(value)
    if kind is tuple or kind is list:
        return kind(to_real(item, tally) for item in value)
    if kind is dict:
        return {key: to_real(item, tally) for key, item in value.items()}
    if kind is slice:
        return slice(*(to_real(item, tally) for item in (value.start, value.stop, value.step)))
    return value


def to_ours(value):
    """The same value with our arrays in place of NumPy's, if we have their dtype."""
    kind = type(value)
    if kind is numpy.ndarray:
        return from_numpy(value) if is_core_dtype(value.dtype) else value
    if kind is tuple or kind is list:
        return kind(to_ours(item) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(to_ours(item) for item in value))
    return value


def call_real(kind, what, function, arguments, keywords):
    """Calls a function of NumPy with real arrays and gives our arrays back."""
    if kind != "fallback" and "out" not in keywords and "overwrite_input" not in keywords:
        return _core.serve(kind, what, function, tuple(arguments), keywords)
    tally = _Tally()
    real_arguments = [to_real(value, tally) for value in arguments]
    if keywords.get("overwrite_input"):
        real_arguments[0] = numpy.array(real_arguments[0])
    real_keywords = {key: to_real(value, tally) for key, value in keywords.items() if key != "out"}
    given = keywords.get("out")
    if given is not None:
        real_keywords["out"] = to_shared(given)
    if kind != "host":
        note(kind, what, tally.size)
    result = function(*real_arguments, **real_keywords)
    if given is not None:
        return given[0] if type(given) is tuple and len(given) == 1 else given
    for ours, real in zip(arguments, real_arguments):
        if result is real and ours is not real:
            return ours
    return to_ours(_owned(result, real_arguments))


def _owned(result, arguments):
    """The result, copied if it is a view of an argument: what was lent for reading must not be kept."""
    if type(result) is numpy.ndarray and result.base is not None:
        for real in arguments:
            if type(real) is numpy.ndarray and numpy.may_share_memory(result, real):
                return result.copy()
    return result


def to_shared(value):
    """Arrays of ours as real ones that share their memory, so that NumPy can write into them."""
    if type(value) is tuple:
        return tuple(to_shared(item) for item in value)
    return to_numpy(value) if type(value) is ndarray else value


def passed_through(function, what, kind="fallback"):
    """A function of ours that hands everything to NumPy's."""

    @functools.wraps(function, updated=())
    def passing(*arguments, **keywords):
        return call_real(kind, what, function, arguments, keywords)

    passing.__skald_kind__ = kind
    return passing


def writes_first(function, what, kind="fallback"):
    """Like `passed_through`, for functions that change their first argument in place."""

    @functools.wraps(function, updated=())
    def passing(target, *arguments, **keywords):
        if type(target) is not ndarray:
            return call_real(kind, what, function, (target, *arguments), keywords)
        return call_real(kind, what, function, (to_numpy(target), *arguments), keywords)

    passing.__skald_kind__ = kind
    return passing
