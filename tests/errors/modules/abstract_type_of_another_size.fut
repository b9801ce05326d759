-- SPDX-License-Identifier: Apache-2.0
-- The type goes by the name of its module.
module type vec = {
  type t [n]
  val zero : (n: i64) -> t [n]
  val add [n] : t [n] -> t [n] -> t [n]
}
module v : vec = {
  type t [n] = [n]f32
  def zero (n: i64) : t [n] = replicate n 0
  def add [n] (a: t [n]) (b: t [n]) : t [n] = map2 (+) a b
}
def x = v.add (v.zero 3) (v.zero 4)
