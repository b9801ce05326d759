# SPDX-License-Identifier: Apache-2.0
"""Programs of Skald's languages as Python modules: their entry points take and give lazy arrays.

A call is recorded like any other operation, and compiled together with what is around it.
"""

import inspect
import keyword
import os
import warnings

import numpy

from . import _core
from ._engine import asarray, ndarray
from ._fallback import passed_through
from ._layout import Layout, Opaque

ProgramError = _core.ProgramError


_ENDINGS = {"futhark": ".fut", "nesl": ".nesl", "core": ".core"}
_numpy_load = passed_through(numpy.load, "np.load", "host")


def load(file, *arguments, **keywords):
    """A program (.fut, .nesl) as an object whose entry points are functions; any other file as NumPy's load does."""
    name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else ""
    if not str(name).endswith(tuple(_ENDINGS.values())):
        return _numpy_load(file, *arguments, **keywords)
    if arguments or keywords:
        raise TypeError("load() of a program takes the name of its file only")
    if not os.path.isfile(name):
        raise FileNotFoundError(2, os.strerror(2), name)
    return Program(name, None, "")


def compile_text(source, language="futhark", name=None):
    """The same for a text; `name` is what messages call it."""
    return Program(name or "text" + _ENDINGS.get(language, ""), source, language)


class Program:
    """A loaded program.  Its entry points are attributes, and `program["name"]`."""

    def __init__(self, path, text, language):
        entries, messages = _core.load_program(path, text, language)
        if messages:
            warnings.warn(messages.rstrip(), stacklevel=3)
        self.__file__ = path
        self.__name__ = os.path.splitext(os.path.basename(path))[0]
        self._entries = {entry.__name__: entry for entry in (Entry(path, *each) for each in entries)}

    def __getattr__(self, name):
        try:
            return self.__dict__["_entries"][name]
        except KeyError:
            known = ", ".join(self.__dict__.get("_entries", ())) or "none"
            raise AttributeError(f"{self.__dict__.get('__file__')} has no entry point {name!r}; it has {known}") from None

    def __getitem__(self, name):
        if name in self._entries:
            return self._entries[name]
        raise KeyError(name)

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._entries})

    def __repr__(self):
        return f"<skald program {self.__file__!r}: {', '.join(self._entries)}>"


