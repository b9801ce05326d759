# SPDX-License-Identifier: Apache-2.0
"""Histograms, searches and elements at places by programs of our own: the same as NumPy's, value by value."""

import time

import numpy
import pytest

import skald
from random_programs import difference
from skald import _core, _kernels

COUNT = 20000


@pytest.fixture
def by_kernels(compiled, monkeypatch):
    """However few elements there are."""
    monkeypatch.setattr(_kernels, "LEAST", 0)
    yield
    assert [name for name, state in _kernels.states().items() if "failed" in state] == []



def names(np, cells):
    r = numpy.random.default_rng(3)
    floats = r.normal(size=COUNT)
    floats[::500] = numpy.nan
    sorted_floats = numpy.sort(r.normal(size=cells))
    values = {"P": r.integers(0, cells, COUNT), "S": r.integers(-cells, cells, COUNT, dtype=numpy.int32), "F": floats, "W": r.random(COUNT),
              "N": r.integers(-50, 50, COUNT), "C": r.normal(size=cells), "K": sorted_floats, "M": r.integers(0, 9, (cells, 3)), "B": r.normal(size=(cells, 4, 2)),
              "E": numpy.sort(r.integers(0, 9, cells)), "I": r.integers(-3, 12, (COUNT // 2, 2))}
    return {"np": np, **{name: np.array(value) for name, value in values.items()}}


EXPRESSIONS = """
C[S] M[S] B[P] C[I[:,0]%5] np.take(C,P) C[P]*2+W C[S].sum()
np.bincount(P) np.bincount(P,minlength=2000) np.bincount(P,W) np.bincount(P,weights=N) np.bincount(S+C.size)
np.histogram(W) np.histogram(F,bins=7,range=(-1,1)) np.histogram(W,100,density=True) np.histogram(W,31,weights=W) np.histogram(W.astype(np.float32),12) np.histogram(N,5) np.histogram(W,[0,0.5,1])
np.searchsorted(K,F) np.searchsorted(K,F,'right') K.searchsorted(W) np.searchsorted(E,I) np.searchsorted(E,I,side='right') np.searchsorted(K,0.5)
np.digitize(F,K) np.digitize(W,K,right=True) np.digitize(W,K[::-1]) np.interp(F,K,C) np.interp(W,K,C,left=-1,right=7) np.interp(K,K,C) np.interp(np.concatenate((F,K)),K,C) np.interp(W,[0.5],[2.0])
""".split()


def updated(np, name, of, places, values):
    result = of.copy()
    getattr(np, name).at(result, places, values)
    return result


UPDATES = """
updated(np,'add',C,S,W) updated(np,'subtract',C,P,W) updated(np,'add',C,P,1) updated(np,'add',E,P,W) updated(np,'add',M,(P,P%3),N) updated(np,'add',M,(S,1),1) updated(np,'add',C.astype(np.float32),P,2)
updated(np,'maximum',M[:,0].copy(),S,N) updated(np,'minimum',E,P,N) updated(np,'maximum',C,P,F) updated(np,'multiply',E,P,1) updated(np,'add',C,P[:0],1) updated(np,'add',C[::2],P//2,W) updated(np,'add',B[:,0,0],S,W)
""".split()


@pytest.mark.parametrize("cells", [5, 700])
@pytest.mark.parametrize("expression", EXPRESSIONS + UPDATES)
def test_the_same_as_numpys(by_kernels, expression, cells):
    of = {"updated": updated}
    ours, numpys = (eval(expression, of, names(np, cells)) for np in (skald, numpy))
    for one, other in zip(ours if type(ours) is tuple else (ours,), numpys if type(numpys) is tuple else (numpys,)):
        assert difference(expression, other, one) is None


@pytest.mark.parametrize("expression, error", [
    ("C[S+9999]", IndexError), ("C[P-9999]", IndexError), ("np.add.at(C,P+9999,W)", IndexError), ("np.bincount(S)", ValueError), ("np.bincount(P,W[1:])", ValueError),
    ("np.bincount(W)", TypeError), ("np.histogram(F)", ValueError), ("np.histogram(W,0)", ValueError), ("np.digitize(W,[1,0,2])", ValueError),
    ("np.interp(W,K,C[1:])", ValueError)])
def test_the_same_errors(by_kernels, expression, error):
    for np in (skald, numpy):
        with pytest.raises(error):
            eval(expression, names(np, 700))


def test_results_are_put_off_and_see_no_later_write(by_kernels):
    n = names(skald, 700)
    counted = skald.bincount(n["P"])  # first: it asks for the largest number, and so runs what is pending
    taken = n["C"][n["P"]]
    assert taken._is_pending and counted._is_pending
    n["C"][:] = 0
    n["P"][:] = 0
    before = names(numpy, 700)
    assert difference("taken", before["C"][before["P"]], taken) is None and difference("counted", numpy.bincount(before["P"]), counted) is None


def test_numpy_does_it_until_it_pays(monkeypatch):
    """Compiled beside the script after NumPy has spent enough time, and used from then on."""
    if _core.option("evaluator") != "auto" or not _kernels_can_be_compiled():
        pytest.skip("there is no compiler")
    monkeypatch.setattr(_kernels, "_known", {})
    places, cells = skald.array(numpy.arange(400_000) % 7), skald.array(numpy.arange(7.0))
    first = cells[places]
    assert _kernels.states() == {"take.elements float64": "left to NumPy so far"} and not first._is_pending
    for _ in range(100):
        last = cells[places]
        if last._is_pending:
            break
        time.sleep(0.1)
    assert last._is_pending and "compiled" in skald.stats()["kernels"]["take.elements float64"]
    assert difference("last", numpy.asarray(first), last) is None


def _kernels_can_be_compiled():
    try:
        skald.compile_text("entry f (x: f64) = x")
    except RuntimeError:
        return False
    return True
