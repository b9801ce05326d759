-- SPDX-License-Identifier: Apache-2.0
-- Copies of arrays that nobody looks at afterwards take their memory; others do not.
-- ==
-- entry: last
-- input { [1i64, 2i64, 3i64] } output { [7i64, 3i64, 4i64] 7i64 }
-- ==
-- entry: looked_at_later
-- input { [1i64, 2i64, 3i64] } output { [7i64, 3i64, 4i64] 7i64 }
-- ==
-- entry: given_back
-- input { [1i64, 2i64, 3i64] } output { [2i64, 3i64, 4i64] [7i64, 3i64, 4i64] }
-- ==
-- entry: of_the_caller
-- input { [1i64, 2i64, 3i64] } output { [7i64, 2i64, 3i64] [1i64, 2i64, 3i64] }
-- ==
-- entry: by_a_view
-- input { [1i64, 2i64, 3i64, 4i64] } output { [7i64, 3i64, 4i64, 5i64] [2i64, 3i64] }
-- ==
-- entry: in_branches
-- input { [1i64, 2i64, 3i64] true } output { [7i64, 3i64, 4i64] 9i64 }
-- input { [1i64, 2i64, 3i64] false } output { [2i64, 3i64, 7i64] 9i64 }
-- ==
-- entry: in_loops
-- input { [1i64, 2i64, 3i64] 3i64 } output { [5i64, 6i64, 7i64] 39i64 }

def halves [n] (ys: [n]i64) = i64.sum (map (\i -> ys[i / 2]) (iota n))

entry last (xs: []i64) : ([]i64, i64) =
  let ys = map (+ 1) xs
  let total = halves ys
  in (copy ys with [0] = total, total)

entry looked_at_later (xs: []i64) : ([]i64, i64) =
  let ys = map (+ 1) xs
  let zs = copy ys with [0] = 7
  in (zs, halves ys)

entry given_back [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  let ys = map (+ 1) xs
  in (ys, copy ys with [0] = halves ys)

entry of_the_caller [n] (xs: [n]i64) : ([n]i64, [n]i64) = (copy xs with [0] = 7, xs)

entry by_a_view (xs: []i64) : ([]i64, []i64) =
  let ys = map (+ 1) xs
  let first = take 2 ys
  let zs = copy ys with [0] = 7
  in (zs, first)

entry in_branches (xs: []i64) (c: bool) : ([]i64, i64) =
  let ys = map (+ 1) xs
  let zs = if c then copy ys with [0] = 7 else copy ys with [2] = 7
  in (zs, i64.sum ys)

-- The array of a round is new; what the next one gets is a copy of it, changed.
entry in_loops [n] (xs: [n]i64) (k: i64) : ([n]i64, i64) =
  loop (ys, total) = (xs, 0) for i < k do
    let zs = map (\y -> y + i64.max 1 total - total + 1) ys
    let total = total + halves zs
    let ws = copy zs
    in (ws with [0] = zs[0] + i - i, total)
