-- SPDX-License-Identifier: Apache-2.0
-- A parametric module at two arguments; open, local and higher-order modules.
-- ==
-- entry: sums
-- input { [1, 2, 3] [0.5f64, 1.5f64] } output { 6 2f64 }
-- ==
-- entry: products
-- input { [2, 3, 4] } output { 24 }

module type monoid = {
  type t
  val zero : t
  val plus : t -> t -> t
}

module folding (M: monoid) = {
  local def op = M.plus
  def all [n] (xs: [n]M.t) : M.t = reduce op M.zero xs
}

module adding (N: numeric) : monoid with t = N.t = {
  type t = N.t
  def zero = N.i32 0
  def plus = (N.+)
}

module with_fold (F: (M: monoid) -> {val all [n] : [n]M.t -> M.t}) = F {
  type t = i32
  def zero = 1i32
  def plus (x: i32) y = x * y
}

module ints = folding (adding i32)
module floats = folding (adding f64)
module multiplying = with_fold folding

entry sums (xs: []i32) (ys: []f64) : (i32, f64) = (ints.all xs, floats.all ys)
open multiplying
entry products (xs: []i32) : i32 = all xs
