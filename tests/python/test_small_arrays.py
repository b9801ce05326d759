# SPDX-License-Identifier: Apache-2.0
"""Arrays of few elements are computed without NumPy; nobody may notice."""

import operator
import warnings

import numpy
import pytest

import skald

UNARY = ("negative", "absolute", "square", "sqrt", "logical_not", "invert")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "less_equal", "greater", "greater_equal",
          "equal", "not_equal", "logical_and", "logical_or", "bitwise_and", "bitwise_or")
TYPES = ("bool", "int32", "int64", "float32", "float64")


def values(dtype):
    if dtype == "bool":
        return numpy.array([[True, False, True], [False, False, True]])
    if dtype.startswith("int"):
        least = numpy.iinfo(dtype).min
        return numpy.array([[least, -3, 0], [1, 7, ~least]], dtype=dtype)
    return numpy.array([[-1.5, -0.0, 0.0], [1e-3, numpy.inf, 2.5]], dtype=dtype)


def both(compute, *arrays):
    """What NumPy and Skald give, with their warnings."""
    found = []
    for np in (numpy, skald):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                result = numpy.asarray(compute(np, *map(np.asarray, arrays)))
            except TypeError:
                result = None
            found.append((result, sorted(str(w.message) for w in told)))
    return found


def check(compute, *arrays):
    (expected, warned), (result, also_warned) = both(compute, *arrays)
    assert (expected is None) == (result is None)
    assert warned == also_warned
    if expected is not None:
        assert expected.dtype == result.dtype
        numpy.testing.assert_array_equal(expected, result)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name, dtype):
    a = values(dtype)
    for view in (a, a.T, a[:, ::-1], a[0], a[1, 1:], a[1, 1]):
        check(lambda np, x: getattr(np, name)(x), view)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, dtype):
    a = values(dtype)
    for other in (a, a[:, ::-1], a[:1], a[:, :1], a[1, 2], 2, True):
        check(lambda np, x, y: getattr(np, name)(x, y), a, other)
        check(lambda np, x, y: getattr(np, name)(y, x), a, other)


@pytest.mark.parametrize("count", [1, 3, 7, 8, 9, 127, 128, 129, 200, 1000, 1024, 1025])
def test_sums_are_those_of_numpy(count):
    a = numpy.random.default_rng(count).normal(size=count)
    for name in ("sum", "max", "min"):
        check(lambda np, x: getattr(np, name)(x), a)


def test_sum_of_negative_zero():
    expected = numpy.signbit(numpy.sum(numpy.array([-0.0])))
    assert numpy.signbit(float(skald.sum(skald.array([-0.0])))) == expected


def test_writes_through_views():
    def program(np, a):
        b = np.array(a)
        b[1:, ::2] = a[:1, ::2]
        b[0] = 5
        b[:, 1] = b[:, 2]
        b[1:] = b[:1]
        b[0, 1:] = b[0, :-1]
        c = np.where(b > 1, b, -b)
        c[1, 1] = 17
        return c + b.T.T

    for dtype in ("int32", "int64", "float32", "float64"):
        check(program, values(dtype))


def test_infinities_and_nans():
    a = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, 1e308, 1e-308])
    for name in BINARY[:12]:
        check(lambda np, x: getattr(np, name)(x[:, None], x), a)


def test_errors_are_raised():
    for np in (numpy, skald):
        with np.errstate(divide="raise"):
            with pytest.raises(FloatingPointError):
                numpy.asarray(operator.truediv(np.array([1.0, 2.0]), np.array([0.0, 1.0])))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 2.0, 0.5, 10**30])
def test_powers_of_booleans(exponent):
    for size in (2, 5000):
        a = numpy.arange(size) % 2 == 0
        if exponent == 10**30:
            for np in (numpy, skald):
                with pytest.raises(OverflowError):
                    numpy.asarray(np.asarray(a) ** exponent)
            continue
        check(lambda np, x: x**exponent, a)
        check(lambda np, x: np.power(x, exponent), a)


def test_single_elements():
    def program(np, a):
        b = np.array(a)
        views = [b[1:], b.T]
        copy = b.copy()
        for i in range(3):
            b[0, i] = b[1, 2 - i]
            b[1, i] = 2 * i + 1
            views[0][0, i] = views[0][0, i] + b[-1, -1]
            copy[i % 2, i] = True
        later = b * 1
        b[0, 0] = 9
        return np.concatenate([b, later, copy, views[1].T, views[0]])

    for dtype in ("bool", "int32", "int64", "float32", "float64", "complex128"):
        check(program, values(dtype) if dtype != "complex128" else values("float64") + 1j)


def test_elements_of_exported_memory():
    a = skald.array([1.0, 2.0, 3.0])
    shared = numpy.asarray(a)
    a[1] = 7.0
    assert shared[1] == 7.0
    shared[2] = 8.0
    assert a[2] == 8.0


def test_wrong_elements():
    for np in (numpy, skald):
        a = np.array([1, 2, 3])
        with pytest.raises(IndexError):
            a[3] = 1
        with pytest.raises(OverflowError):
            a[0] = 10**30
        with pytest.raises((TypeError, ValueError)):
            a[0] = "text"
        a[1] = 2.75
        assert a.tolist() == [1, 2, 3]


