# SPDX-License-Identifier: Apache-2.0
"""Density of sea water from salinity, temperature and pressure: two long polynomials and their quotient."""

SIZES = {"S": {"n": 4096}, "M": {"n": 131_072}, "L": {"n": 2_097_152}}


def limit(n):
    return 32 * n, 95 * n


def setup(np, n):
    i = np.arange(n, dtype=np.float64)
    return {"salt": 35 + 2 * np.sin(i), "temperature": 12 + 8 * np.cos(0.3 * i), "pressure": 500 + 400 * np.sin(0.01 * i)}


def step(np, state):
    s, t, p = state["salt"], state["temperature"], state["pressure"]
    root = np.sqrt(s)
    upper = 999.84 + t * (7.35 + t * (-0.0545 + t * 3.98e-4)) + s * (2.59 - 7.19e-3 * t + 1.7e-3 * s)
    upper = upper + p * (0.0104 + 1.04e-7 * t * t + 5.17e-6 * s + p * (-3.24e-8 - 1.24e-11 * t * t))
    lower = 1.0 + t * (7.29e-3 + t * (-4.4e-5 + t * (3.37e-7 + t * 1.4e-10)))
    lower = lower + s * (1.76e-3 + t * (-8.5e-6 - 2.2e-10 * t * t) + root * (2.1e-6 + t * t * 2.3e-9))
    lower = lower + p * (6.7e-6 - p * t * (4.3e-17 * t * t + 4.6e-18 * p))
    first = upper / lower
    slope_t = (7.35 + t * (-0.109 + t * 1.194e-3) - 7.19e-3 * s - first * (7.29e-3 - 8.8e-5 * t)) / lower
    slope_s = (2.59 - 7.19e-3 * t + 3.4e-3 * s - first * (1.76e-3 - 8.5e-6 * t)) / lower
    state["density"], state["slope"] = first, slope_t + slope_s


def result(np, state):
    return state["density"] + state["slope"]
