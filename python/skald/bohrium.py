# SPDX-License-Identifier: Apache-2.0
"""The module `bohrium` that scripts written for Bohrium import, on Skald.

It has all of NumPy's names.  Functions take the keyword `bohrium`: with False they give real NumPy arrays.
"""

import contextlib
import functools
import inspect
import sys

import numpy

import skald as _skald
from skald import ndarray
from skald._runtime import flush

from . import _bohrium_random as random

__all__ = [*_skald.__all__, "flush", "do_while", "check", "random"]


def check(a):
    """True for lazy arrays."""
    return type(a) is ndarray


def is_scalar(a):
    """True for numbers and for results without axes that stand for one."""
    if type(a) is ndarray:
        return a.ndim == 0
    return numpy.isscalar(a)


def _either(name, function):
    """A function that also takes the keyword `bohrium`."""
    real = getattr(numpy, name, None)

    @functools.wraps(function, updated=())
    def chosen(*arguments, bohrium=True, **keywords):
        if bohrium or real is None:
            return function(*arguments, **keywords)
        from ._fallback import to_real
        return real(*[to_real(a) for a in arguments], **{k: to_real(v) for k, v in keywords.items()})

    return chosen


def __getattr__(name):
    value = getattr(_skald, name)
    if inspect.isfunction(value) or isinstance(value, type(_skald.zeros)):
        value = _either(name, value)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *dir(_skald)})


# ---- Loops -----------------------------------------------------------------------------------------


class loop:  # noqa: N801 - the name of a module of Bohrium
    """Errors of `do_while`."""

    class IteratorOutOfBounds(IndexError):
        """An iterator pointed outside an array."""

    class IteratorIllegalDepth(Exception):
        """More grid axes were asked for than there are."""

    class IteratorIllegalBroadcast(Exception):
        """An iterator gave views of different shapes."""


def do_while(func, niters, *args, **kwargs):
    """Calls `func` until it gives something false, `niters` times at most (without end if None).

    Inside `func`, `get_iterator(offset)` is the number of the round, and `get_grid(n, m, …)` that number as
    positions in a grid.
    """
    state = {"round": 0}
    namespace = func.__globals__
    before = {name: namespace.get(name) for name in ("get_iterator", "get_grid")}
    namespace["get_iterator"] = lambda start=0: state["round"] + start
    namespace["get_grid"] = lambda *extents: _grid(state["round"], extents)
    try:
        while niters is None or state["round"] < niters:
            again = func(*args, **kwargs)
            state["round"] += 1
            if again is not None and not again:
                break
    except IndexError as error:
        raise loop.IteratorOutOfBounds(str(error)) from error
    finally:
        for name, value in before.items():
            if value is None:
                namespace.pop(name, None)
            else:
                namespace[name] = value
    return state["round"]


def _grid(number, extents):
    places = []
    for extent in extents[::-1]:
        places.insert(0, number % extent)
        number //= extent
    return tuple(places)


# ---- Functions of Bohrium's own -------------------------------------------------------------------


def flatten(a, order="C", always_copy=True):
    """A flat copy."""
    return _skald.asarray(a).flatten(order)


def fill(a, value):
    """Writes one value everywhere."""
    a.fill(value)


def take_using_index_tuple(a, index_tuple, out=None):
    """Elements at positions given axis by axis."""
    result = a[tuple(index_tuple)]
    if out is not None:
        out[...] = result
        return out
    return result


def put_using_index_tuple(a, index_tuple, v):
    """Writes elements at positions given axis by axis."""
    a[tuple(index_tuple)] = v


def cond_scatter(ary, indexes, values, mask):
    """Writes values at flat positions where a mask holds."""
    mask = _skald.asarray(mask).ravel() != 0
    _skald.put(ary, _skald.asarray(indexes).ravel()[mask], _skald.asarray(values).ravel()[mask])


def gather(ary, indexes):
    """Elements of the flat array."""
    return ary.ravel()[indexes]


def scatter(ary, indexes, values):
    """Writes elements of the flat array."""
    ary.reshape(-1)[indexes] = values


def correlate_scipy(a, v, mode="valid"):
    """Correlation in several dimensions, as SciPy writes it."""
    from scipy.signal import correlate
    return _skald.asarray(correlate(numpy.asarray(a), numpy.asarray(v), mode))


def convolve_scipy(a, v, mode="full"):
    """Convolution in several dimensions, as SciPy writes it."""
    from scipy.signal import convolve
    return _skald.asarray(convolve(numpy.asarray(a), numpy.asarray(v), mode))


@contextlib.contextmanager
def Enable():  # noqa: N802 - Bohrium's name
    """Modules imported inside get Skald as their numpy."""
    import builtins
    from .launcher import Importer
    original = builtins.__import__
    builtins.__import__ = Importer(also=("__main__",))
    try:
        yield
    finally:
        builtins.__import__ = original


@contextlib.contextmanager
def Disable():  # noqa: N802 - Bohrium's name
    """Modules imported inside get the real NumPy."""
    import builtins
    current = builtins.__import__
    builtins.__import__ = getattr(current, "original", current)
    try:
        yield
    finally:
        builtins.__import__ = current


EnableBohrium, DisableBohrium = Enable, Disable


@contextlib.contextmanager
def Profiling():  # noqa: N802 - Bohrium's name
    """Prints what the engine did inside."""
    flush()
    before = dict(_skald.stats())
    yield
    flush()
    after = _skald.stats()
    for name, value in after.items():
        if isinstance(value, (int, float)):
            print(f"{name}: {value - before.get(name, 0)}", file=sys.stderr)


@contextlib.contextmanager
def DisableGPU():  # noqa: N802 - Bohrium's name
    """Compiled code runs on the cpu inside."""
    _skald.backend("cpu")
    yield


def replace_numpy(function):
    """A decorator: inside, imports of numpy give Skald."""
    @functools.wraps(function)
    def replaced(*arguments, **keywords):
        with Enable():
            return function(*arguments, **keywords)
    return replaced
