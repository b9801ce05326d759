# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions over lazy arrays, compared with central differences of NumPy's own results."""

import numpy
import pytest

import skald
from skald import _core, grad, hessian, jit, jvp, value_and_grad, vjp


@pytest.fixture(params=["auto", "compiled"], autouse=True)
def evaluator(request):
    try:
        _core.set_option("evaluator", "compiled")
    except RuntimeError as problem:
        pytest.skip(str(problem))
    _core.set_option("evaluator", request.param)
    yield
    skald.flush()
    assert _core.compile_failures() == []
    _core.set_option("evaluator", "auto")


def differences(function, x, step=1e-6):
    x = numpy.array(x, dtype=float)
    result = numpy.empty_like(x)
    for place in numpy.ndindex(x.shape):
        moved = []
        for sign in (1, -1):
            there = x.copy()
            there[place] += sign * step
            moved.append(float(function(numpy, there)))
        result[place] = (moved[0] - moved[1]) / (2 * step)
    return result


POINT = numpy.array([[0.3, -1.2, 0.7, 2.1], [1.5, 0.2, -0.4, 0.9], [-0.8, 1.1, 0.6, -1.7]])


def written(np, x):
    y = np.zeros((4, 5)) + 1.0
    y[1:, :4] = x
    y[0, 1:] = y[1, :4] * y[2, :4]
    y[:, 2] *= 2
    return (y * y).sum()


def heat(np, x):
    g = x * 1.0
    for _ in range(3):
        g[1:-1, 1:-1] += 0.1 * (g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] - 4 * g[1:-1, 1:-1])
    return (g[1] ** 2).sum() + g[0, 0]


def chosen(np, x):
    return np.where(x > 0.5, x * x, np.sin(x)).sum() + np.clip(x, -1, 1).sum() + np.maximum(x, 0.1 * x).sum()


