# SPDX-License-Identifier: Apache-2.0
"""Subclasses of np.ndarray, and what is an instance of it."""

import functools

import numpy

import skald as np


class Image(np.ndarray):
    """An array with a unit, after the pattern of NumPy's guide."""

    def __new__(cls, pixels, unit=None):
        image = np.asarray(pixels).view(cls)
        image.unit = unit
        return image

    def __array_finalize__(self, other):
        if other is not None:
            self.unit = getattr(other, "unit", None)


class Counted(np.ndarray):
    def __new__(cls, shape):
        return np.ndarray.__new__(cls, shape)

    def __array_finalize__(self, other):
        np.ndarray.__array_finalize__(self, other)

    def __getitem__(self, place):
        return super().__getitem__(place)


def test_a_subclass_keeps_its_attributes():
    image = Image([1.0, 2.0, 3.0], "lux")
    assert type(image) is Image and image.unit == "lux"
    assert (image + 1).unit == image[1:].unit == np.sqrt(image).unit == "lux"
    assert type(np.arange(3.0) * image) is Image and type(np.add(image, np.arange(3.0))) is Image


def test_a_view_of_a_subclass_shares_the_memory():
    pixels = np.arange(6.0).reshape(2, 3)
    image = pixels.view(Image)
    image[0, 0] = 9
    assert float(pixels[0, 0]) == 9
    pixels += 1
    assert float(image[0, 0]) == 10


def test_arrays_made_by_new():
    counted = Counted((2, 2))
    counted[:] = 3
    assert type(counted) is Counted and counted.sum() == 12
    assert type(np.ndarray.__new__(np.ndarray, (2, 3))) is np.ndarray


def test_instances_are_our_arrays_and_those_of_numpy():
    assert isinstance(np.arange(3), np.ndarray) and isinstance(Image([1]), np.ndarray)
    assert isinstance(np.array(["a"]), np.ndarray) and isinstance(numpy.arange(3), np.ndarray)
    assert not isinstance(3.0, np.ndarray) and not isinstance([1], np.ndarray)
    assert issubclass(Image, np.ndarray) and issubclass(np.ndarray, np.ndarray) and not issubclass(list, np.ndarray)


def test_functions_that_choose_by_the_type():
    @functools.singledispatch
    def kind(value):
        return "other"

    @kind.register(np.ndarray)
    def _(value):
        return "array"

    assert [kind(v) for v in (np.arange(2), Image([1]), 3)] == ["array", "array", "other"]


def test_annotations():
    assert np.ndarray[int, float].__origin__ is np.ndarray
