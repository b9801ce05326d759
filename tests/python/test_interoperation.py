# SPDX-License-Identifier: Apache-2.0
"""Our arrays in other hands: NumPy's functions, pickle, and the libraries that are installed."""

import copy
import pickle

import numpy
import pytest

import skald


def same(expected, found):
    return numpy.allclose(numpy.asarray(expected), numpy.asarray(found)) and numpy.asarray(expected).dtype == numpy.asarray(found).dtype


def test_numpys_functions_give_our_arrays():
    a = skald.arange(6.0)
    for found in (numpy.sin(a), numpy.add(a, numpy.ones(6)), numpy.ones(6) + a, numpy.concatenate((a, a)), numpy.mean(a.reshape(2, 3), 0), numpy.sort(a[::-1]),
                  numpy.where(a > 2, a, 0), numpy.linalg.inv(skald.eye(3)), numpy.add.reduce(a.reshape(2, 3))):
        assert type(found) is skald.ndarray


def test_conversions():
    a = skald.arange(6.0).reshape(2, 3) * 2
    assert same(numpy.asarray(a), [[0.0, 2, 4], [6, 8, 10]])
    assert same(numpy.array(a, dtype=numpy.float32), numpy.array([[0, 2, 4], [6, 8, 10]], numpy.float32))
    assert memoryview(a).shape == (2, 3)
    assert same(numpy.from_dlpack(a), numpy.asarray(a)) and same(skald.from_dlpack(numpy.ones(3)), numpy.ones(3))
    assert a.__array_namespace__() is skald


def test_pickle_and_copy():
    a = skald.arange(6.0) + 1
    for b in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert type(b) is skald.ndarray and same(a, b)
        b += 1
        assert not same(a, b)


def test_python_numbers():
    a = skald.arange(4.0)
    assert float(a.sum()) == 6.0 and int(a.max()) == 3 and bool(a.any()) and complex(a.min()) == 0 and [10, 20, 30][skald.arange(3).argmax()] == 30
    assert f"{a.sum():.2f}" == "6.00" and str(a) == "[0. 1. 2. 3.]" and repr(a) == "array([0., 1., 2., 3.])"


def test_lists_and_iteration():
    a = skald.arange(6).reshape(2, 3)
    assert [row.tolist() for row in a] == [[0, 1, 2], [3, 4, 5]] and list(a.flat) == [0, 1, 2, 3, 4, 5] and 4 in a
    assert same(skald.array([a[0], a[1] * 2]), numpy.array([[0, 1, 2], [6, 8, 10]]))


def test_scipy():
    pytest.importorskip("scipy")
    import scipy.integrate
    import scipy.linalg
    import scipy.ndimage
    import scipy.optimize
    import scipy.signal
    import scipy.sparse
    import scipy.stats
    a = skald.arange(16.0).reshape(4, 4) + skald.eye(4) * 10
    b = numpy.asarray(a)
    assert same(scipy.linalg.lu(b)[2], scipy.linalg.lu(a)[2])
    assert same(scipy.ndimage.gaussian_filter(b, 1), scipy.ndimage.gaussian_filter(a, 1))
    assert same(scipy.signal.convolve(b, b), scipy.signal.convolve(a, a))
    assert same(scipy.sparse.csr_matrix(b).toarray(), scipy.sparse.csr_matrix(numpy.asarray(a)).toarray())
    assert same(scipy.stats.zscore(b), scipy.stats.zscore(a))
    assert same(scipy.sparse.csr_matrix(b) @ b[0], scipy.sparse.csr_matrix(b) @ a[0])
    found = scipy.optimize.minimize(lambda x: float(skald.sum((skald.asarray(x) - 3) ** 2)), skald.zeros(2))
    assert numpy.allclose(found.x, 3, atol=1e-4)
    assert scipy.integrate.solve_ivp(lambda t, y: -skald.asarray(y), (0, 1), skald.ones(2)).success


def test_pandas():
    pandas = pytest.importorskip("pandas")
    a = skald.arange(6.0).reshape(3, 2)
    frame = pandas.DataFrame(numpy.asarray(a), columns=["x", "y"])
    frame["z"] = a[:, 0] * 2
    assert frame["z"].tolist() == [0.0, 4.0, 8.0] and pandas.Series(skald.arange(3)).sum() == 3
    assert type(skald.asarray(frame["x"])) is skald.ndarray and float(skald.mean(frame["x"])) == 2.0


def test_matplotlib(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    x = skald.linspace(0, 6, 50)
    figure, axes = plt.subplots()
    line, = axes.plot(x, skald.sin(x))
    axes.imshow(skald.eye(4))
    axes.hist(skald.arange(10.0))
    axes.scatter(x, x * 2)
    figure.savefig(tmp_path / "page.png")
    assert len(line.get_xdata()) == 50
    plt.close(figure)


def test_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LinearRegression
    from sklearn.preprocessing import StandardScaler
    x = skald.random.RandomState(0).normal(size=(60, 3))
    y = x[:, 0] * 2 + 1
    assert numpy.allclose(LinearRegression().fit(x, y).coef_, [2, 0, 0])
    assert numpy.allclose(numpy.asarray(StandardScaler().fit_transform(x)).mean(0), 0)
    assert len(set(KMeans(3, n_init=1, random_state=skald.random.RandomState(0)).fit(numpy.asarray(x)).labels_)) == 3
