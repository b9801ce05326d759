-- SPDX-License-Identifier: Apache-2.0
-- Parametric modules: applied twice, to modules and to results of applications, and of higher order.
-- ==
-- entry: sums
-- input { [1, 2, 3] [1.5, 2.5] } output { 6 4.0 [6, 7] }

module type monoid = {
  type t
  val zero : t
  val + : t -> t -> t
}

module summing (M: monoid) = {
  def sum (xs: []M.t) : M.t = reduce (M.+) M.zero xs
}

module ints = {type t = i32 def zero = 0i32 def (+) (x: t) (y: t) = x i32.+ y}
module doubles = {type t = f64 def zero = 0f64 def (+) (x: t) (y: t) = x f64.+ y}

module pair_of (A: monoid) (B: monoid) : monoid with t = (A.t, B.t) = {
  type t = (A.t, B.t)
  def zero = (A.zero, B.zero)
  def (+) (a: t) (b: t) = (a.0 A.+ b.0, a.1 B.+ b.1)
}

module int_sums = summing ints
module double_sums = summing doubles
module int_pair_sums = summing (pair_of ints ints)

entry sums (xs: []i32) (ys: []f64) =
  let (a, b) = int_pair_sums.sum (map (\x -> (x, x + 1i32 - 1 + i32.bool (x == 3))) xs)
  in (int_sums.sum xs, double_sums.sum ys, [a, b])

-- A module that takes a parametric module.
-- ==
-- entry: nested
-- input { 5 } output { 7 }

module type succ = {val succ : i32 -> i32}
module twice (F: (S: succ) -> succ) (S: succ) = F (F S)
module wrap (S: succ) = {def succ (x: i32) = S.succ x}
module next : succ = {def succ (x: i32) = x + 2}
module wrapped = twice wrap next

entry nested (x: i32) = wrapped.succ x
