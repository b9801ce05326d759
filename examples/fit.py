# SPDX-License-Identifier: Apache-2.0
"""Fits a small network to a curve by gradient descent: skald.grad inside skald.jit.

    ./skald-dev python examples/fit.py [STEPS]
"""

import sys

import numpy
import skald as np


def predict(parameters, x):
    hidden = np.tanh(x[:, None] * parameters["w"] + parameters["b"])
    return hidden @ parameters["v"] + parameters["c"]


def loss(parameters, x, y):
    return ((predict(parameters, x) - y) ** 2).mean()


@np.jit
def step(parameters, x, y):
    """One step downhill; Python runs this once."""
    value, gradient = np.value_and_grad(loss)(parameters, x, y)
    return {name: array - 0.05 * gradient[name] for name, array in parameters.items()}, value


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    random = numpy.random.default_rng(1)
    x = np.array(numpy.linspace(-2, 2, 200))
    y = np.sin(3 * x)
    parameters = {"w": np.array(random.normal(size=16) * 2), "b": np.array(random.normal(size=16)),
                  "v": np.array(random.normal(size=16) * 0.3), "c": np.array(0.0)}
    for number in range(steps + 1):
        parameters, value = step(parameters, x, y)
        if number % (steps // 5 or 1) == 0:
            print(f"step {number}: mean square error {float(value):.4f}")
    assert step.reason is None


main()
