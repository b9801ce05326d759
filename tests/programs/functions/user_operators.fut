-- SPDX-License-Identifier: Apache-2.0
-- Own operators bind like the built-in operator that starts their name.

def (+^) (x: i32) (y: i32) : i32 = x * 10 + y
def (x: i32) <%> (y: i32) : bool = x % 7 < y % 7

-- ==
-- input { 1i32 2i32 3i32 } output { 123i32 true false }
entry main (a: i32) (b: i32) (c: i32) : (i32, bool, bool) = (a +^ b +^ c, a + 7 <%> b, c <%> b * 1)
