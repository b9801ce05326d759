# SPDX-License-Identifier: Apache-2.0
"""How other code meets our arrays: NumPy's `__array_function__`, the array API, methods, old names."""

import numpy

from . import _core, _methods, _native, _windows
from ._engine import ndarray
from ._fallback import call_real

_by_function = {}
_old_names_allowed = False
OLD_NAMES = {"int": int, "float": float, "complex": complex, "object": object, "str": str, "bool8": numpy.bool,
             "float_": numpy.float64, "complex_": numpy.complex128, "product": "prod", "cumproduct": "cumprod", "alltrue": "all",
             "sometrue": "any", "in1d": "isin", "row_stack": "vstack", "trapz": "trapezoid", "NaN": numpy.nan, "Inf": numpy.inf}


def allow_old_names():
    """Lets scripts use names that NumPy had before version 2; the launcher does."""
    global _old_names_allowed
    _old_names_allowed = True


def old_name(name):
    import skald
    if _old_names_allowed and name in OLD_NAMES:
        value = OLD_NAMES[name]
        return getattr(skald, value) if type(value) is str else value
    raise AttributeError(f"module 'skald' has no attribute {name!r}")


def module(name):
    """A module of NumPy whose arrays are NumPy's: masked arrays, texts, polynomials."""
    import importlib
    try:
        return importlib.import_module("numpy." + name)
    except ModuleNotFoundError:
        return getattr(numpy, name)


def _collect(ours, theirs, names):
    for name in names:
        function = getattr(theirs, name, None)
        own = vars(ours).get(name)
        if own is not None and callable(function) and not isinstance(function, (type, numpy.ufunc)):
            try:
                _by_function[function] = own
            except TypeError:
                continue


def array_function(function, types, arguments, keywords):
    """NumPy's function was called with an array of ours: ours is called, or NumPy's with real arrays."""
    own = _by_function.get(function)
    if own is not None:
        return own(*arguments, **keywords)
    name = f"{getattr(function, '__module__', 'numpy')}.{getattr(function, '__name__', function)}"
    return call_real("fallback", name, function, arguments, keywords)


class Information:
    """What the array API standard asks about a namespace: NumPy's answers, with our devices."""

    def __init__(self):
        self._numpys = numpy.__array_namespace_info__()

    def __getattr__(self, name):
        return getattr(self._numpys, name)

    def devices(self):
        """Where arrays can be."""
        return ("cpu",)


def install(skald):
    """Ties the namespace to the type of arrays."""
    _collect(skald, numpy, [n for n in numpy.__all__ if n in vars(skald)])
    for part in ("linalg", "fft"):
        _collect(getattr(skald, part), getattr(numpy, part), getattr(numpy, part).__all__)
    _by_function.update(_windows.BY_FUNCTION)
    _core.set_array_function(array_function)
    _core.set_namespace(skald)
    for name, method in METHODS.items():
        if not hasattr(ndarray, name):
            _core.set_method(name, method)
    for name, method in _methods.REPLACING.items():
        _core.set_method(name, method)


def _method(name):
    def method(self, *arguments, **keywords):
        return _native.table[name](self, *arguments, **keywords)
    method.__name__ = name
    method.__doc__ = f"As skald.{name}, of this array."
    return method


METHODS = {name: _method(name) for name in "ptp trace repeat".split()}


def _copy2numpy(self):
    """A real NumPy array with a copy of the elements."""
    return numpy.array(_core.readonly(self))


def _to_device(self, device, /, *, stream=None):
    """The array itself, for it is on the only device there is."""
    if stream is not None:
        raise ValueError("The stream argument to to_device() is not supported")
    if device != "cpu":
        raise ValueError(f"Unsupported device {device!r}. Only 'cpu' is accepted.")
    return self


METHODS.update(_methods.PUBLIC)
METHODS["copy2numpy"] = _copy2numpy
METHODS["to_device"] = _to_device
