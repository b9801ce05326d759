-- SPDX-License-Identifier: Apache-2.0
-- Parts of rows that begin at any element: on devices threads take several elements of a row at once, where all rows are aligned.

-- ==
-- entry: converted sums
-- input { 50i64 32i64 } output { true }
-- input { 50i64 40i64 } output { true }
-- input { 3i64 1024i64 } output { true }
-- compiled input { 300i64 100i64 } output { true }
-- compiled input { 300i64 101i64 } output { true }
def value (i: i64) (j: i64) = (i * 5 + j * 3) % 17

entry converted (n: i64) (d: i64) : bool =
  let rows = tabulate_2d n (d + 1) (\i j -> f32.i64 (value i (j - 1)))
  let part = map (\row -> row[1:] :> [d]f32) rows
  let numbers = map (map i64.f32) part
  in and (flatten (tabulate_2d n d (\i j -> numbers[i, j] == value i j && part[i, j] == f32.i64 (value i j))))

-- Two parts of the same rows, and an array whose rows are as long as the parts.
entry sums (n: i64) (d: i64) : bool =
  let rows = tabulate_2d n (d + 3) (\i j -> i32.i64 (value i j))
  let whole = tabulate_2d n d (\i j -> i32.i64 (i - j))
  let sums = map2 (\row other -> map3 (\x y z -> x + 2 * y + 3 * z) (row[1:d + 1] :> [d]i32) (row[3:] :> [d]i32) other) rows whole
  in and (flatten (tabulate_2d n d (\i j -> sums[i, j] == i32.i64 (value i (j + 1) + 2 * value i (j + 3) + 3 * (i - j)))))
