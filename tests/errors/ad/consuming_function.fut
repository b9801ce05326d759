-- SPDX-License-Identifier: Apache-2.0
-- A function that consumes its argument cannot be differentiated as it is.
def first_twice (x: *[3]f64) : *[3]f64 = x with [0] = x[0] * 2

def main (x: [3]f64) (d: [3]f64) = vjp first_twice x d
