-- SPDX-License-Identifier: Apache-2.0
-- Later definitions from `open` hide earlier ones; modules, types and values have their own names.
-- ==
-- input {} output { 2 3 5 }
module a = { def x = 1i32 def y = 3i32 type x = i32 }
module b = { def x = 2i32 }
open a
open b
module x = { def x : x = 5 }
def main : (i32, i32, i32) = (b.x, y, x.x)
