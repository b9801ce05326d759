-- SPDX-License-Identifier: Apache-2.0
-- Values of an abstract type made by polymorphic definitions, combined by an operator: every
-- instance is found from where the operator stands.
-- ==
-- input { [1, 2] [3] } output { [1, 2, 3] }

module same: {
  type same [n] [m]
  val cast [n] [m] 't : same [n] [m] -> [n]t -> [m]t
  val swap [a] [b] : same [a + b] [b + a]
  val (<+>) [a] [b] [c] : same [a] [b] -> same [b] [c] -> same [a] [c]
} = {
  type same [n] [m] = [0][n][m]()
  def cast [n] [m] 't (_: same [n] [m]) (xs: [n]t) = xs :> [m]t
  def swap = []
  def (<+>) _ _ = []
}

open same

def main [n] [m] (xs: [n]i32) (ys: [m]i32) : [n + m]i32 =
  let back: same [n + m] [n + m] = swap <+> swap
  in cast back (xs ++ ys)
