# SPDX-License-Identifier: Apache-2.0
"""Single elements, and elements chosen by integers and masks, as NumPy has them."""

import numpy
import pytest

import skald

TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "complex64", "complex128")


def pair(dtype, shape=(5, 7)):
    count = int(numpy.prod(shape))
    values = (numpy.arange(count) * 37 % 23).reshape(shape).astype(dtype)
    return values, skald.array(values)


@pytest.mark.parametrize("dtype", TYPES)
def test_one_element(dtype):
    real, ours = pair(dtype)
    for key in ((0, 0), (4, 6), (-1, -7), (2, -3)):
        expected, found = real[key], ours[key]
        assert type(expected) is type(found) and expected == found
        ours[key] = expected
        ours[key] = found
    for view in (slice(None, None, 2), slice(None, None, -1)):
        assert real[view][1, 3] == ours[view][1, 3] and real.T[view][3, 1] == ours.T[view][3, 1]
    numpy.testing.assert_array_equal(real, numpy.asarray(ours))


@pytest.mark.parametrize("key", [5, -6, (0, 7), (5, 0), (0, 0, 0), 2**70, (0, -2**70)])
def test_out_of_bounds(key):
    real, ours = pair("float64")
    for array in (real, ours):
        with pytest.raises(IndexError):
            array[key]
        with pytest.raises(IndexError):
            array[key] = 1.0


@pytest.mark.parametrize("dtype", TYPES)
def test_by_integers(dtype):
    real, ours = pair(dtype, (23,))
    for which in ([0, 22, -1, -23, 5, 5], [[1, 2], [3, -4]]):
        for index_type in ("int32", "int64", "uint8"):
            at = numpy.array(which).astype(index_type)
            if index_type == "uint8":
                at %= 23
            for view in (slice(None), slice(None, None, -2)):
                fitting = at % real[view].size
                numpy.testing.assert_array_equal(real[view][fitting], numpy.asarray(ours[view][skald.array(fitting)]))
    with pytest.raises(IndexError):
        ours[skald.array([0, 23])]
    with pytest.raises(IndexError):
        ours[skald.array([0, -24])]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("view", [numpy.s_[:], numpy.s_[:, ::2], numpy.s_[::-1, 1:], numpy.s_[2], numpy.s_[:, 3]])
def test_by_masks(dtype, view):
    real, ours = pair(dtype)
    chosen = (numpy.arange(35) % 3 == 0).reshape(5, 7)
    for mask in (chosen, ~chosen, chosen & False, chosen | True):
        where, ours_where = mask[view], skald.array(mask)[view]
        found = ours[view][ours_where]
        expected = real[view][where]
        assert found.dtype == expected.dtype
        numpy.testing.assert_array_equal(expected, numpy.asarray(found))
        kept = ours + 0 if dtype != "bool" else ours.copy()
        before = ours
        real[view][where] = expected[::-1]
        ours[view][ours_where] = found[::-1]
        numpy.testing.assert_array_equal(real, numpy.asarray(before))
        assert numpy.asarray(kept).shape == real.shape
        with pytest.raises(ValueError):
            ours[view][ours_where] = skald.zeros(expected.size + 2, dtype)


def test_bytes_of_masks_that_are_not_one():
    mask = numpy.array([0, 2, 3, 255, 0, 0, 1, 0, 6, 0], dtype="uint8").view(bool)
    values = numpy.arange(10.0)
    numpy.testing.assert_array_equal(values[mask], numpy.asarray(skald.array(values)[skald.array(mask)]))


def test_writing_keeps_older_versions():
    ours = skald.arange(6.0)
    copy, pending = ours.copy(), ours * 2
    mask = skald.array([True, False, True, False, False, True])
    ours[mask] = skald.array([10.0, 20.0, 30.0])
    assert ours.tolist() == [10, 1, 20, 3, 4, 30]
    assert copy.tolist() == [0, 1, 2, 3, 4, 5] and pending.tolist() == [0, 2, 4, 6, 8, 10]


def test_writing_to_itself():
    for np in (numpy, skald):
        a = np.arange(6.0)
        a[a > 2] = a[:3]
        assert a.tolist() == [0, 1, 2, 0, 1, 2]


def test_positions_of_several_axes_are_columns():
    def program(np):
        rows, columns = np.nonzero(np.arange(12).reshape(3, 4) % 3)
        flat = rows.ravel()
        flat[0] = 7
        columns[1] = 5
        return rows, columns, flat

    for ours, theirs in zip(program(skald), program(numpy), strict=True):
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_rows_chosen_by_integers_of_all_types_ours_and_numpys(dtype):
    plain = numpy.arange(60.0).reshape(5, 4, 3)
    for key in (numpy.array([4, 0, 0, 2], dtype), numpy.array([[1, 3]], dtype), numpy.array([], dtype)):
        for source in (plain, plain[:, 1:3], plain[::2], plain[::-1, 1, 2], plain.astype("f4")[:, 0]):
            key_here = key % len(source)
            ours = skald.array(plain)[:, 1:3] if source.shape == (5, 2, 3) else skald.array(source)
            for chooser in (key_here, skald.array(key_here)):
                chosen = ours[chooser]
                assert chosen.dtype == source.dtype
                numpy.testing.assert_array_equal(numpy.asarray(chosen), source[key_here])
    if dtype[0] == "i":
        numpy.testing.assert_array_equal(numpy.asarray(skald.array(plain)[numpy.array([-1, -5], dtype)]), plain[[-1, -5]])
        with pytest.raises(IndexError):
            skald.array(plain)[numpy.array([-6], dtype)]
    with pytest.raises(IndexError):
        skald.array(plain)[numpy.array([5], dtype)]


def test_products_of_short_vectors_with_those_of_numpy():
    values = numpy.random.default_rng(3).random(40)
    ours = skald.array(values)
    for part in (values, values[::-1], values[::2]):
        own = skald.array(part)
        assert numpy.isclose(float(part @ own), part @ part)
        assert numpy.isclose(float(own @ part), part @ part)
        assert numpy.isclose(float(skald.dot(part, own)), part @ part)
    assert values[:0] @ ours[:0] == 0 and skald.dot(ours[3:3], ours[:0]).dtype == float
    with pytest.raises(ValueError):
        values[1:] @ ours
