-- SPDX-License-Identifier: Apache-2.0
-- Both components of the argument are consumed.
def f (xs: *[3]i32, ys: *[3]i32) : *[3]i32 = xs with [0] = ys[0]
def main (xs: *[3]i32) = f (xs, xs)
