-- SPDX-License-Identifier: Apache-2.0
-- The size of what filter returns is not known before the call.
def rows [m] (f: i64 -> [m]i64) = map f (iota 3)

def main (n: i64) = rows (\k -> filter (> k) (iota n))
