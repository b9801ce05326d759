-- SPDX-License-Identifier: Apache-2.0
-- The size parameter m is one size, but the function that is passed returns arrays of many.
def rows [m] (f: i64 -> [m]i64) = map f (iota 3)

def main (n: i64) = rows (\k -> iota (k + n))
