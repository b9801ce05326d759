-- SPDX-License-Identifier: Apache-2.0
-- A value of the abstract type does not tell its size.
module type sized = { type^ t [n] val make : (n: i64) -> t [n] }
module m: sized = { type^ t [n] = [n]i64 -> i64 def make (n: i64) : t [n] = \_ -> 1 }
