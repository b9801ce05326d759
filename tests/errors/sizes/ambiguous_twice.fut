-- SPDX-License-Identifier: Apache-2.0
-- Nothing says how long the arrays are.
def count [n] (f: [n]i32 -> i64) : i64 = n
def total [m] (f: [m]i32 -> i64) : i64 = m
def main = count (\_ -> 0) + total (\_ -> 1)