@pytest.mark.parametrize("count", [1, 3, 4, 9, 100, 1024, 2000])
def test_products_of_vectors(count):
    a = numpy.random.default_rng(count).normal(size=(2, count))
    ours = skald.asarray(a)
    for x, y, u, v in ((a[0], a[1], ours[0], ours[1]), (a[0, ::-1], a[1], ours[0, ::-1], ours[1]), (a[0] + 1, a[1] * 2, ours[0] + 1, ours[1] * 2)):
        for product in (operator.matmul, lambda p, q: (skald if type(p) is skald.ndarray else numpy).dot(p, q)):
            expected, found = product(x, y), product(u, v)
            assert numpy.asarray(found).dtype == expected.dtype and numpy.shape(found) == ()
            numpy.testing.assert_allclose(float(found), expected, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError):
        ours[0] @ ours[1, : count - 1]


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
@pytest.mark.parametrize("name", ("add", "subtract", "multiply"))
def test_complex_numbers(name, dtype):
    x = numpy.array([1 + 2j, -0.0 + 0.5j, 3 - 1j], dtype=dtype)
    for y in (x[::-1], 2.5 - 1j, 3, numpy.complex128(1 - 4j), numpy.float64(0.5)):
        theirs, ours = getattr(numpy, name)(x, y), getattr(skald, name)(skald.array(x), y)
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
        assert ours.dtype == theirs.dtype
    a, b = skald.array(x), x.copy()
    a[1:], b[1:] = a[:-1] + 1j, b[:-1] + 1j
    a[0], b[0] = 7j, 7j
    numpy.testing.assert_array_equal(numpy.asarray(a), b)


@pytest.mark.parametrize("scalar", (numpy.float64(1.5), numpy.int64(3), numpy.float32(0.5), numpy.bool_(True), numpy.uint8(200)), ids=repr)
@pytest.mark.parametrize("dtype", ("bool", "int8", "int32", "int64", "uint64", "float32", "float64", "complex64"))
def test_scalars_of_numpy_have_a_type(dtype, scalar):
    x = numpy.array([[1, 0, 3], [4, 5, 6]], dtype=dtype)
    for compute in (operator.add, operator.mul, operator.lt):
        if numpy.iscomplexobj(x) and compute is operator.lt:
            continue
        for swapped in (False, True):
            pair, own = ((scalar, x), (scalar, skald.array(x))) if swapped else ((x, scalar), (skald.array(x), scalar))
            theirs, ours = compute(*pair), compute(*own)
            numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
            assert ours.dtype == theirs.dtype and type(ours) is skald.ndarray


def test_functions_of_scalars_give_scalars():
    for value in (numpy.float64(0.5), 0.5, 2, numpy.complex128(1j)):
        assert type(skald.tanh(value)) is type(numpy.tanh(value)) and skald.tanh(value) == numpy.tanh(value)
    assert type(skald.add(numpy.int64(2), 3)) is numpy.int64


CREATED = [("zeros", 3), ("zeros", (2, 3)), ("zeros", ()), ("zeros", 0), ("ones", (2, 3), int), ("ones", 2, numpy.complex64), ("zeros", 2, "f4"),
           ("zeros", [2, 3]), ("zeros", numpy.int64(3)), ("zeros", 3, numpy.dtype("bool")), ("full", 3, 2), ("full", (2, 2), 0.5), ("full", 2, True),
           ("full", 2, 1.5, int), ("full", 3, [1, 2, 3]), ("full", 2, 1j), ("full", 2, 7, None), ("zeros", 3, object), ("zeros", 2, "U3")]


@pytest.mark.parametrize("call", CREATED, ids=repr)
def test_creation(call):
    name, *arguments = call
    theirs, ours = getattr(numpy, name)(*arguments), getattr(skald, name)(*arguments)
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape and (ours.size == 0 or ours.strides == theirs.strides)


@pytest.mark.parametrize("call", [("zeros", -1), ("zeros", (2, -1)), ("zeros", 2.5), ("ones", "a"), ("full", 3), ("zeros",), ("zeros", 2, "no")], ids=repr)
def test_creation_fails_as_numpys(call):
    name, *arguments = call
    with pytest.raises(Exception) as theirs:
        getattr(numpy, name)(*arguments)
    with pytest.raises(theirs.type):
        getattr(skald, name)(*arguments)


def test_creation_of_alike():
    for x in (numpy.arange(6.0).reshape(2, 3), numpy.arange(6, dtype="i2").reshape(2, 3).T, numpy.array(1j)):
        for name in ("zeros_like", "ones_like", "empty_like"):
            for keywords in ({}, {"dtype": bool}, {"dtype": None}, {"shape": (4,)}, {"order": "F"}):
                theirs, ours = getattr(numpy, name)(x, **keywords), getattr(skald, name)(skald.array(x), **keywords)
                assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
                if name != "empty_like":
                    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_creators_are_functions_to_others():
    import inspect
    import pickle
    assert pickle.loads(pickle.dumps(skald.zeros)) is skald.zeros
    assert list(inspect.signature(skald.zeros).parameters)[:3] == ["shape", "dtype", "order"]
    assert skald.full.__doc__ and skald.full.__name__ == "full"


