# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that are compositions, library calls, or attributes with a life of their own.

`_protocols.install` puts those into the type that the extension does not have itself.
"""

import operator
import warnings

import numpy

from . import _core
from ._engine import asarray, from_numpy, ndarray, normalize_axes, normalize_axis, share, to_numpy
from ._fallback import call_real

u = _core.ufuncs


def _count(a, axis, where, keepdims):
    """How many elements go into each result: a number, or an array if there is a mask."""
    if where is not True:
        mask = _core.view(asarray(where), a.shape, *_stretched(asarray(where), a.shape))
        return u["add"].reduce(mask, axis=axis, dtype=numpy.intp, keepdims=keepdims)
    count = 1
    for place in range(a.ndim) if axis is None else normalize_axes(axis, a.ndim):
        count *= a.shape[place]
    return count


def _stretched(a, shape):
    """The strides that make `a` look as if it had a larger shape, and no offset."""
    steps = [stride // a.itemsize for stride in a.strides]
    missing = len(shape) - a.ndim
    if missing < 0 or any(have not in (1, want) for have, want in zip(a.shape, shape[missing:])):
        raise ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: "
                         f"{_text(a.shape)}  and requested shape {_text(shape)}")
    grown = [0 if have == 1 and want != 1 else step for have, want, step in zip(a.shape, shape[missing:], steps)]
    return [0] * missing + grown, 0


def _text(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def broadcast_to(a, shape):
    """A read-only view of a larger shape."""
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of broadcast shape must be non-negative")
    result = _core.view(a, shape, *_stretched(a, shape))
    result._read_only = True
    return result


def _quotient(total, count, out):
    """total / count in the dtype of the total."""
    if out is not None:
        return u["divide"](out, count, out=out, casting="unsafe")
    result = u["divide"](total, count)
    return result if result.dtype == total.dtype else result.astype(total.dtype)


def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The arithmetic mean, along axes or of all."""
    plain = axis is None and out is None and where is True and not keepdims
    count, half = _core.count_selected(self) if plain else None, False
    selected = count is not None
    if not selected:
        count = _count(self, axis, where, keepdims)
    if not selected and _none_left(count):
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=2)
    if dtype is None:
        if self.dtype.kind in "biu":
            dtype = numpy.dtype("f8")
        elif self.dtype == numpy.float16:
            dtype, half = numpy.dtype("f4"), True
    more = {} if where is True else {"where": where}
    total = u["add"].reduce(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)
    result = _quotient(total, count, out)
    return result.astype(self.dtype) if half and out is None else result


def _none_left(count):
    return count == 0 if isinstance(count, int) else bool(numpy.asarray(count == 0).any())


def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The mean square distance from the mean."""
    ddof = ddof if correction is None else correction
    count = _count(self, axis, where, True)
    if (count <= ddof) if isinstance(count, int) else bool(numpy.asarray(count <= ddof).any()):
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
    if dtype is None and self.dtype.kind in "biu":
        dtype = numpy.dtype("f8")
    more = {} if where is True else {"where": where}
    if mean is None:
        total = u["add"].reduce(self, axis=axis, dtype=dtype, keepdims=True, **more)
        mean = _quotient(total, count, None)
    distance = u["subtract"](self, mean)
    square = u["multiply"](distance, distance.conj()).real if distance.dtype.kind == "c" else u["multiply"](distance, distance)
    total = u["add"].reduce(square, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)
    freedom = max(count - ddof, 0) if isinstance(count, int) else u["maximum"](_count(self, axis, where, keepdims) - ddof, 0)
    return _quotient(total, freedom, out)


def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The square root of the variance."""
    result = var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    if out is not None:
        return u["sqrt"](out, out=out)
    root = u["sqrt"](result)
    return root if root.dtype == result.dtype else root.astype(result.dtype)


def clip(self, min=None, max=None, out=None, **keywords):
    """Elements brought into an interval."""
    if min is None and max is None:
        return u["positive"](self, out=out, **keywords) if self.dtype != bool else self.copy()
    exact = self.dtype.kind in "iu" and any(isinstance(v, int) and not _fits(v, self.dtype) for v in (min, max))
    if exact or self.dtype.kind == "b":
        return call_real("fallback", "np.clip with limits outside the dtype", numpy.clip, (self, min, max), {"out": out, **keywords} if out is not None else keywords)
    if max is None:
        return u["maximum"](self, min, out=out, **keywords)
    if min is None:
        return u["minimum"](self, max, out=out, **keywords)
    if self.dtype.char in "fd" and _is_even(min) and _is_even(max):
        # Of zeros that differ in sign `maximum` takes the second, and NumPy's loop for even limits the array's.
        return u["minimum"](max, u["maximum"](min, self, **keywords), out=out, **keywords)
    return u["minimum"](u["maximum"](self, min, **keywords), max, out=out, **keywords)


