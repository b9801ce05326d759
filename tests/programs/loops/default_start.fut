-- SPDX-License-Identifier: Apache-2.0
-- Without a start value a loop parameter starts as the variable of the same name.

-- ==
-- input { 3i32 4i32 } output { 11i32 }
-- input { 3i32 0i32 } output { 3i32 }
entry main (x: i32) (n: i32) : i32 = loop x for _i < n do x + 2
