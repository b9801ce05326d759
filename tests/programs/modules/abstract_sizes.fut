-- SPDX-License-Identifier: Apache-2.0
-- Sizes that occur only inside the arguments of abstract types, and in size expressions.
-- ==
-- entry: table
-- input { 3i64 } output { [7, 7, 7] }
-- input { 0i64 } output { empty([0]i32) }
-- ==
-- entry: words
-- input { 1i64 } output { 1i64 }
-- input { 9i64 } output { 2i64 }

module type rows = {
  type^ rows [n] 'a
  val one 'a : a -> rows [1] a
  val many [n] [m] 'a : rows [m] a -> rows [n * m] ([n]a)
  val get [n] 'a : rows [n] a -> a
}

module rows : rows = {
  type^ rows [n] 'a = {space: [0][n](), row: () -> a}
  def nothing n = [] : [0][n]()
  def one x = {space = nothing 1, row = \() -> x}
  def many [n] [m] 'a (r: rows [m] a) =
    {space = nothing (n * m), row = \() -> replicate n (r.row ())}
  def get [n] 'a (r: rows [n] a) = r.row ()
}

entry table (n: i64) : []i32 =
  let r: rows.rows [n * 1] ([n]i32) = rows.many (rows.one 7i32)
  in rows.get r

module packed: {
  type packed [n]
  val pack : (n: i64) -> packed [(n - 1) / 8 + 1]
  val size [n] : packed [(n - 1) / 8 + 1] -> i64
} = {
  type packed [n] = [n]u8
  def pack n = replicate ((n - 1) / 8 + 1) 0u8
  def size [n] (p: packed [(n - 1) / 8 + 1]) : i64 = length p + 0 * n
}

entry words (n: i64) : i64 = packed.size (packed.pack n)
