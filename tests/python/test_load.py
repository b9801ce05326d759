# SPDX-License-Identifier: Apache-2.0
"""Programs in Futhark and NESL as functions over lazy arrays; skipped where there is no compiler."""

import inspect
import io

import numpy
import pytest

import skald
from skald import _core

SOURCE = """
type state = {x: f64, v: [3]f64}
type shape = #circle f64 | #square f64
entry saxpy [n] (a: f64) (xs: [n]f64) (ys: [n]f64) : [n]f64 = map2 (\\x y -> a*x+y) xs ys
entry set [n] (xs: *[n]f64) (i: i64) : *[n]f64 = xs with [i] = 1
entry two [n][m] (xs: [n][m]f32) : ([n]f32, f32) = (map f32.sum xs, f32.sum (flatten xs))
entry evens (xs: []i32) : []i32 = filter (\\x -> x % 2 == 0) xs
entry step (s: state) : state = s with x = s.x + 1
entry count (n: i64) : [n]i64 = iota n
entry twice [n] (xs: [n]f64) : ([n]f64, [n]f64) = (xs, xs)
entry total [n] (xs: [n]f64) : f64 = f64.sum xs
entry big (x: f64) : shape = if x > 1 then #square x else #circle x
entry area (s: shape) : f64 = match s case #circle r -> 3 * r * r case #square a -> a * a
entry fields [n] (xs: [n]{a: f64, b: [2]i32}) : [n](f64, i32) = map (\\r -> (r.a, r.b[1])) xs
entry swap (p: (i32, bool)) : (bool, i32) = (p.1, p.0)
"""


@pytest.fixture(params=["auto", "compiled"])
def program(request):
    try:
        _core.set_option("evaluator", "compiled")
    except RuntimeError as problem:
        pytest.skip(str(problem))
    _core.set_option("evaluator", request.param)
    yield skald.compile_text(SOURCE)
    skald.flush()
    assert _core.compile_failures() == []
    _core.set_option("evaluator", "auto")


def values(array):
    return numpy.asarray(array).tolist()


def test_results_are_lazy_arrays(program):
    x = skald.arange(4.0)
    y = program.saxpy(2.0, x + 1, numpy.ones(4)) * 10
    assert type(y) is skald.ndarray and y._is_pending
    assert values(y) == [30, 50, 70, 90]


def test_a_call_is_fused_with_what_is_around_it(program):
    x = skald.array(numpy.arange(6.0))
    total = skald.sum(program.saxpy(3.0, x + 1, x * 2))
    text = _core.show_pending()
    assert "call saxpy" in text or "call entry_saxpy" in text
    assert float(total) == sum(3 * (i + 1) + 2 * i for i in range(6))


def test_several_results_records_and_opaque_values(program):
    rows, total = program.two(skald.ones((3, 4), dtype=skald.float32))
    assert values(rows) == [4, 4, 4] and float(total) == 12 and rows.dtype == numpy.float32
    state = program.step({"x": 1.0, "v": skald.ones(3)})
    assert set(state) == {"x", "v"} and float(program.step(state)["x"]) == 3
    shape = program.big(2.0)
    assert float(program.area(shape)) == 4 and "shape" in repr(shape)
    first, second = program.fields({"a": [1.0, 2.0], "b": numpy.array([[1, 2], [3, 4]], dtype=numpy.int32)})
    assert values(first) == [1, 2] and values(second) == [2, 4]
    flag, number = program.swap((5, True))
    assert bool(flag) is True and int(number) == 5


def test_shapes_that_need_a_run_are_computed_at_the_call(program):
    found = program.evens(skald.arange(10, dtype=skald.int32))
    assert not found._is_pending and values(found) == [0, 2, 4, 6, 8]
    assert "not put off" in program.evens.__doc__


def test_shapes_from_numbers(program):
    assert values(program.count(3) + 1) == [1, 2, 3]
    assert program.count(0).shape == (0,)
    assert values(program.count(skald.arange(5).sum())) == list(range(10))


def test_consumed_arguments_are_copied(program):
    x = skald.arange(5.0)
    part = x[::2]
    one, two = program.set(x, 2), program.set(part, 0)
    assert values(one) == [0, 1, 1, 3, 4] and values(two) == [1, 2, 4]
    assert values(x) == [0, 1, 2, 3, 4]


def test_results_share_no_memory(program):
    x = skald.array(numpy.arange(3.0))
    one, two = program.twice(x)
    skald.flush()
    one[0] = 7
    assert values(one) == [7, 1, 2] and values(two) == [0, 1, 2] and values(x) == [0, 1, 2]
    x[1] = 9
    assert values(two) == [0, 1, 2]


def test_writes_after_a_call_are_not_seen_by_it(program):
    x = skald.array(numpy.arange(3.0)) + 0
    total = program.total(x)
    x[:] = 100
    assert float(total) == 3 and values(x) == [100] * 3


