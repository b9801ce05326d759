-- SPDX-License-Identifier: Apache-2.0
-- A recursive function cannot take functions that change.
def f (g: i32 -> i32) (x: i32) : i32 = if x < 1 then g x else f (\y -> g y + 1) (x - 1)
