-- SPDX-License-Identifier: Apache-2.0
-- Loops that lanes leave at very different times: the last ones go on as scalar code.
-- ==
-- entry: primes
-- input { 100i64 } output { 25i32 }
-- input { 5000i64 } output { 669i32 }
-- input { 0i64 } output { 0i32 }

entry primes (n: i64): i32 =
  let is_prime (k: i32) = (loop (d, ok) = (2, k >= 2) while ok && d * d <= k do (d + 1, k % d != 0)).1
  in i32.sum (map (\i -> i32.bool (is_prime (i32.i64 i))) (iota n))

-- The counters of lanes are linear outside the loop; one lane in 13 goes on for long.
-- ==
-- entry: far
-- input { 40i64 } output { [0i64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 156, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 650, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 1482, 39] }

entry far (n: i64): [n]i64 =
  map (\i -> (loop (x, k) = (i, 0i64) while k < (if i % 13 == 12 then i else 0) do (x + i, k + 1)).0) (iota n)

-- A check that fails in a lane that is left alone; the first one in the order of the array counts.
-- ==
-- entry: fails
-- input { [1i32, 1i32, 1i32, 1i32, 5i32, 1i32, 1i32, 1i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [2i32, 2i32, 2i32, 2i32, 6i32, 2i32, 2i32, 2i32] }
-- input { [1i32, 1i32, 1i32, 9i32, 5i32, 1i32, 7i32, 1i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } error: Index \[6\] out of bounds for array of shape \[6\]
-- input { [1i32, 1i32, 1i32, 1i32, 0i32, 1i32, 1i32, 1i32] [1i32, 0i32, 3i32, 4i32, 5i32, 6i32] } output { [0i32, 0i32, 0i32, 0i32, 1i32, 0i32, 0i32, 0i32] }
-- input { [1i32, 1i32, 1i32, 23i32, 2i32, 2i32, 2i32, 18i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32, 10i32, 11i32, 12i32, 13i32, 14i32, 15i32, 16i32, 17i32, 18i32, 19i32, 20i32, 21i32, 22i32, 23i32, 24i32] } output { [2i32, 2i32, 2i32, 24i32, 3i32, 3i32, 3i32, 19i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32] }
-- input { [1i32, 1i32, 1i32, 30i32, 2i32, 2i32, 2i32, 18i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32, 10i32, 11i32, 12i32, 13i32, 14i32, 15i32, 16i32, 17i32, 18i32, 19i32, 20i32, 21i32, 22i32, 23i32, 24i32] } error: Index \[24\] out of bounds for array of shape \[24\]
-- input { [1i32, 1i32, 1i32, 30i32, 2i32, 2i32, 2i32, 22i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32, 10i32, 11i32, 12i32, 13i32, 14i32, 15i32, 16i32, 17i32, 18i32, 19i32, 20i32, 0i32, 22i32, 23i32, 24i32] } output { [2i32, 2i32, 2i32, 0i32, 3i32, 3i32, 3i32, 0i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32] }

entry fails [n] [m] (ks: [n]i32) (xs: [m]i32): [n]i32 =
  map (\k -> let (_, x, _) = loop (i, x, go) = (0i64, xs[0], true) while go && i < i64.i32 k do
                               (i + 1, xs[i + 1], xs[i + 1] != 0)
             in x) ks

-- Loops in loops, and floats.
-- ==
-- entry: nested
-- input { 30i64 } output { [0f64, 1f64, 5f64, 14f64, 30f64, 55f64, 91f64, 140f64, 204f64, 285f64, 385f64, 506f64, 650f64, 819f64, 1015f64, 1240f64, 1496f64, 1785f64, 2109f64, 2470f64, 2870f64, 3311f64, 3795f64, 4324f64, 4900f64, 5525f64, 6201f64, 6930f64, 7714f64, 8555f64] }

entry nested (n: i64): [n]f64 =
  map (\i -> (loop (s, k) = (0f64, 0i64) while k < i do
                (s + (loop (t, j) = (0f64, 0i64) while j <= k do (t + f64.i64 (k + 1), j + 1)).0, k + 1)).0)
      (iota n)

-- Loops of very different lengths that count together.
-- ==
-- entry: lengths
-- input { [0i32, 1i32, 2i32, 40i32, 3i32, 0i32, 1i32, 2i32, 33i32, 1i32] } output { [1u32, 270369u32, 67634689u32, 2037229063u32, 2647435461u32, 1u32, 270369u32, 67634689u32, 53684993u32, 270369u32] }

entry lengths [n] (ks: [n]i32): [n]u32 =
  map (\k -> loop s = 1u32 for _j < k do let s = s ^ (s << 13) let s = s ^ (s >> 17) in s ^ (s << 5)) ks

-- Such loops that some lanes leave early, and elements that may not be there.
-- ==
-- entry: small_before
-- input { [0i64, 1i64, 2i64, 3i64, 6i64, 2i64, 1i64, 0i64, 5i64] [1i32, 2i32, 3i32, 9i32, 1i32, 2i32] } output { [true, true, true, true, false, true, true, true, false] }
-- input { [0i64, 1i64, 2i64, 3i64, 8i64, 2i64, 1i64, 0i64, 7i64] [1i32, 2i32, 3i32, 4i32, 1i32, 2i32] } error: Index \[6\] out of bounds
-- input { [0i64, 1i64, 2i64, 3i64, 8i64, 2i64, 1i64, 0i64, 7i64] [1i32, 2i32, 3i32, 4i32, 9i32, 2i32] } output { [true, true, true, true, false, true, true, true, false] }
-- input { [1i64, 1i64, 1i64, 24i64, 2i64, 2i64, 2i64, 19i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64] [1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32] } output { [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true] }
-- input { [1i64, 1i64, 1i64, 30i64, 2i64, 2i64, 2i64, 19i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64] [1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32] } error: Index \[24\] out of bounds
-- input { [1i64, 1i64, 1i64, 30i64, 2i64, 2i64, 2i64, 19i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64] [1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 9i32, 1i32, 1i32, 1i32] } output { [true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, true] }

entry small_before [n] [m] (ks: [n]i64) (xs: [m]i32): [n]bool =
  map (\k -> loop ok = true for j < k do ok && xs[j] < 5) ks

-- A division by zero in the last round of the longest loop.
-- ==
-- entry: quotients
-- input { [2i32, 2i32, 2i32, 40i32, 1i32, 1i32, 1i32, 30i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32] [0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32] } output { [1500i32, 1500i32, 1500i32, 4263i32, 1000i32, 1000i32, 1000i32, 3983i32, 1500i32, 1500i32, 1500i32, 1500i32, 1500i32, 1500i32, 1500i32, 1500i32, 1500i32] }
-- input { [2i32, 2i32, 2i32, 40i32, 1i32, 1i32, 1i32, 30i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32, 2i32] [0i32, 0i32, 0i32, -1i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32] } error: division by zero

entry quotients [n] (ks: [n]i32) (ls: [n]i32): [n]i32 =
  map2 (\k l -> (loop (s, d) = (0i32, k) while d > l do (s + 1000 / d, d - 1)).0) ks ls
