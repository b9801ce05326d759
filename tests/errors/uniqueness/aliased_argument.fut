-- SPDX-License-Identifier: Apache-2.0
-- What one parameter consumes, another may not look at.
def f (xs: *[3]i32) (ys: [3]i32) : *[3]i32 = xs with [0] = ys[1]
def main (zs: *[3]i32) = f zs zs
