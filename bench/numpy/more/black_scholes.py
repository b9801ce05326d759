# SPDX-License-Identifier: Apache-2.0
"""Prices of options by the formula of Black and Scholes, with a polynomial for the normal distribution."""

SIZES = {"S": {"n": 10_000}, "M": {"n": 200_000}, "L": {"n": 2_000_000}}
COEFFICIENTS = (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429)


def limit(n):
    return 16 * n, 60 * n


def setup(np, n):
    return {"price": 58.0 + 4.0 * np.sin(np.arange(n) * 0.37), "strike": 65.0}


def normal(np, x):
    size = np.absolute(x)
    k = 1.0 / (1.0 + 0.2316419 * size)
    polynomial = sum(c * k ** (i + 1) for i, c in enumerate(COEFFICIENTS))
    upper = 1.0 - 1.0 / np.sqrt(2 * np.pi) * np.exp(-size * size / 2.0) * polynomial
    return np.where(x < 0, 1.0 - upper, upper)


def step(np, state):
    s, strike, rate, spread, years = state["price"], state["strike"], 0.08, 0.3, 1.0 / 3
    d1 = (np.log(s / strike) + (rate + spread * spread / 2.0) * years) / (spread * years**0.5)
    d2 = d1 - spread * years**0.5
    state["call"] = s * normal(np, d1) - strike * np.exp(-rate * years) * normal(np, d2)


def result(np, state):
    return state["call"]


def numexpr_step(numexpr):
    term = " + ".join(f"({c}) * k ** {i + 1}" for i, c in enumerate(COEFFICIENTS))

    def normal_by_text(x):
        k = numexpr.evaluate("1 / (1 + 0.2316419 * abs(x))", {"x": x})
        return numexpr.evaluate(f"where(x < 0, 0, 1) + where(x < 0, 1, -1) * 0.3989422804014327 * exp(-x * x / 2) * ({term})", {"x": x, "k": k})

    def one(state):
        s, strike = state["price"], state["strike"]
        d1 = numexpr.evaluate("(log(s / strike) + 0.125 / 3) / (0.3 * sqrt(1.0 / 3))", {"s": s, "strike": strike})
        d2 = numexpr.evaluate("d1 - 0.3 * sqrt(1.0 / 3)", {"d1": d1})
        n1, n2 = normal_by_text(d1), normal_by_text(d2)
        state["call"] = numexpr.evaluate("s * n1 - strike * exp(-0.08 / 3) * n2", {"s": s, "strike": strike, "n1": n1, "n2": n2})

    return one
