# SPDX-License-Identifier: Apache-2.0
"""Mistakes of users: NumPy's exceptions, in NumPy's words."""

import signal

import numpy
import pytest

import skald


def read_only(np):
    a = np.arange(3.0)
    a.flags.writeable = False
    a[0] = 1


CASES = {
    "shapes": lambda np, a: a + np.arange(5),
    "product": lambda np, a: a @ a,
    "axis": lambda np, a: a.sum(axis=7),
    "row": lambda np, a: a[5],
    "column": lambda np, a: a[0, 9],
    "index of a float": lambda np, a: a[1.5],
    "too many indices": lambda np, a: a[1, 2, 3],
    "out of another type": lambda np, a: np.add(a, 1, out=np.zeros((3, 4), dtype="i4")),
    "in place of another type": lambda np, a: np.arange(3).__iadd__(1.5),
    "in place of another type and shape": lambda np, a: np.zeros((5, 5), "u1").__imul__(np.eye(3)),
    "a number that does not fit": lambda np, a: np.copyto(np.zeros(3, "u4"), -1, casting="unsafe"),
    "a number of another kind": lambda np, a: np.copyto(np.zeros(3, bool), 5),
    "read only": lambda np, a: read_only(np),
    "reshape": lambda np, a: a.reshape(5, 5),
    "reshape to an unknown length": lambda np, a: a.reshape(5, -1),
    "reshape to an unknown length first": lambda np, a: a.reshape(-1, 5),
    "power of integers": lambda np, a: np.arange(3) ** -1,
    "shape of a mask": lambda np, a: a[np.zeros((2, 4), bool)],
    "shape of a part": lambda np, a: a.__setitem__(slice(None), np.arange(5)),
    "values for a mask": lambda np, a: np.arange(5000.0).__setitem__(np.arange(5000.0) > 7, numpy.arange(3.0)),
    "truth": lambda np, a: bool(a),
    "number": lambda np, a: float(a),
    "concatenate": lambda np, a: np.concatenate((a, np.ones(3))),
    "concatenate pending": lambda np, a: np.concatenate((a * 2, np.ones(3))),
    "concatenate other sizes": lambda np, a: np.concatenate((a * 2, np.ones((3, 5)))),
    "stack": lambda np, a: np.stack((a, np.ones(3))),
    "type": lambda np, a: np.zeros(3, dtype="nonsense"),
    "number that does not fit": lambda np, a: np.array([1], dtype=np.uint8) + 300,
    "greatest of nothing": lambda np, a: np.zeros(0).max(),
    "singular": lambda np, a: np.linalg.inv(np.zeros((3, 3))),
    "too large": lambda np, a: np.ones((1 << 40, 1 << 20)),
    "take": lambda np, a: np.take(a, 99),
}


@pytest.mark.parametrize("name", CASES)
def test_words(name):
    said = []
    for np in (numpy, skald):
        with pytest.raises(Exception) as caught:
            CASES[name](np, np.arange(12.0).reshape(3, 4))
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def test_interrupts_lose_nothing():
    # A shell may have told its children to take no notice.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        a = skald.arange(5000.0)
        b = a[a > 2] * 2
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            b = b + 1
    finally:
        signal.signal(signal.SIGINT, before)
    c = a + 1
    assert float(c[10]) == 11 and float(numpy.asarray(b)[0]) == 6


def floats_that_fail(np, n):
    """What a script does that wants to know of divisions by zero."""
    said, x = [], np.arange(n) * 1.0
    with np.errstate(divide="raise"):
        for make in (lambda: 1 / x, lambda: np.log(x).sum(), lambda: np.divide(1, x, out=np.zeros(n)), lambda: (1 / x[x < 5]).max()):
            try:
                said.append(make())
            except FloatingPointError as error:
                said.append(str(error))
    old = np.seterr(all="call")
    before = np.seterrcall(lambda kind, flag: said.append(kind))
    y = np.sqrt(x - 1)
    said.append("next line")
    np.seterrcall(before)
    np.seterr(**old)
    said.append(float(y[1]))
    return said


@pytest.mark.parametrize("n", [3, 100, 5000])
def test_floating_point_errors_come_where_they_are_made(n):
    assert floats_that_fail(skald, n) == floats_that_fail(numpy, n)
