-- SPDX-License-Identifier: Apache-2.0
-- The module, the argument, the parameter.
module type num = { type t val add : t -> t -> t }
module sum (n: num) = { def sum3 (a: n.t) (b: n.t) (c: n.t) = n.add a (n.add b c) }
module ints = { type t = i32 def add (x: t) : t = x }
module s = sum ints
module r = sum (sum)
module q = ints (ints)
