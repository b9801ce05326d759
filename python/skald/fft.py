# SPDX-License-Identifier: Apache-2.0
"""numpy.fft: transforms by NumPy's library, recorded like all library calls."""

import numpy

from ._engine import from_numpy
from ._fallback import passed_through
from ._join import roll
from ._native import array_of

_LIBRARY = "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()

for _name in _LIBRARY:
    globals()[_name] = passed_through(getattr(numpy.fft, _name), f"np.fft.{_name}", "library")

__all__ = [*_LIBRARY, "fftfreq", "rfftfreq", "fftshift", "ifftshift"]


def fftfreq(n, d=1.0, device=None, dtype=None):
    """The frequencies that belong to the results of `fft`."""
    return from_numpy(numpy.fft.fftfreq(n, d, device=device).astype(_real_floating(dtype)))


def rfftfreq(n, d=1.0, device=None, dtype=None):
    """The frequencies that belong to the results of `rfft`."""
    return from_numpy(numpy.fft.rfftfreq(n, d, device=device).astype(_real_floating(dtype)))


def _real_floating(dtype):
    wanted = numpy.dtype(numpy.float64 if dtype is None else dtype)
    if wanted.kind != "f":
        raise ValueError(f"dtype must be a real floating one, not {wanted}")
    return wanted


def _shifted(x, axes, sign):
    x = array_of(x)
    axes = tuple(range(x.ndim)) if axes is None else (axes,) if hasattr(axes, "__index__") else tuple(axes)
    amounts = tuple(x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes)
    return roll(x, amounts, axes)


def fftshift(x, axes=None):
    """Frequency zero moved to the middle."""
    return _shifted(x, axes, 1)


def ifftshift(x, axes=None):
    """Frequency zero moved back to the beginning."""
    return _shifted(x, axes, -1)
