#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/skald/__init__.pyi from the package itself: run it where `import skald` works.

    PYTHONPATH=python python tools/make_python_stubs.py
"""

import inspect
import pathlib

import numpy

import skald
from skald import _native, _names

NUMBERS = {"allclose": "bool", "array_equal": "bool", "array_equiv": "bool", "count_nonzero": "int | ndarray", "broadcast_arrays": "tuple[ndarray, ...]",
           "meshgrid": "tuple[ndarray, ...]", "nonzero": "tuple[ndarray, ...]", "where": "ndarray | tuple[ndarray, ...]", "split": "list[ndarray]",
           "array_split": "list[ndarray]", "hsplit": "list[ndarray]", "vsplit": "list[ndarray]", "dsplit": "list[ndarray]", "unstack": "tuple[ndarray, ...]",
           "ix_": "tuple[ndarray, ...]", "copyto": "None", "put": "None", "putmask": "None", "put_along_axis": "None", "fill_diagonal": "None"}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_python_stubs.py.
import inspect
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

import numpy
from numpy import *  # noqa: F403 - types, constants, and functions that are passed through
from numpy import dtype
from . import fft as fft, linalg as linalg, random as random, testing as testing

class Fallback(NamedTuple):
    kind: str
    what: str
    file: str
    line: int
    calls: int
    bytes: int

class FallbackWarning(UserWarning): ...
class FallbackError(RuntimeError): ...

def flush() -> None: ...
def stats() -> dict[str, Any]: ...
def fallbacks(kind: str | None = None) -> list[Fallback]: ...
def clear_fallbacks() -> None: ...
def set_fallback(mode: str) -> str: ...
def set_option(name: str, value: Any) -> None: ...
def backend(name: str) -> None: ...

class ProgramError(RuntimeError): ...
class RecordedValueError(TypeError): ...

class Entry:
    __name__: str
    __signature__: inspect.Signature
    def __call__(self, *arguments: Any, **keywords: Any) -> Any: ...

class Program:
    __file__: str
    def __getattr__(self, name: str) -> Entry: ...
    def __getitem__(self, name: str) -> Entry: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

def load(file: str | PathLike[str] | Any, *arguments: Any, **keywords: Any) -> Any: ...
def compile_text(source: str, language: str = "futhark", name: str | None = None) -> Program: ...

_P = ParamSpec("_P")
_R = TypeVar("_R")

class Captured(Generic[_P, _R]):
    reason: str | None
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    def clear(self) -> None: ...

def jit(function: Callable[_P, _R]) -> Captured[_P, _R]: ...
def grad(fun: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]: ...
def value_and_grad(fun: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., tuple[Any, Any]]: ...
def jvp(fun: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]: ...
def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]: ...
def hessian(fun: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]: ...

class errstate:
    def __init__(self, *, all: str = ..., divide: str = ..., over: str = ..., under: str = ..., invalid: str = ...) -> None: ...
    def __enter__(self) -> errstate: ...
    def __exit__(self, *error: Any) -> None: ...
    def __call__(self, function: Any) -> Any: ...

class ufunc:
    nin: int
    nout: int
    nargs: int
    identity: Any
    types: list[str]
    signature: str | None
    def __call__(self, *inputs: Any, out: Any = ..., where: Any = ..., casting: str = ..., order: str = ..., dtype: Any = ..., subok: bool = ...) -> Any: ...
    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = ..., where: Any = ...) -> ndarray: ...
    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> ndarray: ...
    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> ndarray: ...
    def outer(self, A: Any, B: Any, **kwargs: Any) -> ndarray: ...
    def at(self, a: ndarray, indices: Any, b: Any = ...) -> None: ...
'''
PROPERTIES = {"T": "ndarray", "mT": "ndarray", "real": "ndarray", "imag": "ndarray", "base": "Any", "dtype": "dtype[Any]", "shape": "tuple[int, ...]", "strides": "tuple[int, ...]",
              "ndim": "int", "size": "int", "itemsize": "int", "nbytes": "int", "flags": "Any", "flat": "Any", "data": "memoryview", "device": "str"}
OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def parameters(function):
    """The parameters as text, with `...` for every default."""
    shown = []
    star = False
    previous = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            shown.append("self")
            continue
        if previous is not None and previous.kind is parameter.POSITIONAL_ONLY and parameter.kind is not parameter.POSITIONAL_ONLY:
            shown.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        if parameter.kind is parameter.VAR_POSITIONAL:
            star = True
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty or mark else " = ..."
        shown.append(f"{mark}{parameter.name}: Any{default}")
        previous = parameter
    if previous is not None and previous.kind is previous.POSITIONAL_ONLY:
        shown.append("/")
    return ", ".join(shown)


def methods():
    from skald import _methods, _protocols
    lines = ["", "class ndarray:"] + [f"    {name}: {kind}" for name, kind in PROPERTIES.items()]
    for name in sorted(n for n in dir(skald.ndarray) if not n.startswith("_") and n not in PROPERTIES):
        own = _methods.PUBLIC.get(name) or _protocols.METHODS.get(name)
        text = parameters(own) if inspect.isfunction(own) else "self, *args: Any, **kwargs: Any"
        result = {"tolist": "Any", "item": "Any", "tobytes": "bytes", "nonzero": "tuple[ndarray, ...]", "sort": "None", "fill": "None", "copy2numpy": "numpy.ndarray[Any, Any]"}.get(name, "ndarray")
        lines.append(f"    def {name}({text}) -> {result}: ...")
    for name in OPERATORS:
        for form in ("", "r", "i"):
            lines.append(f"    def __{form}{name}__(self, other: Any) -> ndarray: ...")
    lines += [f"    def __{name}__(self, other: Any) -> ndarray: ..." + ("  # type: ignore[override]" if name in ("eq", "ne") else "") for name in ("lt", "le", "gt", "ge", "eq", "ne")]
    lines += [f"    def __{name}__(self) -> ndarray: ..." for name in ("neg", "pos", "abs", "invert")]
    lines += [f"    def __{name}__(self) -> {kind}: ..." for name, kind in {"bool": "bool", "int": "int", "float": "float", "complex": "complex", "index": "int", "len": "int", "iter": "Iterator[Any]"}.items()]
    return lines + ["    def __getitem__(self, key: Any) -> Any: ...", "    def __setitem__(self, key: Any, value: Any) -> None: ...",
                    "    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]: ..."]


def main():
    lines = HEAD.splitlines() + methods() + [""]
    ufuncs = {name for name, value in vars(skald).items() if isinstance(value, skald.ufunc)}
    lines += [f"{name}: ufunc" for name in sorted(ufuncs)] + [""]
    for name in sorted(set(_native.table) - ufuncs):
        lines.append(f"def {name}({parameters(_native.table[name])}) -> {NUMBERS.get(name, 'ndarray')}: ...")
    path = pathlib.Path(skald.__file__).with_suffix(".pyi")
    path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines)} lines; {len(_names.TYPES)} types are NumPy's ({numpy.__version__})")


if __name__ == "__main__":
    main()