class Entry:
    """An entry point: a function of lazy arrays, NumPy arrays and numbers."""

    def __init__(self, path, number, name, sizes, result_sizes, params, results, source_params, source_results):
        self.__name__ = self.__qualname__ = name
        self.__module__ = os.path.splitext(os.path.basename(path))[0]
        self._number, self._sizes, self._result_sizes = number, sizes, result_sizes
        self._params, self._results = params, results
        names = [each[0] or f"x{i}" for i, each in enumerate(source_params)]
        self._names = [each if each.isidentifier() and not keyword.iskeyword(each) and names.count(each) == 1 else f"x{i}" for i, each in enumerate(names)]
        self._given = [Layout(*each[1:]) for each in source_params]
        self._gives = [Layout(*each[1:]) for each in source_results]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(each, kind, annotation=layout.type) for each, layout in zip(self._names, self._given)],
                                               return_annotation=self._result_text())
        self.__doc__ = self._documentation(path)

    def _result_text(self):
        texts = [("*" if each.unique else "") + each.type for each in self._gives]
        return texts[0] if len(texts) == 1 else "(" + ", ".join(texts) + ")"

    def _documentation(self, path):
        params = " ".join(f"({name}: {'*' if each.unique else ''}{each.type})" for name, each in zip(self._names, self._given))
        text = f"entry {self.__name__} {params}: {self._result_text()}\n\nOf {path}."
        if any(each.unique for each in self._given):
            text += "  Arguments marked * are copied if anybody else may read them."
        if self._result_sizes:
            text += "  The shape of a result is known only when it has run, so a call is not put off."
        return text

    def __repr__(self):
        return f"<skald entry {self.__doc__.splitlines()[0][6:]}>"

    def __call__(self, *arguments, **keywords):
        if keywords or len(arguments) != len(self._names):
            try:
                arguments = self.__signature__.bind(*arguments, **keywords).arguments.values()
            except TypeError as problem:
                raise TypeError(f"{self.__name__}(): {problem}") from None
        sizes, inputs = self._check(arguments)
        if self._result_sizes:
            parts = list(_core.call_now(self._number, sizes, inputs))[self._result_sizes:]
        else:
            outputs = [(tuple(self._extent(dim, sizes, inputs) for dim in dims), dtype) for dtype, _, dims in self._results]
            parts = list(_core.call(self._number, sizes, inputs, outputs))
        given, at = [], 0
        for layout in self._gives:
            given.append(layout.put_together(parts[at:at + layout.count]))
            at += layout.count
        return given[0] if len(given) == 1 else tuple(given)

    def run_now(self, *arguments):
        """Runs it alone, before anything that is pending; the core values of all results."""
        return list(_core.call_now(self._number, *self._check(arguments)))[self._result_sizes:]

    def _check(self, arguments):
        """Sizes and inputs of a call; TypeError or ValueError that names the parameter."""
        values = []
        for name, layout, value in zip(self._names, self._given, arguments):
            parts = layout.take_apart(value, f"{self.__name__}(): parameter {name}")
            values += [(f"{self.__name__}(): parameter {name}", layout, part) for part in parts]
        sizes, known_from, inputs = [None] * self._sizes, {}, []
        for (where, layout, value), (dtype, _, dims) in zip(values, self._params[self._sizes:]):
            value = _converted(value, dtype, len(dims), where, layout.type)
            inputs.append(value)
            if not dims:
                continue
            for axis, (is_param, number) in enumerate(dims):
                extent = value.shape[axis]
                if not is_param:
                    wanted, reason = number, f"the type {layout.type}"
                elif number < self._sizes:
                    if sizes[number] is None:
                        sizes[number], known_from[number] = extent, where.rpartition(" ")[2]
                    wanted, reason = sizes[number], f"parameter {known_from.get(number)}"
                else:
                    wanted, reason = self._number_of(inputs, number), "another parameter"
                if extent != wanted:
                    raise ValueError(f"{where} ({layout.type}): axis {axis} has {extent} elements, but {wanted} are asked for by {reason}; "
                                     f"the shape is {value.shape}")
        return tuple(0 if size is None else size for size in sizes), inputs

    def _number_of(self, inputs, number):
        value = inputs[number - self._sizes] if number - self._sizes < len(inputs) else 0
        return int(value[0] if type(value) is tuple else value)

    def _extent(self, dim, sizes, inputs):
        is_param, number = dim
        if not is_param:
            return number
        if number < self._sizes:
            return sizes[number]
        extent = self._number_of(inputs, number)
        if extent < 0:
            raise ValueError(f"{self.__name__}(): a result would have {extent} elements along an axis")
        return extent


def _converted(value, dtype, rank, where, text):
    """An array of ours of that dtype and rank, or a pair of a number and the dtype."""
    if rank == 0 and isinstance(value, (bool, int, float)) and not isinstance(value, numpy.generic):
        return (_number(value, dtype, where, text), dtype)
    if isinstance(value, (list, tuple)):
        value = numpy.asarray(value)
        if value.size == 0 or (value.dtype.kind in "iuf" and numpy.can_cast(value.dtype, dtype, "same_kind")):
            value = value.astype(dtype)
    array = value if type(value) is ndarray else _as_ours(value, where, text, dtype, rank)
    if rank == 0 and array.ndim == 0 and array.dtype != dtype and numpy.can_cast(array.dtype, dtype, "safe"):
        array = array.astype(dtype)
    if array.dtype != dtype or array.ndim != rank:
        raise TypeError(f"{where} ({text}): {_described(dtype, rank)} is expected, but {_described(array.dtype, array.ndim)} was given")
    return array


def _as_ours(value, where, text, dtype, rank):
    if hasattr(value, "__array__") or isinstance(value, numpy.generic):
        made = asarray(value)
        if type(made) is ndarray:
            return made
    raise TypeError(f"{where} ({text}): {_described(dtype, rank)} is expected, but {type(value).__name__} was given")


def _number(value, dtype, where, text):
    """A Python number in the range of a type, as NumPy has it: no float becomes an integer."""
    kind = dtype.kind
    if isinstance(value, bool):
        fits = kind == "b"
    elif isinstance(value, int):
        fits = kind in "iuf"
        if kind in "iu" and not numpy.iinfo(dtype).min <= value <= numpy.iinfo(dtype).max:
            raise ValueError(f"{where} ({text}): {value} is not in the range of {dtype}")
    else:
        fits = kind == "f"
    if not fits:
        raise TypeError(f"{where} ({text}): a number of type {dtype} is expected, but {value!r} was given")
    return float(value) if kind == "f" else value


def _described(dtype, rank):
    return f"a number of type {dtype}" if rank == 0 else f"an array of {dtype} with {rank} {'axis' if rank == 1 else 'axes'}"


__all__ = ["Entry", "Opaque", "Program", "ProgramError", "compile_text", "load"]
