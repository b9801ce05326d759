# SPDX-License-Identifier: Apache-2.0
"""Arrays that show the memory of others: parts of complex numbers, other types, buffers."""

import numpy
import pytest

import skald

Z = (numpy.arange(24) - 7 + 1j * numpy.arange(24)[::-1] ** 2).reshape(4, 6)

PROGRAMS = {
    "write a part": "v = z.real\nv[1:3] = 5",
    "add to a part": "v = z.imag\nv[:-1] += v[1:]",
    "parts of each other": "z.real[1:] = z.imag[:-1]",
    "a part of itself, twice": "z.real[1:] = z.real[:-1]\nz.imag[:, 1:] = z.imag[:, :-1]",
    "the base changes later": "v = z.imag\nz[:-1] += z[1:]\nz *= 2",
    "mask": "v = z.imag\nv[v > 100] *= -1",
    "fill": "z[1].imag.fill(3)",
    "a part of a view": "v = z[::-1, 1::2].real\nv += 1",
    "an older copy": "c = z.copy()\nz.real[...] = 0\nz += c",
    "pending": "w = z * 2\nz.imag[...] = 1\nz += w",
    "set the attribute": "z.real = z.imag\nz.imag = 2",
    "as floats": "f = z.view('float64')\nf[:, ::2] = f[:, 1::2] + 1",
    "as integers": "f = z.view('int64')\nf[0] = 0",
    "one element": "v = z.real\nv[2, 3] = 8\nz[2, 3] += v[2, 3]",
    "reshaped": "v = z.real.reshape(-1)\nw = z.imag.T\nw[0] = v[:4]",
}


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_as_numpy_has_them(name, dtype):
    results = []
    for np in (numpy, skald):
        names = {"np": np, "z": np.array(Z.astype(dtype))}
        exec(PROGRAMS[name], names)
        results.append({k: numpy.asarray(v) for k, v in names.items() if k in "zvwcf"})
    for each, expected in results[0].items():
        assert results[1][each].dtype == expected.dtype
        numpy.testing.assert_array_equal(results[1][each], expected)


def test_a_part_knows_its_base():
    z = skald.array(Z)
    assert z.real.base is z and z[1:].imag.base is z


def test_a_part_that_may_not_be_written():
    z = skald.array(Z)
    z.flags.writeable = False
    with pytest.raises(ValueError):
        z.real[0] = 1


def test_a_buffer_is_shared():
    memory = bytearray(32)
    ours = skald.frombuffer(memory, dtype="int64")
    ours[1] = 7
    assert numpy.frombuffer(memory, "int64").tolist() == [0, 7, 0, 0]
    with pytest.raises(ValueError):
        skald.frombuffer(bytes(8), dtype="int64")[0] = 1


def test_a_part_sees_what_others_write():
    results = []
    for np in (numpy, skald):
        z = np.array(Z[0].copy())
        part, few = z.real, z[1:3].imag
        np.add.at(z, [0, 0], 10 + 5j)
        first = part.tolist()
        z[1] = 7j
        numpy.asarray(part)[2] = 1
        second = part.tolist() + few.tolist()
        np.add.at(z, [0], 1)
        part[...] = part[::-1]
        results.append((first, second, part.tolist(), z.tolist()))
    assert results[1] == results[0]


@pytest.mark.parametrize("np", [numpy, skald])
def test_parts_of_what_may_not_be_written(np):
    z = np.broadcast_to(np.array(Z[0].copy()), (2, 6))
    z.real = z.real
    with pytest.raises(ValueError):
        z.real = 3
    with pytest.raises(ValueError):
        z.imag[0] = 3


@pytest.mark.parametrize("np", [numpy, skald])
def test_at_through_a_view_that_is_read_only(np):
    """NumPy writes all the same; a copy must not see it."""
    a = np.arange(4.0)
    copy, view = a.copy(), np.broadcast_to(a, (2, 4))
    np.add.at(view, ([0], [1]), 1)
    assert a.tolist() == [0, 2, 2, 3] and copy.tolist() == [0, 1, 2, 3]
