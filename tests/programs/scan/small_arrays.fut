-- SPDX-License-Identifier: Apache-2.0
-- Operators on arrays of constant shape: matrices, vectors, pairs of both; branches, loops, checks and updates in them.

def product [n] (a: [n][n]i32) (b: [n][n]i32) : [n][n]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a

def matrices (n: i64) : [n][2][2]i32 =
  tabulate_3d n 2 2 (\i j k -> (i32.i64 (i * 7 + j * 3 + k * 5)) % 5 - 2)

-- One after the other.
def folded 'a [n] (op: a -> a -> a) (ne: a) (xs: [n]a) : [n]a =
  let (_, out) =
    loop (acc, out) = (ne, replicate n ne) for i < n do
      let next = op acc xs[i]
      in (next, out with [i] = next)
  in out

-- ==
-- entry: scan_matrices
-- input { 0i64 } output { true empty([0][2][2]i32) }
-- input { 1i64 } output { true [[[-2i32, -2i32], [1i32, 1i32]]] }
entry scan_matrices (n: i64) : (bool, [n][2][2]i32) =
  let ms = matrices n
  let got = scan product [[1, 0], [0, 1]] ms
  let want = folded product [[1, 0], [0, 1]] ms
  in (flatten_3d got == flatten_3d want, got)

-- ==
-- entry: scan_sizes
-- input { [2i64, 3i64, 4i64, 5i64, 63i64, 64i64, 65i64, 1023i64, 1024i64, 1025i64, 4096i64, 20000i64] }
-- output { [true, true, true, true, true, true, true, true, true, true, true, true] }
entry scan_sizes [k] (ns: [k]i64) : [k]bool =
  #[sequential] map (\n -> let ms = matrices n
             let got = scan product [[1, 0], [0, 1]] ms
             let want = folded product [[1, 0], [0, 1]] ms
             in flatten_3d got == flatten_3d want) ns

-- ==
-- entry: host_sizes
-- input { 1025i64 } output { true }
-- input { 20000i64 } output { true }
-- compiled input { 100003i64 } output { true }
entry host_sizes (n: i64) : bool =
  let ms = matrices n
  let got = scan product [[1, 0], [0, 1]] ms
  let want = folded product [[1, 0], [0, 1]] ms
  in flatten_3d got == flatten_3d want

-- ==
-- entry: reduce_matrices
-- input { 0i64 } output { [[1i32, 0i32], [0i32, 1i32]] }
-- input { 1i64 } output { [[-2i32, -2i32], [1i32, 1i32]] }
-- input { 3i64 } output { [[8i32, 8i32], [-4i32, -4i32]] }
entry reduce_matrices (n: i64) : [2][2]i32 = reduce product [[1, 0], [0, 1]] (matrices n)

-- ==
-- entry: rows_of_scans
-- input { 3i64 40i64 } output { true }
-- input { 100i64 7i64 } output { true }
-- compiled input { 2i64 50000i64 } output { true }
-- input { 0i64 5i64 } output { true }
-- input { 5i64 0i64 } output { true }
entry rows_of_scans (m: i64) (n: i64) : bool =
  let mss = tabulate m (\r -> map (map (map (+ i32.i64 r))) (matrices n))
  let got = map (scan product [[1, 0], [0, 1]]) mss
  let want = map (folded product [[1, 0], [0, 1]]) mss
  in flatten_4d got == flatten_4d want

-- ==
-- entry: sums_of_points
-- input { [[1f32, 2f32, 3f32], [10f32, 20f32, 30f32], [100f32, 200f32, 300f32]] }
-- output { [111f32, 222f32, 333f32] [[1f32, 2f32, 3f32], [11f32, 22f32, 33f32], [111f32, 222f32, 333f32]] }
-- input { empty([0][3]f32) } output { [0f32, 0f32, 0f32] empty([0][3]f32) }
entry sums_of_points [n] (ps: [n][3]f32) : ([3]f32, [n][3]f32) =
  (reduce (map2 (+)) [0, 0, 0] ps, scan (map2 (+)) [0, 0, 0] ps)

-- The pair with the larger key; a branch with arrays on both sides.
-- ==
-- entry: best_point
-- input { [3i32, 9i32, 4i32] [[1f32, 1f32], [2f32, 2f32], [3f32, 3f32]] } output { 9i32 [2f32, 2f32] [3i32, 9i32, 9i32] }
-- input { empty([0]i32) empty([0][2]f32) } output { -2147483648i32 [0f32, 0f32] empty([0]i32) }
entry best_point [n] (keys: [n]i32) (ps: [n][2]f32) : (i32, [2]f32, [n]i32) =
  let best (ka: i32, a: [2]f32) (kb: i32, b: [2]f32) = if kb > ka then (kb, b) else (ka, a)
  let ne = (i32.lowest, [0, 0])
  let (k, p) = reduce best ne (zip keys ps)
  let (ks, _) = unzip (scan best ne (zip keys ps))
  in (k, p, ks)

-- Sorted lists of the three smallest elements: loops, updates, comparisons.
-- ==
-- entry: three_smallest
-- input { [5i32, 3i32, 8i32, 1i32, 9i32, 2i32] } output { [1i32, 2i32, 3i32] }
-- input { [5i32] } output { [5i32, 2147483647i32, 2147483647i32] }
entry three_smallest [n] (xs: [n]i32) : [3]i32 =
  let insert (s: [3]i32) (x: i32) : [3]i32 =
    let (s, _) =
      loop (s, x) = (copy s, x) for i < 3 do
        if x < s[i] then (copy s with [i] = x, s[i]) else (s, x)
    in s
  let merge (a: [3]i32) (b: [3]i32) : [3]i32 = loop a for i < 3 do insert a b[i]
  in reduce merge (replicate 3 i32.highest) (map (\x -> [x, i32.highest, i32.highest]) xs)

-- A check inside an operator.
-- ==
-- entry: checked
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[1i32, 2i32], [4i32, 6i32]] [4i32, 6i32] }
-- input { [[1i32, 2i32], [3i32, -4i32], [0i32, 7i32]] } error: Assertion
entry checked [n] (xs: [n][2]i32) : ([n][2]i32, [2]i32) =
  let add = map2 (\x y -> let s = x + y in assert (s >= 0) s)
  in (scan add [0, 0] xs, reduce add [0, 0] xs)

-- ==
-- entry: checked_late
-- input { 30000i64 100000i64 } output { 30000i32 }
-- input { 30000i64 29999i64 } error: Assertion
-- input { 30000i64 0i64 } error: Assertion
entry checked_late (n: i64) (bad: i64) : i32 =
  let xs = tabulate n (\i -> if i == bad then [-100000i32, 0] else [1, 2])
  let add = map2 (\x y -> let s = x + y in assert (s >= 0) s)
  let ys = scan add [0, 0] xs
  in ys[n - 1][0]
