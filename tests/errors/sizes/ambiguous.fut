-- SPDX-License-Identifier: Apache-2.0
-- Nothing says how long the array is.
def count [n] (f: [n]i32 -> i64) : i64 = n
def main = count (\_ -> 0)