def test_empty_arrays(program):
    assert values(program.saxpy(1.0, skald.zeros(0), skald.zeros(0))) == []
    assert float(program.total(skald.zeros(0))) == 0


def test_lists_and_numpy_scalars(program):
    assert values(program.saxpy(numpy.float64(2), [1, 2], [0.5, 0.5])) == [2.5, 4.5]


def test_runtime_errors_name_the_place(program):
    x, other = skald.arange(5.0), skald.arange(3.0) + 1
    bad = program.set(x, 20)
    with pytest.raises(skald.ProgramError, match=r"entry `set` of text.fut: (.|\n)*Index \[20\](.|\n)*text.fut:5:"):
        values(bad)
    assert values(other * 2) == [2, 4, 6]
    assert values(program.set(x, 1)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("call, error, words", [
    (lambda p, x: p.saxpy(2.0, x, skald.ones(4)), ValueError, r"saxpy\(\): parameter ys .*4 elements, but 5 .*parameter xs"),
    (lambda p, x: p.saxpy("a", x, x), TypeError, r"parameter a \(f64\): a number of type float64 is expected, but str"),
    (lambda p, x: p.saxpy(2.0, x), TypeError, r"saxpy\(\): missing a required argument: 'ys'"),
    (lambda p, x: p.saxpy(2.0, x.astype(int), x), TypeError, r"parameter xs .*array of float64 with 1 axis .*int64"),
    (lambda p, x: p.saxpy(2.0, x[None], x), TypeError, r"parameter xs .*with 1 axis .*2 axes"),
    (lambda p, x: p.count(2.5), TypeError, r"parameter n \(i64\).*2\.5"),
    (lambda p, x: p.count(2**70), ValueError, r"range of int64"),
    (lambda p, x: p.count(-1), ValueError, r"-1 elements"),
    (lambda p, x: p.step({"x": 1.0, "v": skald.ones(4)}), ValueError, r"parameter s \(state\).*3 are asked for by the type state"),
    (lambda p, x: p.step({"x": 1.0}), TypeError, r"a dict with the keys v, x"),
    (lambda p, x: p.swap((1, True, 2)), TypeError, r"a tuple of 2"),
    (lambda p, x: p.area(1.0), TypeError, r"only the program makes"),
    (lambda p, x: p.nothing, AttributeError, r"no entry point 'nothing'; it has saxpy"),
])
def test_bad_arguments(program, call, error, words):
    with pytest.raises(error, match=words):
        call(program, skald.arange(5.0))


def test_signatures_and_documentation(program):
    assert str(inspect.signature(program.saxpy)) == "(a: 'f64', xs: '[n]f64', ys: '[n]f64') -> '[n]f64'"
    assert program.saxpy.__doc__.startswith("entry saxpy (a: f64) (xs: [n]f64) (ys: [n]f64): [n]f64")
    assert program.saxpy(ys=[1.0], xs=[2.0], a=3) is not None
    assert "saxpy" in dir(program) and "saxpy" in repr(program) and program["total"] is program.total
    assert list(program)[:2] == ["saxpy", "set"]


def test_parameters_with_names_that_python_keeps_for_itself(program):
    calls = skald.compile_text("entry f [n] (is: [n]i64) (lambda: i64) : [n]i64 = map (+ lambda) is")
    assert values(calls.f(numpy.arange(3), 5)) == [5, 6, 7]


def test_files_and_wrong_programs(program, tmp_path):
    path = tmp_path / "half.fut"
    path.write_text("entry half (x: f64) = x / 2\n")
    assert float(skald.load(path).half(3.0)) == 1.5
    with pytest.raises(FileNotFoundError):
        skald.load(tmp_path / "none.fut")
    with pytest.raises(SyntaxError, match=r"text.fut:1"):
        skald.compile_text("entry f x = x +")
    with pytest.raises(SyntaxError, match="there is no language apl"):
        skald.compile_text("", "apl")
    file = io.BytesIO()
    numpy.save(file, numpy.ones(3))
    file.seek(0)
    assert values(skald.load(file)) == [1, 1, 1]


def test_nesl(program):
    nesl = skald.compile_text("""
        function dot(a, b) : ([float], [float]) -> float = sum({x * y : x in a; y in b});
        function small(a) : [int] -> [int] = {x in a | x < 3};
        function rows(n) : int -> [[int]] = {index(i) : i in index(n)};""", "nesl")
    assert float(nesl.dot(skald.arange(3.0), skald.ones(3) * 2)) == 6
    assert values(nesl.small(skald.arange(6))) == [0, 1, 2]
    lengths, elements = nesl.rows(3)
    assert values(lengths) == [0, 1, 2] and values(elements) == [0, 0, 1]