def test_products_of_arrays():
    for a, b in (((4, 3), (3, 5)), ((3,), (3, 5)), ((2, 4, 3), (3,)), ((2, 1, 3), (3, 2))):
        for dtype in ("float64", "complex128", "int32"):
            x, y = numpy.arange(numpy.prod(a)).reshape(a).astype(dtype), numpy.arange(numpy.prod(b)).reshape(b).astype(dtype)
            ours = skald.array(x) @ skald.array(y)
            numpy.testing.assert_array_equal(numpy.asarray(ours), x @ y)
            assert type(ours) is skald.ndarray
    with pytest.raises(ValueError):
        skald.ones((2, 3)) @ skald.ones((2, 3))


@pytest.mark.parametrize("dtype", ("bool", "int16", "float32", "float64", "complex128"))
def test_writes_into_parts(dtype):
    def program(np):
        a, b = np.array(numpy.arange(35).reshape(5, 7).astype(dtype)), np.array(numpy.arange(35)[::-1].reshape(5, 7).astype(dtype))
        a[:, 3] = 1
        a[::2, 1] = b[::2, 0]
        a[1] = b[2]
        a[3, ::-2] = b[3, ::2]
        a[::-1, 4:6] = b[:, 1:3]
        a[2:4, ::3] = b[0, :3]
        a[:, 6] = b[4, 2]
        a.T[2, 1:] = b[1:, 5]
        a[4, 4:] = a[4, 3:6]
        a[0, 0] = b[1, 1]
        return a
    numpy.testing.assert_array_equal(numpy.asarray(program(skald)), program(numpy))


@pytest.mark.parametrize("dtype", ["float64", "complex128", "float32", "int64"])
@pytest.mark.parametrize("shapes", [((3, 3), (3, 3)), ((1, 5), (5, 1)), ((4, 2), (2, 7)), ((9, 9), (9, 1)), ((2, 0), (0, 3)), ((12, 12), (12, 12))])
def test_products_of_small_matrices(shapes, dtype):
    left, right = (((numpy.arange(numpy.prod(s)) * 7 % 11) - 4 + (1j if "c" in dtype else 0)).astype(dtype).reshape(s) for s in shapes)
    for a, b in ((left, right), (right.T, left.T), (left[::-1], right[:, ::-1])):
        expected, found = a @ b, skald.array(a) @ skald.array(b)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-14)
    with pytest.raises(ValueError):
        skald.array(left) @ skald.ones((shapes[0][1] + 1, 2))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i8"])
def test_scalars_of_numpy_on_the_left(dtype):
    a = numpy.arange(1, 7).astype(dtype)
    for s in (numpy.float64(1.5), numpy.float32(1.5), numpy.int64(3), numpy.complex128(1 + 2j), numpy.bool_(True)):
        for operate in (lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x**y):
            ours, theirs = operate(s, skald.array(a)), operate(s, a)
            assert type(ours) is skald.ndarray and ours.dtype == theirs.dtype
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-6)
        assert type(s * a) is numpy.ndarray and type(s * 2.0) is not skald.ndarray
    with pytest.raises(TypeError):
        numpy.float64(1) * object()


@pytest.mark.parametrize("count", [1, 31, 32, 33, 1000, 5000])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_products_of_vectors(count, dtype):
    x, y = (numpy.arange(2 * count) % 7 / 8).astype(dtype), (numpy.arange(2 * count) % 5 / 4).astype(dtype)
    for part in (slice(count), slice(None, None, 2), slice(count - 1, None, -1), slice(2 * count, count - 1, -1)):
        a, b = x[part], y[part][::-1]
        ours = skald.array(x)[part] @ skald.array(y)[part][::-1]
        assert ours.dtype == dtype
        numpy.testing.assert_allclose(numpy.asarray(ours), a @ b, rtol=1e-5)
        numpy.testing.assert_allclose(numpy.asarray(skald.dot(skald.array(x)[part], skald.array(y)[part])), numpy.dot(a, y[part]), rtol=1e-5)


@pytest.mark.parametrize("count", [100, 1000, 3000])
def test_results_in_place(count):
    def program(np):
        a, b = np.arange(float(2 * count)), np.arange(float(2 * count))[::-1].copy()
        a[:count] += b[:count]
        a[1:count] *= a[: count - 1]
        kept = a[:10] + 0
        a[:count] = a[:count] - b[count:]
        m = np.arange(float(count)).reshape(-1, 10)
        m[:, 2:5] += m[:, 2:5]
        m[1:, 0] = m[:-1, 1] * 2
        old = m.copy()
        m[:] = m / 3
        return a, b, kept, m, old

    for ours, theirs in zip(program(skald), program(numpy), strict=True):
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_warnings_in_place():
    a = skald.ones(200)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        a[:100] /= skald.zeros(100)
        assert numpy.isinf(numpy.asarray(a)[:100]).all() and (numpy.asarray(a)[100:] == 1).all()