def _is_even(limit):
    """True for one number along the last axis."""
    extents = numpy.shape(limit) if not hasattr(limit, "shape") else limit.shape
    return not extents or extents[-1] == 1


def _fits(value, dtype):
    limits = numpy.iinfo(dtype)
    return limits.min <= value <= limits.max


def round(self, decimals=0, out=None):
    """Elements rounded to so many decimals, half to even."""
    decimals = operator.index(decimals)
    if self.dtype.kind not in "fc" or out is not None:
        return call_real("host", "ndarray.round", numpy.round, (self, decimals), {} if out is None else {"out": out})
    if decimals == 0:
        return u["rint"](self)
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return u["divide"](u["rint"](u["multiply"](self, factor)), factor)
    return u["multiply"](u["rint"](u["divide"](self, factor)), factor)


def diagonal(self, offset=0, axis1=0, axis2=1):
    """A view of a diagonal."""
    if self.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = normalize_axis(axis1, self.ndim), normalize_axis(axis2, self.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    steps = [stride // self.itemsize for stride in self.strides]
    rows, columns = self.shape[first], self.shape[second]
    start = offset * steps[second] if offset >= 0 else -offset * steps[first]
    count = max(0, min_of(rows, columns - offset) if offset >= 0 else min_of(rows + offset, columns))
    kept = [place for place in range(self.ndim) if place not in (first, second)]
    result = _core.view(self, [self.shape[p] for p in kept] + [count], [steps[p] for p in kept] + [steps[first] + steps[second]], start if count else 0)
    result._read_only = True
    return result


def min_of(a, b):
    return a if a < b else b


def take(self, indices, axis=None, out=None, mode="raise"):
    """Elements at places along an axis."""
    if axis is None:
        self, axis = self.ravel(), 0
    axis = normalize_axis(axis, self.ndim)
    places = asarray(indices)
    if type(places) is not ndarray or places.dtype.kind not in "iub" or mode not in ("raise", "wrap", "clip") or places.dtype.kind == "b":
        return call_real("host", "np.take", numpy.take, (self, indices, axis), {"mode": mode, **({} if out is None else {"out": out})})
    extent = self.shape[axis]
    if extent == 0 and places.size:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if mode == "wrap":
        places = u["remainder"](places.astype(numpy.int64), extent)
    elif mode == "clip":
        places = u["minimum"](u["maximum"](places.astype(numpy.int64), 0), extent - 1)
    result = self[(slice(None),) * axis + (places,)]
    if out is not None:
        out[...] = result
        return out
    return result


def _arg(name):
    def method(self, axis=None, out=None, *, keepdims=False):
        if self.size == 0 and (axis is None or self.shape[normalize_axis(axis, self.ndim)] == 0):
            raise ValueError(f"attempt to get {name} of an empty sequence")
        keywords = {"keepdims": keepdims} if out is None else {"out": out, "keepdims": keepdims}
        if out is not None or self.ndim == 0:
            return call_real("library", f"np.{name}", getattr(numpy, name), (self, axis), keywords)
        place = None if axis is None else normalize_axis(axis, self.ndim)
        real = getattr(numpy, name)
        shape = [1 if place in (None, p) else extent for p, extent in enumerate(self.shape)]
        if not keepdims:
            shape = [] if place is None else shape[:place] + shape[place + 1:]
        return _core.opaque(lambda a: numpy.asarray(real(a, axis=axis, keepdims=keepdims)), (self,), [(tuple(shape), numpy.dtype(numpy.intp))])[0]
    method.__name__ = name
    method.__doc__ = "Where the extreme element is, along an axis or of all."
    return method


argmax, argmin = _arg("argmax"), _arg("argmin")


def _library(name, kind="library"):
    real = getattr(numpy.ndarray, name)

    def method(self, *arguments, **keywords):
        return call_real(kind, f"ndarray.{name}", real, (self, *arguments), keywords)
    method.__name__ = name
    method.__doc__ = f"As NumPy's method {name}."
    return method


_places, choose = map(_library, ("nonzero", "choose"))


def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
    """The places of elements in sorted order."""
    from ._index import argsort as places
    return places(self, axis, kind, order, stable=stable)


def argpartition(self, kth, axis=-1, kind="introselect", order=None):
    """The places of elements if element `kth` were where it belongs in order."""
    from ._index import argpartition as places
    return places(self, kth, axis, kind, order)


def searchsorted(self, v, side="left", sorter=None):
    """Where values would go in this array, which is sorted."""
    from ._index import searchsorted as search
    return search(self, v, side, sorter)


def nonzero(self):
    """Where elements are not zero: one array of positions for each axis."""
    places = _places(self)
    if len(places) < 2:
        return places
    # Columns of one array, as NumPy's are: whoever flattens one gets a copy.
    table = from_numpy(numpy.stack([to_numpy(place) for place in places], axis=-1))
    return tuple(table[:, axis] for axis in range(len(places)))

tobytes, tofile, dump, dumps = (_library(name, "host") for name in ("tobytes", "tofile", "dump", "dumps"))


def compress(self, condition, axis=None, out=None):
    """Parts along an axis where a condition holds."""
    return call_real("library", "ndarray.compress", numpy.compress, (condition, self, axis), {} if out is None else {"out": out})


def sort(self, axis=-1, kind=None, order=None, *, stable=None):
    """Puts the elements into order, in place."""
    from ._index import sort as in_order
    self[...] = in_order(self, axis, kind, order, stable=stable)


def conj(self):
    """The complex conjugate."""
    return u["conjugate"](self) if self.dtype.kind == "c" else self


def dot(self, b, out=None):
    """The product with another array, as np.dot."""
    made = _core.product(self, b) if out is None else None
    if made is not None:
        return made
    from ._linear import dot as product
    return product(self, b, out)


def view(self, dtype=None, type=None):
    """A new array for the same memory; with another dtype, the same bytes read in another way."""
    if dtype is None and type is None:
        return self[...]
    real = to_numpy(self)
    arguments = [numpy.ndarray if v is ndarray else v for v in (dtype, type) if v is not None]
    viewed = real.view(*arguments)
    # Arrays of subclasses are NumPy's, on the same memory.
    return share(viewed, self) if viewed.__class__ is numpy.ndarray else viewed


def setflags(self, write=None, align=None, uic=None):
    """Allows or forbids writing."""
    if write is not None:
        if write and self._read_only and self.base is not None and getattr(self.base, "_read_only", False):
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        self._read_only = not write


class Flags:
    """What an array says about its memory."""

    __slots__ = ("_array",)
    _NAMES = {"C": "c_contiguous", "C_CONTIGUOUS": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
              "F_CONTIGUOUS": "f_contiguous", "O": "owndata", "OWNDATA": "owndata", "W": "writeable", "WRITEABLE": "writeable",
              "A": "aligned", "ALIGNED": "aligned", "X": "writebackifcopy", "WRITEBACKIFCOPY": "writebackifcopy", "B": "behaved",
              "BEHAVED": "behaved", "CA": "carray", "CARRAY": "carray", "FA": "farray", "FARRAY": "farray", "FNC": "fnc", "FORC": "forc"}

    def __init__(self, array):
        object.__setattr__(self, "_array", array)

    def _dense(self, order):
        step = self._array.itemsize
        if self._array.size == 0:
            return True
        for extent, stride in sorted_axes(self._array, order):
            if extent != 1 and stride != step:
                return False
            step *= extent
        return True

    c_contiguous = contiguous = property(lambda self: self._dense("C"))
    f_contiguous = fortran = property(lambda self: self._dense("F"))
    forc = property(lambda self: self._dense("C") or self._dense("F"))
    fnc = property(lambda self: self._dense("F") and not self._dense("C"))
    owndata = property(lambda self: self._array.base is None)
    aligned = property(lambda self: True)
    writebackifcopy = property(lambda self: False)
    behaved = property(lambda self: self.writeable)
    carray = property(lambda self: self.writeable and self._dense("C"))
    farray = property(lambda self: self.writeable and self.fnc)
    num = property(lambda self: 256 + 1024 * self.writeable + self._dense("C") + 2 * self._dense("F") + 4 * self.owndata)
    writeable = property(lambda self: not self._array._read_only, lambda self, value: self._array.setflags(write=value))

    def __eq__(self, other):
        return getattr(other, "num", None) == self.num

    __hash__ = None

    def __getitem__(self, name):
        if name not in self._NAMES:
            raise KeyError("Unknown flag")
        return getattr(self, self._NAMES[name])

    def __setitem__(self, name, value):
        if self._NAMES.get(name) != "writeable":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __repr__(self):
        names = "C_CONTIGUOUS F_CONTIGUOUS OWNDATA WRITEABLE ALIGNED WRITEBACKIFCOPY".split()
        return "".join(f"  {name} : {self[name]}\n" for name in names)


def sorted_axes(array, order):
    pairs = list(zip(array.shape, array.strides))
    return pairs[::-1] if order == "C" else pairs


class Flat:
    """The elements of an array in a row: read, written, iterated over."""

    __slots__ = ("base", "_next")
    __hash__ = None

    def __init__(self, array):
        self.base, self._next = array, 0

    index = property(lambda self: self._next)
    coords = property(lambda self: numpy.unravel_index(self._next, self.base.shape))

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= self.base.size:
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __getitem__(self, key):
        return from_numpy(_core.readonly(self.base).flat[_core_key(key)])

    def __setitem__(self, key, value):
        to_numpy(self.base).flat[_core_key(key)] = numpy.asarray(value)

    def __array__(self, dtype=None, copy=None):
        return numpy.array(_core.readonly(self.base).ravel(), dtype=dtype)

    def copy(self):
        """A flat copy."""
        return self.base.flatten()


for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(Flat, f"__{_name}__", (lambda f: lambda self, other: f(self.copy(), other.copy() if isinstance(other, Flat) else other))(getattr(operator, _name)))


def _core_key(key):
    return numpy.asarray(key) if type(key) is ndarray else key


def _set_flat(self, value):
    to_numpy(self).flat = numpy.asarray(value)


def _part(self, imaginary):
    """A part of a complex array that sees what is written there: put off, or in the memory."""
    part = _core.part(self, imaginary)
    if part is not None:
        return part
    memory = to_numpy(self).imag if imaginary else to_numpy(self).real
    return from_numpy(memory.copy()) if self._is_scalar else share(memory, self)


def _real(self):
    """The real parts: the array itself, or a part of a complex one."""
    return _part(self, False) if self.dtype.kind == "c" else self


def _set_real(self, value):
    if self.dtype.kind == "c" and self._read_only:
        to_numpy(self).real = numpy.asarray(value)
    else:
        (_part(self, False) if self.dtype.kind == "c" else self)[...] = value


def _imag(self):
    """The imaginary parts: a view of a complex array, or zeros that cannot be written."""
    if self.dtype.kind == "c":
        return _part(self, True)
    zeros = _core.full(self.shape, 0, self.dtype)
    zeros._read_only = True
    return zeros


def _set_imag(self, value):
    if self.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    if self._read_only:
        to_numpy(self).imag = numpy.asarray(value)
    else:
        _part(self, True)[...] = value


_extension_ravel, _extension_fill = ndarray.ravel, ndarray.fill


def ravel(self, order="C"):
    """All elements in one row: a view if they lie one after the other, else a copy."""
    if order not in ("C", None):
        columns = order == "F" or (order in ("A", "K") and self.flags.fnc)
        if order not in ("F", "A", "K") or (order == "K" and not columns and not self.flags.c_contiguous):
            return call_real("host", "ndarray.ravel", numpy.ravel, (self, order), {})
        return ravel(self.T if columns else self)
    row = _extension_ravel(self)
    return row.copy() if row.size > 1 and row.strides[0] != row.itemsize else row


def fill(self, value):
    """Writes one value everywhere."""
    if self._read_only:
        raise ValueError("assignment destination is read-only")
    _extension_fill(self, value)


flags = property(Flags)
# These replace what the extension has: they can be written, and write through.
REPLACING = {"ravel": ravel, "fill": fill, "real": property(_real, _set_real), "imag": property(_imag, _set_imag)}
flat = property(Flat, _set_flat)

PUBLIC = {name: globals()[name] for name in """mean var std clip round diagonal take argmax argmin nonzero argsort searchsorted choose argpartition
    tobytes tofile dump dumps compress sort conj dot view setflags flags flat""".split()}
PUBLIC["conjugate"] = conj
