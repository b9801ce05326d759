# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions over lazy arrays: grad, value_and_grad, jvp, vjp, hessian.

The function is recorded, its recording becomes a core function, and the compiler differentiates that.
The result is a call like any other: lazy, fused with what is around it, and it can be differentiated again.
"""

import functools
import operator

import numpy

from . import _core
from ._engine import asarray, full, ndarray
from ._record import TO_DIFFERENTIATE, RecordedValueError, place_of, record
from ._trees import fill, flatten


def _is_number_or_array(value):
    return type(value) is ndarray or isinstance(value, (numpy.ndarray, numpy.generic, int, float, complex)) and not isinstance(value, bool)


def _leaves(value, what):
    """The arrays that are differentiated, which must hold floats, and the structure around them."""
    leaves = []
    structure = flatten(value, _is_number_or_array, leaves)
    arrays = [asarray(leaf) for leaf in leaves]
    for array in arrays:
        if type(array) is not ndarray or array.dtype.kind != "f":
            raise TypeError(f"{what} must hold floats, but has the dtype {array.dtype}; integers have no derivatives (astype(float) makes floats of them)")
    if not arrays:
        raise TypeError(f"{what} holds no arrays or numbers")
    return arrays, structure


class Differentiable:
    """A recorded function of `arrays`, and what its derivatives need."""

    def __init__(self, name, function, arrays):
        def run(stand_ins):
            return function(iter(stand_ins))

        try:
            recording, results, self.structure = record(run, arrays, TO_DIFFERENTIATE)
        except RecordedValueError as problem:
            raise RecordedValueError(f"{name}: {problem} ({place_of(problem)}). Branches on values, print() and functions that NumPy runs "
                                     "cannot be differentiated; np.where chooses between values.") from None
        self.name, self.arrays = name, arrays
        self.results = [(result.shape, result.dtype) for result in results]
        try:
            self.function = _core.make_function(recording)
        except TypeError as problem:
            raise TypeError(f"{name}: {problem}") from None
        self.number, params, self.outputs, self.output_count = _core.function_info(self.function)
        self.active = [i for i, param in enumerate(params) if param >= 0]
        self.params = [params[i] for i in self.active]
        self._specs = [None] * self.output_count
        for spec, output in zip(self.results, self.outputs):
            self._specs[output] = spec

    def values(self):
        """The results of the function itself."""
        parts = _core.call_function(self.function, self.number, tuple(self.arrays), (), None)
        return [parts[output] for output in self.outputs]

    def _derived(self, mode, outputs):
        try:
            return _core.derive(self.number, mode, self.params, outputs)
        except TypeError as problem:
            raise TypeError(f"{self.name}: {problem}") from None

    def pull(self, seeds):
        """Results and cotangents of the arrays; `seeds` are pairs of a result's number and its cotangent."""
        outputs = [self.outputs[result] for result, _ in seeds]
        if not self.active or not seeds:
            return self.values(), [_zeros(array) for array in self.arrays]
        number = self._derived("vjp", outputs)
        specs = self._specs + [(self.arrays[i].shape, self.arrays[i].dtype) for i in self.active]
        parts = _core.call_function(self.function, number, tuple(self.arrays), tuple(seed for _, seed in seeds), specs)
        bars = [_zeros(array) if i not in self.active else None for i, array in enumerate(self.arrays)]
        for place, i in enumerate(self.active):
            bars[i] = parts[self.output_count + place]
        return [parts[output] for output in self.outputs], bars

    def push(self, tangents):
        """Results and their tangents."""
        floats = [i for i, (_, dtype) in enumerate(self.results) if dtype.kind == "f"]
        if not self.active or not floats:
            return self.values(), [full(shape, 0, dtype) for shape, dtype in self.results]
        outputs = sorted({self.outputs[i] for i in floats})
        number = self._derived("jvp", outputs)
        specs = self._specs + [self._specs[output] for output in outputs]
        parts = _core.call_function(self.function, number, tuple(self.arrays), tuple(tangents[i] for i in self.active), specs)
        dots = [parts[self.output_count + outputs.index(self.outputs[i])] if i in floats else full(*_zero_spec(self.results[i]))
                for i in range(len(self.results))]
        return [parts[output] for output in self.outputs], dots

    def columns(self, argument):
        """The derivatives of all results with respect to each element of one array."""
        if argument not in self.active:
            return [full(self.arrays[argument].shape + shape, 0, dtype) for shape, dtype in self.results]
        outputs = sorted(set(self.outputs))
        try:
            number = _core.derive(self.number, "jacobian", [self.params[self.active.index(argument)]], outputs)
        except TypeError as problem:
            raise TypeError(f"{self.name}: {problem}") from None
        shape = self.arrays[argument].shape
        specs = [(shape + self._specs[output][0], self._specs[output][1]) for output in outputs]
        parts = _core.call_function(self.function, number, tuple(self.arrays), (), specs)
        return [parts[outputs.index(output)] for output in self.outputs]


