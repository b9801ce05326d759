# SPDX-License-Identifier: Apache-2.0
"""Functions whose work is done by programs of our own, kernels/*.fut: histograms, searches, elements at places, and on devices order (_sorting.py).

Until a program has had enough to do that compiling it pays, NumPy does the work; then it is compiled beside the
script.  From then on calls on large arrays are nodes of the graph, which are compiled together with what is
around them, use all cores, and leave arrays on their device.
"""

import os
import threading
import time

import numpy

from . import _core
from ._engine import from_numpy, ndarray, peek
from ._load import compile_text

FOLDER = os.path.join(os.path.dirname(__file__), "kernels")
TYPES = {numpy.dtype(name): text for name, text in (
    ("int8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"), ("uint8", "u8"), ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"),
    ("float32", "f32"), ("float64", "f64"))}

LEAST = 1e-4
"""Seconds of NumPy's: what takes it less is not worth a plan."""
ENOUGH = 0.04
"""Seconds that NumPy may spend on a function before it is compiled."""


class Kernel:
    """One entry point, for one type of elements."""

    def __init__(self, file, name, dtype, samples):
        self.file, self.name, self.dtype, self._samples = file, name, dtype, samples
        self.spent, self.entry, self.state = 0.0, None, "left to NumPy so far"
        self._thread = None

    def compile(self):
        """Compiles the entry point and runs it once, as kernels become machine code when they are first run."""
        started = time.perf_counter()
        try:
            with open(os.path.join(FOLDER, f"{self.file}.fut"), encoding="utf-8") as source:
                text = source.read()
            text = text.replace("number = f64", f"number = {TYPES[self.dtype]}").replace("number = keys.f64", f"number = keys.{TYPES[self.dtype]}")
            entry = compile_text(text, name=f"{self.file}.fut")[self.name]
            entry.run_now(*self._samples(self.dtype))
            self.entry, self.state = entry, f"compiled in {time.perf_counter() - started:.3f} s"
        except Exception as problem:  # noqa: BLE001 - NumPy goes on, and np.stats() says why
            self.state = f"failed: {problem}"

    def ready(self, seconds):
        """The entry point, if calls that take NumPy `seconds` should be recorded; else None, and NumPy does it."""
        evaluator = _core.option("evaluator")
        if evaluator == "numpy" or _core.recording():
            return None
        if evaluator == "compiled":
            if self.entry is None and self._thread is None:
                self._thread = threading.current_thread()
                self.compile()
            return self.entry
        if seconds < LEAST:
            return None
        self.spent += seconds
        if self._thread is None and self.spent > ENOUGH:
            # Not a daemon: Python waits for it at the end, as the compiler must not be left in the middle.
            self._thread = threading.Thread(target=self.compile, name="skald-kernel")
            self._thread.start()
        return self.entry


_known = {}


def kernel(file, name, dtype, seconds, samples):
    """The entry point `name` of kernels/`file`.fut, or None if NumPy should do what takes it `seconds`."""
    found = _known.get((file, name, dtype))
    if found is None:
        if dtype not in TYPES:
            return None
        found = _known[file, name, dtype] = Kernel(file, name, dtype, samples)
    return found.ready(seconds)


def states():
    """What became of the kernels that were asked for."""
    return {f"{file}.{name} {dtype}": kernel.state for (file, name, dtype), kernel in sorted(_known.items(), key=lambda item: str(item[0]))}


def _some(dtype):
    return numpy.arange(2, dtype=dtype)


def _places():
    return numpy.zeros(2, numpy.int64)


def ends(places):
    """The least and the largest; what is pending stays so, if it can."""
    if not places._is_pending and _core.option("backend") == "cpu":
        places = peek(places)
    return int(places.min()), int(places.max())


def in_bounds(places, extent):
    """True if all places are, from the start or, negative, from the end."""
    if places.size == 0:
        return True
    least, largest = ends(places)
    return -extent <= least and largest < extent


def take(a, places):
    """a[places] for integers along the first axis as a node of the graph; None: NumPy should do it.  Called by the extension."""
    row = a.size // a.shape[0]
    name, seconds = ("elements", 3e-9) if a.ndim == 1 else ("rows", 2e-9 + 1e-9 * row)
    shape = (2,) if a.ndim == 1 else (2, 2)
    entry = kernel("take", name, a.dtype, seconds * places.size, lambda dtype: (numpy.zeros(shape, dtype), _places()))
    if entry is None or not in_bounds(places, a.shape[0]):
        return None
    flat = places.astype(numpy.int64).ravel()
    taken = entry(a if a.ndim == 1 else a.reshape(a.shape[0], row), flat)
    return taken.reshape(places.shape + a.shape[1:])


AT = {"add": "add_at", "subtract": "add_at", "maximum": "maximum_at", "minimum": "minimum_at"}


