# SPDX-License-Identifier: Apache-2.0
"""numpy.testing: its functions, with arrays of ours."""

import numpy.testing

from ._fallback import passed_through

__all__ = list(numpy.testing.__all__)
_made = {}


def __getattr__(name):
    value = getattr(numpy.testing, name)
    if name.startswith("assert") and callable(value) and name not in ("assert_raises", "assert_warns", "assert_no_warnings"):
        return _made.setdefault(name, passed_through(value, f"np.testing.{name}", "host"))
    return value


def __dir__():
    return dir(numpy.testing)
