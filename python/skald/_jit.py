# SPDX-License-Identifier: Apache-2.0
"""skald.jit: a function is run once by Python for each signature; later calls repeat what it recorded."""

import functools
import inspect

from . import _core
from ._engine import asarray, ndarray
from ._record import TO_REPLAY, RecordedValueError, is_array, place_of, record
from ._trees import LEAF, fill, flatten

# So many signatures are kept; the oldest leave first.
_MOST_KEPT = 256


def _bounded(table):
    if len(table) >= _MOST_KEPT:
        table.pop(next(iter(table)))
    return table


class Captured:
    """A function over lazy arrays that Python runs once for each signature.

    `reason` is None, or says why the last call was run by Python as ordinary code."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._function, self._known, self._plain = function, {}, {}
        self.reason = None

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<skald.jit of {self._function!r}, {len(self._known)} signatures>"

    def __call__(self, *arguments, **keywords):
        plain = None if keywords else _core.signature(arguments)
        if plain is None:
            return self._general(arguments, keywords)[0]
        known = self._plain.get(plain[0])
        if known is not None:
            self.reason = None
            recording, results = known
            made = _core.replay(recording, plain[1])
            return made[0] if results == LEAF else fill(results, iter(made))
        result, known = self._general(arguments, keywords)
        if known is not None:
            _bounded(self._plain)[plain[0]] = known
        return result

    def _general(self, arguments, keywords):
        """The result, and the recording it came from, if there is one."""
        arrays = []
        structure = flatten((arguments, keywords), is_array, arrays)
        arrays = [asarray(array) for array in arrays]
        if not all(type(array) is ndarray for array in arrays):
            return self._ordinary("an argument has a dtype that only NumPy knows", arguments, keywords)
        key = (structure, _core.recording(), tuple((array.dtype, array.shape) for array in arrays))
        try:
            known = self._known.get(key)
        except TypeError:
            return self._ordinary("an argument that is no array cannot be hashed, so calls cannot be compared", arguments, keywords)
        if known is None:
            known = self._record(arrays, structure)
            _bounded(self._known)[key] = known
        if type(known) is str:
            return self._ordinary(known, arguments, keywords)
        self.reason = None
        recording, results = known
        return fill(results, iter(_core.replay(recording, tuple(arrays)))), known

    def _record(self, arrays, structure):
        """A recording and the structure of the results; or a text: why there is none."""
        def run(stand_ins):
            arguments, keywords = fill(structure, iter(stand_ins))
            return self._function(*arguments, **keywords)

        try:
            recording, _, results = record(run, arrays, TO_REPLAY)
        except RecordedValueError as problem:
            return f"{place_of(problem)}: {problem}"
        return recording, results

    def _ordinary(self, why, arguments, keywords):
        self.reason = why
        return self._function(*arguments, **keywords), None

    def clear(self):
        """Forgets all recordings: needed when something changed that the function reads from outside."""
        self._known.clear()
        self._plain.clear()


def jit(function=None):
    """Captures a function over lazy arrays; a decorator.

    The first call with arguments of some dtypes and shapes runs Python; later ones repeat the recorded
    operations for their own arrays.  What the function reads from outside, and arguments that are no
    arrays, are as they were then (the latter are part of the signature)."""
    if function is None:
        return jit
    if not callable(function):
        raise TypeError(f"jit needs a function, not {type(function).__name__}")
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise TypeError("jit needs a function that returns its result; generators and coroutines do not")
    return Captured(function)