def update_at(name, a, places, values):
    """np.NAME.at(a, places, values) in the graph; False: NumPy should do it.  Called by the extension."""
    entry_name = AT.get(name)
    places = tuple(places) if type(places) is tuple else (places,)
    if entry_name is None or len(places) != a.ndim or not a.flags.c_contiguous or a._read_only or (name in ("maximum", "minimum") and a.dtype.kind == "f"):
        return False
    if any(getattr(p, "dtype", None) is None or p.dtype.kind not in "iu" or p.ndim == 0 for p in places):
        return False
    extents = numpy.broadcast_shapes(*(p.shape for p in places))
    count = numpy.prod(extents, dtype=int)
    if a.size > 4 * count or numpy.broadcast_shapes(extents, numpy.shape(values)) != extents:
        return False
    if not numpy.can_cast(values.dtype if hasattr(values, "dtype") else numpy.min_scalar_type(values), a.dtype, "same_kind"):
        return False
    entry = kernel("bins", entry_name, a.dtype, 5e-9 * count, lambda dtype: (_some(dtype), _places(), _some(dtype)))
    if entry is None:
        return False
    from . import asarray, broadcast_to
    places = [asarray(p) for p in places]
    if not all(in_bounds(p, extent) for p, extent in zip(places, a.shape)):
        return False
    flat = 0
    for p, extent in zip(places, a.shape):
        p = p.astype(numpy.int64)
        # One axis: the program itself counts from the end.
        flat = p if a.ndim == 1 else flat * extent + p + (p < 0) * extent
    values = asarray(values).astype(a.dtype)
    if name == "subtract":
        values = -values
    flat, values = broadcast_to(flat, extents).ravel(), broadcast_to(values, extents).ravel()
    a[...] = entry(a.ravel(), flat, values).reshape(a.shape)
    return True


def bincount(x, weights, minlength):
    """np.bincount in the graph, or None."""
    if x.ndim != 1 or x.dtype.kind not in "iu" or not numpy.can_cast(x.dtype, numpy.int64, "safe") or minlength < 0:
        return None
    if weights is not None and (weights.shape != x.shape or not numpy.can_cast(weights.dtype, numpy.float64, "safe")):
        return None
    if weights is None:
        entry = kernel("bins", "count", numpy.dtype(float), 3e-9 * x.size, lambda _: (2, _places()))
    else:
        entry = kernel("bins", "total", numpy.dtype(float), 4e-9 * x.size, lambda _: (2, _places(), numpy.zeros(2)))
    if entry is None or x.size == 0:
        return None
    least, largest = ends(x)
    if least < 0:
        return None
    bins = max(largest + 1, minlength)
    places = x.astype(numpy.int64)
    return entry(bins, places) if weights is None else entry(bins, places, weights.astype(numpy.float64))


def histogram(a, bins, range, weights):
    """The counts, or sums of weights, of the elements in bins of one width, and the edges; None: NumPy should do it."""
    if a.dtype.kind != "f" or (weights is not None and (weights.dtype != numpy.float64 or weights.shape != a.shape)):
        return None
    if weights is not None and _core.option("backend") == "cpu":
        return None  # the extension adds up in NumPy's order
    name, more = ("histogram", ()) if weights is None else ("weighted_histogram", (weights.ravel(),))
    entry = kernel("bins", name, a.dtype, 4e-9 * a.size, lambda dtype: (1, _some(dtype), _some(dtype)) + (numpy.arange(2.0),) * len(more))
    if entry is None:
        return None
    # NumPy makes the edges of the least and the largest element, or says what is wrong with them.
    least_and_largest = numpy.asarray([float(a.min()), float(a.max())] if range is None else [0, 0], a.dtype)
    edges = numpy.histogram_bin_edges(least_and_largest, bins, range)
    if edges.dtype != a.dtype:
        return None
    edges = from_numpy(edges)
    return entry(len(edges) - 1, edges, a.ravel(), *more), edges


def searchsorted(a, v, side):
    """np.searchsorted in the graph, or None."""
    if a.ndim != 1 or v.ndim == 0 or a.dtype != v.dtype or a.size == 0:
        return None
    seconds = v.size * 4e-9 * (a.size.bit_length() + 1)
    entry = kernel("search", side, a.dtype, seconds, lambda dtype: (_some(dtype), _some(dtype)))
    return None if entry is None else entry(a, v.ravel()).reshape(v.shape)


def interp(x, at, heights, left, right):
    """np.interp in the graph, or None."""
    if any(type(each) is not ndarray or each.dtype != numpy.float64 for each in (x, at, heights)) or x.ndim == 0 or at.ndim != 1 or at.shape != heights.shape or at.size == 0:
        return None
    pair = numpy.arange(2.0)
    seconds = x.size * 5e-9 * (at.size.bit_length() + 2)
    entry = kernel("search", "interpolate", x.dtype, seconds, lambda _: (pair, pair, 0.0, 0.0, pair))
    if entry is None:
        return None
    left = heights[:1].reshape(()) if left is None else float(left)
    right = heights[-1:].reshape(()) if right is None else float(right)
    return entry(at, heights, left, right, x.ravel()).reshape(x.shape)