def _zeros(array):
    return full(array.shape, 0, array.dtype)


def _zero_spec(spec):
    shape, dtype = spec
    return shape, 0, dtype


def _chosen(name, arguments, argnums):
    """The numbers of the differentiated arguments, from 0."""
    single = not isinstance(argnums, (tuple, list))
    numbers = []
    for number in (argnums,) if single else argnums:
        number = operator.index(number)
        if not -len(arguments) <= number < len(arguments):
            raise TypeError(f"{name}: argnums has {number}, but {len(arguments)} positional arguments were given")
        numbers.append(number % len(arguments))
    return numbers, single


def _of_arguments(name, function, arguments, keywords, argnums):
    """The function as one of the arrays in the chosen arguments, these arrays, and the structure of the result."""
    numbers, single = _chosen(name, arguments, argnums)
    arrays, structures = [], []
    for number in numbers:
        found, structure = _leaves(arguments[number], f"{name}: argument {number}")
        arrays += found
        structures.append(structure)

    def run(stand_ins):
        values = list(arguments)
        for number, structure in zip(numbers, structures):
            values[number] = fill(structure, stand_ins)
        return function(*values, **keywords)

    return run, arrays, structures[0] if single else (tuple, tuple(structures))


def value_and_grad(fun, argnums=0, has_aux=False):
    """A function that gives (value, gradient) of `fun`, which must give one float.

    With has_aux `fun` gives (value, anything), and the result is ((value, anything), gradient)."""
    _check_function("value_and_grad", fun)

    @functools.wraps(fun)
    def derivative(*arguments, **keywords):
        run, arrays, structure = _of_arguments("grad", fun, arguments, keywords, argnums)
        recorded = Differentiable("grad", run, arrays)
        _check_scalar(recorded, has_aux)
        _, dtype = recorded.results[0]
        values, bars = recorded.pull([(0, full((), 1, dtype))])
        return fill(recorded.structure, iter(values)), fill(structure, iter(bars))

    return derivative


def _check_scalar(recorded, has_aux):
    first = recorded.structure
    if has_aux:
        if first == "leaf" or not isinstance(first, tuple) or first[0] is not tuple or len(first[1]) != 2:
            raise TypeError("grad: with has_aux the function must give a tuple of two, the value and something else")
        first = first[1][0]
    if first != "leaf":
        hint = "" if has_aux else "; has_aux=True allows a second result"
        raise TypeError(f"grad: the function must give one float, an array without axes{hint}")
    shape, dtype = recorded.results[0]
    if shape != ():
        raise TypeError(f"grad: the function must give one float, but gave an array of shape {shape}; np.sum makes one, jvp and vjp work for arrays")
    if dtype.kind != "f":
        raise TypeError(f"grad: the function must give a float, but gave {dtype}")


