-- SPDX-License-Identifier: Apache-2.0
def is_safe [k] (board: [k]i64) (row: i64): bool =
  all (\(r, i) -> r != row && i64.abs (r - row) != k - i) (zip board (iota k))
def ways [k] (n: i64) (board: [k]i64): i64 =
  if k == n then 1
  else i64.sum (map (\row -> ways n (board ++ [row])) (filter (is_safe board) (iota n)))
entry main (n: i64): i64 = ways n []
