-- SPDX-License-Identifier: Apache-2.0
-- The message says which component is wrong.
def f (t: (i32, bool, f64)) = t.0
def main (x: i32) = f (x, true, x)