def grad(fun, argnums=0, has_aux=False):
    """A function that gives the gradient of `fun`, which must give one float; with has_aux (gradient, anything)."""
    both = value_and_grad(fun, argnums, has_aux)

    @functools.wraps(fun)
    def derivative(*arguments, **keywords):
        value, gradient = both(*arguments, **keywords)
        return (gradient, value[1]) if has_aux else gradient

    return derivative


def jvp(fun, primals, tangents):
    """(fun(*primals), the derivative there times the tangents); both are tuples of what `fun` takes."""
    _check_function("jvp", fun)
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("jvp: primals and tangents are tuples, with one item for each argument")
    arrays, structure = _leaves(tuple(primals), "jvp: primals")
    dots, tangent_structure = _leaves(tuple(tangents), "jvp: tangents")
    if tangent_structure != structure:
        raise TypeError("jvp: primals and tangents are not built alike")
    _check_alike("jvp: a tangent", arrays, dots)
    recorded = Differentiable("jvp", lambda stand_ins: fun(*fill(structure, stand_ins)), arrays)
    values, results = recorded.push(dots)
    return fill(recorded.structure, iter(values)), fill(recorded.structure, iter(results))


def vjp(fun, *primals, has_aux=False):
    """(fun(*primals), f): f takes cotangents, built like the result, and gives a tuple of those of the primals.

    With has_aux `fun` gives (result, anything), and so does this: (result, f, anything)."""
    _check_function("vjp", fun)
    arrays, structure = _leaves(primals, "vjp: primals")
    recorded = Differentiable("vjp", lambda stand_ins: fun(*fill(structure, stand_ins)), arrays)
    result_structure = recorded.structure
    if has_aux:
        if result_structure == "leaf" or not isinstance(result_structure, tuple) or len(result_structure[1]) != 2:
            raise TypeError("vjp: with has_aux the function must give a tuple of two, the result and something else")
        result_structure = result_structure[1][0]

    def pull(cotangents):
        given = []
        if flatten(cotangents, _is_number_or_array, given) != result_structure:
            raise TypeError("vjp: the cotangents are not built like the result")
        bars = [asarray(bar, dtype) for bar, (_, dtype) in zip(given, recorded.results)]
        for bar, (shape, _) in zip(bars, recorded.results):
            if bar.shape != shape:
                raise ValueError(f"vjp: a cotangent has the shape {bar.shape}, but its result {shape}")
        seeds = [(i, bar) for i, bar in enumerate(bars) if recorded.results[i][1].kind == "f"]
        return fill(structure, iter(recorded.pull(seeds)[1]))

    values = recorded.values()
    result = fill(recorded.structure, iter(values))
    return (result[0], pull, result[1]) if has_aux else (result, pull)


def hessian(fun, argnums=0):
    """A function that gives all second derivatives of `fun`, which must give one float.

    For an array of shape s it is an array of shape s + s; for several arguments a tuple of tuples."""
    _check_function("hessian", fun)

    @functools.wraps(fun)
    def derivative(*arguments, **keywords):
        run, arrays, structure = _of_arguments("hessian", fun, arguments, keywords, argnums)

        def gradient(stand_ins):
            inner = list(stand_ins)
            recorded = Differentiable("hessian", run, inner)
            _check_scalar(recorded, False)
            return recorded.pull([(0, full((), 1, recorded.results[0][1]))])[1]

        recorded = Differentiable("hessian", gradient, arrays)
        rows = [fill(structure, iter(recorded.columns(i))) for i in range(len(arrays))]
        return fill(structure, iter(rows))

    return derivative


def _check_alike(what, arrays, others):
    for array, other in zip(arrays, others):
        if array.shape != other.shape or array.dtype != other.dtype:
            raise ValueError(f"{what} has the shape {other.shape} and dtype {other.dtype}, but its argument {array.shape} and {array.dtype}")


def _check_function(name, fun):
    if not callable(fun):
        raise TypeError(f"{name} needs a function, not {type(fun).__name__}")
