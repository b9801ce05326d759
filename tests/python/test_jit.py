# SPDX-License-Identifier: Apache-2.0
"""skald.jit: what is captured, what is not and why, and that results are those of the plain function."""

import numpy
import pytest

import skald
from skald import _core, jit


@pytest.fixture(params=["auto", "compiled"], autouse=True)
def evaluator(request):
    try:
        _core.set_option("evaluator", request.param)
    except RuntimeError as problem:
        pytest.skip(str(problem))
    yield
    skald.flush()
    _core.set_option("evaluator", "auto")


def counted(function):
    """The captured function, and a list that grows when Python runs it."""
    runs = []

    def body(*arguments, **keywords):
        runs.append(1)
        return function(*arguments, **keywords)
    return jit(body), runs


def stencil(x, k, scale=2.0):
    y = skald.zeros_like(x)
    y[1:-1] = x[2:] + x[:-2]
    return {"y": y * scale, "more": [(x * k).mean(), "text", None]}


def test_python_runs_once_for_each_signature():
    f, runs = counted(stencil)
    for i in range(4):
        x = numpy.arange(6.0) + i
        result = f(skald.array(x), 3)
        expected = numpy.zeros(6)
        expected[1:-1] = x[2:] + x[:-2]
        assert numpy.asarray(result["y"]).tolist() == (expected * 2).tolist()
        assert float(result["more"][0]) == (x * 3).mean() and result["more"][1:] == ["text", None]
    assert len(runs) == 1 and f.reason is None
    f(skald.arange(9.0), 3), f(skald.arange(9.0), 3)
    assert len(runs) == 2
    f(skald.arange(6.0), 4), f(skald.arange(6.0), 3, scale=5.0), f(skald.arange(6.0).astype(skald.float32), 3)
    assert len(runs) == 5


def test_other_sizes_use_the_same_plan():
    skald.flush()
    f, _ = counted(lambda x: (x[1:] * x[:-1]).sum())
    float(f(skald.arange(20.0)))
    plans = _core.stats()["plans"]
    for n in (21, 30, 55):
        # pytest would hold the array inside an assert, and a plan knows who else holds its arrays.
        result = float(f(skald.arange(float(n))))
        assert result == (numpy.arange(1.0, n) * numpy.arange(n - 1.0)).sum()
    assert _core.stats()["plans"] == plans


def test_results_are_lazy_and_their_own():
    f, _ = counted(lambda x: (x, x + 1))
    x = skald.arange(3.0)
    same, more = f(x)
    assert more._is_pending
    same[0] = 5
    assert x.tolist() == [0, 1, 2] and same.tolist() == [5, 1, 2] and more.tolist() == [1, 2, 3]
    again, _ = f(x)
    assert again.tolist() == [0, 1, 2]


def test_views_and_pending_arrays_as_arguments():
    f, runs = counted(lambda x: x.reshape(2, 3).T * 2)
    x = skald.arange(12.0) + 1
    for given in (x[::2], x[6:], x[:6], x[::-2]):
        assert numpy.asarray(f(given)).tolist() == (numpy.asarray(given).reshape(2, 3).T * 2).tolist()
    assert len(runs) == 1
    assert numpy.asarray(f(numpy.arange(6.0))).tolist() == (numpy.arange(6.0).reshape(2, 3).T * 2).tolist()


def test_trees_and_methods():
    class Model:
        def __init__(self):
            self.w = skald.ones(3) * 2

        @jit
        def apply(self, state):
            return [{"x": state["x"] * self.w, "n": state["n"]}]

    model = Model()
    assert model.apply({"x": skald.arange(3.0), "n": 1})[0]["x"].tolist() == [0, 2, 4]
    assert model.apply({"x": skald.ones(3), "n": 1})[0]["x"].tolist() == [2, 2, 2]


def test_what_is_read_from_outside_is_captured():
    outside = {"factor": 2.0}
    f, _ = counted(lambda x: x * outside["factor"])
    assert f(skald.ones(2)).tolist() == [2, 2]
    outside["factor"] = 3.0
    assert f(skald.ones(2)).tolist() == [2, 2]
    f.clear()
    assert f(skald.ones(2)).tolist() == [3, 3]


def test_captured_arrays_keep_their_version():
    outside = skald.arange(3.0)
    f, _ = counted(lambda x: x + outside)
    assert f(skald.zeros(3)).tolist() == [0, 1, 2]
    outside[:] = 7
    assert f(skald.zeros(3)).tolist() == [0, 1, 2] and outside.tolist() == [7, 7, 7]


