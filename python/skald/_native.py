# SPDX-License-Identifier: Apache-2.0
"""The decorator of functions that Skald has itself, and the table of them.

A native function works on arrays of ours.  If an argument turns out to be an array that we cannot hold
(strings, dates, objects, subclasses), `array_of` raises `Foreign`, and the call goes to NumPy's function
of the same name, counted as a fallback.
"""

import functools

import numpy

from . import _core
from ._engine import asarray, ndarray
from ._fallback import call_real

table = {}


class Foreign(Exception):
    """An argument is an array that only NumPy can hold."""


def array_of(value, dtype=None):
    """An array of ours, or `Foreign`."""
    if type(value) is ndarray and dtype is None:
        return value
    if isinstance(value, numpy.ndarray) and type(value) is not numpy.ndarray:
        raise Foreign
    result = asarray(value, dtype)
    if type(result) is not ndarray:
        raise Foreign
    return result


def native(function=None, *, name=None):
    """Puts a function into the table; its documentation and signature stay."""
    if function is None:
        return functools.partial(native, name=name)
    name = name or function.__name__
    real = getattr(numpy, name, None)

    def by_numpy(*arguments, **keywords):
        if real is None:
            raise TypeError(f"{name} takes arrays of numbers only") from None
        return call_real("fallback", f"np.{name} of such a dtype", real, arguments, keywords)

    guarded = functools.update_wrapper(_core.guarded(function, Foreign, by_numpy), function)
    guarded.__module__ = "skald"
    guarded.__skald_kind__ = "native"
    table[name] = guarded
    return guarded


def quick(function):
    """The same function, of which the extension does the usual calls itself."""
    made = functools.update_wrapper(_core.quick(function.__name__, function), function)
    table[function.__name__] = made
    return made


def alias(name, function):
    """A second name of a native function."""
    table[name] = function
    return function


NO_VALUE = type("_NoValueType", (), {"__repr__": lambda self: "<no value>"})()


def given(**keywords):
    """Only those keywords that the caller gave."""
    return {key: value for key, value in keywords.items() if value is not NO_VALUE}
