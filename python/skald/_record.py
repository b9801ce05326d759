# SPDX-License-Identifier: Apache-2.0
"""Running a function on arrays without values, to learn what it computes."""

import os

import numpy

from . import _core
from ._engine import asarray, ndarray
from ._trees import flatten

RecordedValueError = _core.RecordedValueError
# Purposes, as bits: the nodes will be recorded again at later calls; they will be differentiated.
TO_REPLAY, TO_DIFFERENTIATE = 1, 2

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def is_array(value):
    return type(value) is ndarray or isinstance(value, (numpy.ndarray, numpy.generic))


def record(function, arrays, purpose):
    """What `function` does with arrays like these: (recording, results, their structure).

    `function` gets a tuple of arrays without values.  The results are only good for their shapes and dtypes."""
    stand_ins = _core.begin_recording([(array.shape, array.dtype) for array in arrays], purpose)
    try:
        results = []
        structure = flatten(function(stand_ins), is_array, results)
        results = [asarray(result) for result in results]
        for result in results:
            if type(result) is not ndarray:
                raise RecordedValueError(f"a result has the dtype {result.dtype}, which only NumPy knows")
        if purpose == TO_DIFFERENTIATE:
            # Core functions give whole arrays.
            results = [_core.own(result) for result in results]
    except BaseException:
        _core.end_recording(None)
        raise
    return _core.end_recording(results), results, structure


def place_of(error):
    """The line of the user's program that an exception came from: "script.py:12 in step"."""
    found, trace = None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not os.path.abspath(code.co_filename).startswith(_PACKAGE):
            found = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next
    return found or "the function"


def refuse_in_replays(why):
    """Raises, if what happens now would be fixed for all later calls."""
    if _core.recording() & TO_REPLAY:
        raise RecordedValueError(why)