def test_nested():
    inner, inner_runs = counted(lambda x: x * x)
    outer, outer_runs = counted(lambda x: inner(x) + inner(x + 1))
    for i in range(3):
        assert outer(skald.ones(2) * i).tolist() == [i * i + (i + 1) ** 2] * 2
    assert len(outer_runs) == 1 and len(inner_runs) == 1


def test_products_of_matrices():
    f, runs = counted(lambda a, b: (a @ b, a @ b[:, 0], skald.dot(a, b)))
    for i in range(2):
        a, b = numpy.arange(6.0).reshape(2, 3) + i, numpy.arange(12.0).reshape(3, 4)
        for ours, theirs in zip(f(skald.array(a), skald.array(b)), (a @ b, a @ b[:, 0], a @ b)):
            assert numpy.asarray(ours).tolist() == theirs.tolist()
    assert len(runs) == 1


def branch(x):
    return x * 2 if x.sum() > 3 else x


def writes(x):
    x[0] = 9.0
    return x * 2


def draws(x):
    return x + skald.random.rand(3)


@pytest.mark.parametrize("function, words", [
    (branch, r"test_jit.py:\d+ in branch: a value is needed"),
    (writes, "writes into an argument"),
    (draws, "random numbers are drawn"),
    (lambda x: skald.array([float(x[0])]), "a value is needed"),
])
def test_what_cannot_be_captured_runs_as_ordinary_code(function, words):
    f, runs = counted(function)
    numpy.random.seed(1), skald.random.seed(1)
    for start in (0.0, 3.0):
        x = skald.arange(3.0) + start
        expected = skald.arange(3.0) + start
        skald.random.seed(1)
        result = f(x).tolist()
        skald.random.seed(1)
        assert result == function(expected).tolist() and x.tolist() == expected.tolist()
    import re
    assert re.search(words, f.reason)
    assert len(runs) == 3


def test_arguments_that_cannot_be_compared():
    f, runs = counted(lambda x, names: x + len(names))
    assert f(skald.ones(1), {"a"}).tolist() == [2] and "hashed" in f.reason
    assert f(skald.ones(1), ("a",)).tolist() == [2] and f.reason is None
    assert len(runs) == 2


def test_exceptions_leave_nothing_behind():
    def fails(x):
        _ = x * 2
        raise KeyError("mine")
    f, runs = counted(fails)
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            f(skald.ones(3))
    assert len(runs) == 2 and (skald.ones(3) + 1).tolist() == [2, 2, 2] and _core.recording() == 0


def test_values_that_do_not_depend_on_the_arguments_may_be_used():
    def f(x):
        n = int(skald.arange(5).sum())
        return x * n if n > 3 else x
    captured = jit(f)
    assert captured(skald.ones(2)).tolist() == [10, 10] and captured.reason is None
    assert captured(skald.ones(2)).tolist() == [10, 10]


def test_other_threads_go_on_while_a_function_is_recorded():
    import threading
    inside, done, seen = threading.Event(), threading.Event(), []

    def f(x):
        y = x + 1
        inside.set()
        assert done.wait(60)
        return y * 2

    def other():
        assert inside.wait(60)
        try:
            seen.append((skald.arange(3.0) + 1).tolist())
            seen.append(len(skald.random.rand(2).tolist()))
            seen.append(jit(lambda x: x + 5)(skald.ones(1)).tolist())
        finally:
            done.set()

    thread = threading.Thread(target=other)
    thread.start()
    result = jit(f)(skald.ones(2)).tolist()
    thread.join()
    assert result == [4, 4] and seen == [[1, 2, 3], 2, [6]]


def test_numbers_that_look_equal():
    f, _ = counted(lambda x, k: x * k)
    signs = [numpy.signbit(numpy.asarray(f(skald.ones(1), k)))[0] for k in (0.0, -0.0, 0.0)]
    assert signs == [False, True, False]
    signs = [numpy.signbit(numpy.asarray(f(skald.ones(1), k=k)))[0] for k in (0.0, -0.0, 0.0)]
    assert signs == [False, True, False]
    assert [f(skald.ones(1, dtype=int), k).dtype for k in (1, 1.0, True)] == [numpy.int64, numpy.float64, numpy.int64]


def test_many_signatures():
    f, runs = counted(lambda x, k: x + k)
    for k in range(400):
        assert f(skald.ones(1), k).tolist() == [1 + k]
    assert len(f._known) <= 256 and len(runs) == 400


def test_bad_input():
    with pytest.raises(TypeError, match="needs a function"):
        jit(3)
    with pytest.raises(TypeError, match="generators"):
        @jit
        def f(x):
            yield x
    assert jit()(lambda x: x)(skald.ones(1)).tolist() == [1]