FUNCTIONS = {
    "sums": lambda np, x: np.sin(x).sum() + (x * x).sum(axis=0)[1] + x.mean() + x.var(),
    "products": lambda np, x: np.prod(x, axis=1).sum() + np.prod(x[:, :2]),
    "extremes": lambda np, x: x.max() * x.min() + x.max(axis=0).sum() + np.abs(x).min(axis=1).sum(),
    "scans": lambda np, x: (np.cumsum(x, axis=1) * x).sum() + np.cumprod(x[0])[-1],
    "broadcasting": lambda np, x: ((x[:, None, :] - x[None, :, :]) ** 2).sum() + (x / (1 + x[0] ** 2)).sum(),
    "views": lambda np, x: (x.T[1:, ::-1] * x[::-1, :3].T).sum() + x.reshape(4, 3)[2].sum() + np.diagonal(x).sum(),
    "products_of_matrices": lambda np, x: (np.tanh(x @ x.T) @ x[:, 0]).sum() + np.dot(x[0], x[1]) + np.tensordot(x, x, 2),
    "joined": lambda np, x: (np.concatenate([x, 2 * x[:1]]) ** 2).sum() + (np.roll(x, 1, axis=1) * x).sum() + np.stack([x[0], x[1]]).sum(),
    "maths": lambda np, x: (np.exp(x) + np.log(x * x + 1) + np.sqrt(x * x + 2) + np.tanh(x) + np.arctan2(x, 2.0) + 2.0 ** x + (x * x) ** 1.5).sum(),
    "elements": lambda np, x: x[0, 1] * x[2, 3] + x[1, 1] ** 3 / x[0, 0],
    "written": written,
    "heat": heat,
    "chosen": chosen,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_those_of_central_differences(name):
    function = FUNCTIONS[name]
    value, gradient = value_and_grad(lambda x: function(skald, x))(skald.array(POINT))
    assert type(gradient) is skald.ndarray and gradient.shape == POINT.shape
    numpy.testing.assert_allclose(float(value), function(numpy, POINT), rtol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(gradient), differences(function, POINT), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", ["sums", "broadcasting", "written", "products_of_matrices"])
def test_forward_and_reverse_agree(name):
    def function(x):
        return FUNCTIONS[name](skald, x)
    direction = skald.array(numpy.cos(POINT))
    _, dot = jvp(function, (skald.array(POINT),), (direction,))
    gradient = grad(function)(skald.array(POINT))
    numpy.testing.assert_allclose(float(dot), float((gradient * direction).sum()), rtol=1e-9)


def test_gradients_are_lazy_and_fuse():
    x = skald.array(POINT)
    step = x - 0.1 * grad(lambda x: (x * x).sum())(x)
    assert step._is_pending and "call derivative" in _core.show_pending()
    numpy.testing.assert_allclose(numpy.asarray(step), 0.8 * POINT)


def test_nested_derivatives():
    assert float(grad(grad(grad(lambda x: x ** 4)))(2.0)) == 48
    assert float(grad(lambda x: x * grad(lambda y: x * y * y)(3.0))(2.0)) == 2 * 2 * 2 * 3
    x = skald.array([0.5, 1.5, -1.0])
    inner = grad(lambda z: (grad(lambda y: (y ** 3).sum())(z) * z).sum())(x)
    numpy.testing.assert_allclose(numpy.asarray(inner), 9 * numpy.asarray(x) ** 2)
    _, product = jvp(grad(lambda y: (y ** 4).sum()), (x,), (skald.ones(3),))
    numpy.testing.assert_allclose(numpy.asarray(product), 12 * numpy.asarray(x) ** 2)


def test_hessian():
    def rosenbrock(x):
        return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()
    x = numpy.array([0.5, -0.3, 1.2, 0.9])
    expected = numpy.array([numpy.asarray((grad(rosenbrock)(x + d) - grad(rosenbrock)(x - d)) / 2e-6) for d in 1e-6 * numpy.eye(4)])
    numpy.testing.assert_allclose(numpy.asarray(hessian(rosenbrock)(x)), expected, rtol=1e-5, atol=1e-5)
    assert float(hessian(lambda x: x ** 3)(2.0)) == 12
    assert hessian(lambda x: (x * x).sum() ** 2)(skald.ones((2, 3))).shape == (2, 3, 2, 3)
    blocks = hessian(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(skald.array([1.0, 2.0]), skald.array([3.0, 4.0]))
    assert numpy.asarray(blocks[0][0]).tolist() == [[6, 0], [0, 8]]
    assert numpy.asarray(blocks[0][1]).tolist() == numpy.asarray(blocks[1][0]).T.tolist() == [[2, 0], [0, 4]]
    assert numpy.asarray(blocks[1][1]).tolist() == [[0, 0], [0, 0]]


def test_arguments():
    def f(x, y, scale=1.0):
        return (x * y).sum() * scale
    x, y = skald.arange(3.0), skald.ones(3) * 2
    assert numpy.asarray(grad(f, argnums=1)(x, y)).tolist() == [0, 1, 2]
    assert numpy.asarray(grad(f, argnums=-1)(x, y, scale=3)).tolist() == [0, 3, 6]
    a, b = grad(f, argnums=(0, 1))(x, y)
    assert numpy.asarray(a).tolist() == [2, 2, 2] and numpy.asarray(b).tolist() == [0, 1, 2]
    assert numpy.asarray(grad(lambda x, y: y.sum())(x, y)).tolist() == [0, 0, 0]
    assert float(grad(lambda x: x * x)(numpy.float64(3))) == 6
    assert grad(lambda x: (x * x).sum())(skald.ones(2, dtype=skald.float32)).dtype == numpy.float32
    with pytest.raises(TypeError, match="argnums has 2"):
        grad(f, argnums=2)(x, y)


def test_trees():
    def loss(parameters, x):
        hidden = skald.tanh(x @ parameters["w"] + parameters["b"])
        return (hidden @ parameters["out"][0]).sum()
    parameters = {"w": skald.ones((2, 3)) * 0.1, "b": skald.zeros(3), "out": [skald.ones(3)]}
    gradient = grad(loss)(parameters, skald.ones((4, 2)))
    assert set(gradient) == {"w", "b", "out"} and gradient["w"].shape == (2, 3)
    numpy.testing.assert_allclose(numpy.asarray(gradient["out"][0]), numpy.full(3, 4 * numpy.tanh(0.2)))


def test_auxiliary_results():
    def f(x):
        return (x * x).sum(), {"double": 2 * x, "count": 3, "big": x > 1}
    x = skald.arange(3.0)
    gradient, more = grad(f, has_aux=True)(x)
    assert numpy.asarray(gradient).tolist() == [0, 2, 4] and numpy.asarray(more["double"]).tolist() == [0, 2, 4]
    assert more["count"] == 3 and numpy.asarray(more["big"]).tolist() == [False, False, True]
    (value, _), _ = value_and_grad(f, has_aux=True)(x)
    assert float(value) == 5
    result, back, more = vjp(f, x, has_aux=True)
    assert float(result) == 5 and numpy.asarray(back(2.0)[0]).tolist() == [0, 4, 8]


def test_vjp_and_jvp_of_several_results():
    x, y = skald.arange(3.0), skald.array([2.0, 3.0, 4.0])
    (product, total), back = vjp(lambda x, y: (x * y, x.sum()), x, y)
    assert numpy.asarray(product).tolist() == [0, 3, 8] and float(total) == 3
    bars = back((skald.ones(3), 10.0))
    assert [numpy.asarray(bar).tolist() for bar in bars] == [[12, 13, 14], [0, 1, 2]]
    values, dots = jvp(lambda x, y: {"p": x * y, "n": (x > 0).sum()}, (x, y), (skald.ones(3), skald.zeros(3)))
    assert numpy.asarray(dots["p"]).tolist() == [2, 3, 4] and int(dots["n"]) == 0 and int(values["n"]) == 2


def test_captured_arrays_and_loops():
    weights = skald.arange(4.0) * 2
    def f(x):
        for i in range(3):
            x = skald.sin(x) * weights[i]
        return x.sum()
    x = numpy.array([0.1, 0.7])
    def plain(np, x):
        for i in range(3):
            x = numpy.sin(x) * (2.0 * i)
        return x.sum()
    numpy.testing.assert_allclose(numpy.asarray(grad(f)(x)), differences(plain, x), atol=1e-6)


def test_with_jit_and_loaded_programs():
    program = skald.compile_text("entry norm [n] (xs: [n]f64) : f64 = f64.sqrt (f64.sum (map (\\x -> x * x) xs))")
    x = skald.array([3.0, 4.0])
    numpy.testing.assert_allclose(numpy.asarray(grad(lambda x: 2 * program.norm(x * 1))(x)), [1.2, 1.6])
    runs = []
    def f(x):
        runs.append(1)
        return (x ** 3).sum()
    fast = jit(grad(f))
    for i in range(3):
        numpy.testing.assert_allclose(numpy.asarray(fast(x + i)), 3 * (numpy.array([3.0, 4.0]) + i) ** 2)
    assert len(runs) == 1 and fast.reason is None
    numpy.testing.assert_allclose(numpy.asarray(grad(jit(lambda x: (x @ x) * 2))(x)), [12, 16])


def test_a_plan_is_compiled_once_for_all_values_and_sizes():
    def f(x, scale):
        return (skald.sin(x) * scale).sum()
    derivative = grad(f)
    before = None
    for n in (50, 60, 70, 80):
        x = skald.array(numpy.linspace(0, 1, n))
        numpy.testing.assert_allclose(numpy.asarray(derivative(x, 0.07 * n)), numpy.cos(numpy.linspace(0, 1, n)) * 0.07 * n)
        plans = _core.stats()["plans"]
        assert before is None or plans == before
        before = plans


@pytest.mark.parametrize("call, error, words", [
    (lambda x: grad(lambda x: x * 2)(x), TypeError, r"must give one float, but gave an array of shape \(3,\)"),
    (lambda x: grad(lambda x: (x > 1).sum())(x), TypeError, r"must give a float, but gave int64"),
    (lambda x: grad(lambda x: (x, x))(x), TypeError, r"has_aux=True"),
    (lambda x: grad(lambda x: x.sum(), has_aux=True)(x), TypeError, r"tuple of two"),
    (lambda x: grad(lambda x: x.sum())(skald.arange(3)), TypeError, r"argument 0 must hold floats, but has the dtype int64"),
    (lambda x: grad(lambda x: x * x)(3), TypeError, r"integers have no derivatives"),
    (lambda x: grad(lambda x: x.sum() if x[0] > 0 else 0.0)(x), skald.RecordedValueError, r"np.where .*|test_grad.py"),
    (lambda x: grad(lambda x: float(x.sum()))(x), skald.RecordedValueError, r"a value is needed"),
    (lambda x: grad(lambda x: skald.linalg.svd(x * x[:, None])[1].sum())(x), skald.RecordedValueError, r"a value is needed"),
    (lambda x: grad(lambda x: x.sum())("text"), TypeError, r"holds no arrays"),
    (lambda x: grad(3), TypeError, r"needs a function"),
    (lambda x: jvp(lambda x: x, (x,), (skald.ones(2),)), ValueError, r"a tangent has the shape \(2,\)"),
    (lambda x: jvp(lambda x: x, x, x), TypeError, r"are tuples"),
    (lambda x: vjp(lambda x: x, x)[1](skald.ones(2)), ValueError, r"a cotangent has the shape \(2,\)"),
    (lambda x: vjp(lambda x: x, x)[1]((x, x)), TypeError, r"not built like the result"),
])
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call(skald.arange(3.0))


def test_what_leaves_a_recorded_function_has_no_value():
    kept = []
    def f(x):
        kept.append(x * 2)
        return x.sum()
    assert numpy.asarray(grad(f)(skald.arange(3.0))).tolist() == [1, 1, 1]
    with pytest.raises(skald.RecordedValueError, match="left it otherwise"):
        kept[0].tolist()
    with pytest.raises(skald.RecordedValueError, match="left it otherwise"):
        (kept[0] + 1).tolist()
    assert (skald.arange(3.0) + 1).tolist() == [1, 2, 3]


def test_writing_into_an_argument():
    def f(x):
        x[0] = 1.0
        return x.sum()
    x = skald.arange(3.0)
    with pytest.raises(skald.RecordedValueError, match="writes into an argument"):
        grad(f)(x)
    assert x.tolist() == [0, 1, 2]
