-- SPDX-License-Identifier: Apache-2.0
def f (n: i64, m: i64) (xs: [n]i32) = xs
