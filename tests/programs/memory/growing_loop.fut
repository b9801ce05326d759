-- SPDX-License-Identifier: Apache-2.0
-- Loops whose arrays grow: a block that the first round fits is too small for the next.
-- ==
-- entry: appended
-- input { 5i64 } output { [6, 4, 4, 4, 4, 4] }
-- input { 0i64 } output { [1] }
-- compiled input { 2000i64 } auto output
-- ==
-- entry: doubled
-- input { 3i64 } output { [4, 4, 4, 4, 4, 4, 4, 4] }
-- compiled input { 12i64 } auto output
-- ==
-- entry: shrunk
-- input { 3i64 } output { [4, 4] }

entry appended (n: i64) = loop xs = [1i32] for i < n do map (+ 1) xs ++ [i32.i64 i]

entry doubled (n: i64) =
  loop xs = [1i32] for _i < n do
    let ys = map (+ 1) xs
    in ys ++ ys

entry shrunk (n: i64) = loop xs = replicate 16 1i32 for _i < n do (map (+ 1) xs)[:length xs / 2]
