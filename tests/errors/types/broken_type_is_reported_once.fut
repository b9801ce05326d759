-- SPDX-License-Identifier: Apache-2.0
-- Uses of a type, of a module and of a module type that are wrong are not wrong themselves.
type pair [n] = (i32, i32)
def f (p: pair [3]) = p.0
module m = nothing { def x = 1i32 }
def g = m.x + 1
module type mt = { include nowhere }
module n: mt = { def y = 2i32 }
open missing
def h = something_of_missing
