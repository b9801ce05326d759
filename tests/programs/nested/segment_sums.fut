-- SPDX-License-Identifier: Apache-2.0
-- Sums over rows of different lengths: empty ones, short ones, long ones, one that is longer than all others together.

def sums [n] [m] (offsets: [m]i64) (xs: [n]f32) : []f32 =
  map (\i -> f32.sum xs[offsets[i]:offsets[i + 1]]) (iota (m - 1))

-- One after the other; exact, because all numbers are small integers.
def slow_sums [n] [m] (offsets: [m]i64) (xs: [n]f32) : []f32 =
  map (\i -> loop s = 0 for j < offsets[i + 1] - offsets[i] do s + xs[offsets[i] + j]) (iota (m - 1))

def numbers (n: i64) : [n]f32 = tabulate n (\i -> f32.i64 (i * 7919 % 5 - 2))

-- ==
-- entry: given
-- input { [0i64, 2i64, 2i64, 5i64] [1f32, 2f32, 3f32, 4f32, 5f32] } output { [3f32, 0f32, 12f32] }
-- input { [0i64] [1f32] } output { empty([0]f32) }
-- input { [1i64, 1i64] empty([0]f32) } output { [0f32] }
-- input { [0i64, 5i64, 3i64, 6i64] [1f32, 2f32, 3f32, 4f32, 5f32, 6f32] } error: Index \[5:3\] out of bounds
-- input { [0i64, 7i64] [1f32, 2f32, 3f32, 4f32, 5f32, 6f32] } error: Index \[0:7\] out of bounds
entry given [n] [m] (offsets: [m]i64) (xs: [n]f32) : []f32 = sums offsets xs

-- Row i has (i * i) % modulus elements, and row `at` so many more.
def lengths (rows: i64) (modulus: i64) (at: i64) (more: i64) : [rows]i64 =
  tabulate rows (\i -> (i * i) % modulus + if i == at then more else 0)

-- ==
-- entry: generated
-- input { 3i64 5i64 1i64 0i64 } output { true }
-- input { 70i64 3i64 1i64 0i64 } output { true }
-- input { 200i64 40i64 7i64 0i64 } output { true }
-- input { 1000i64 100i64 999i64 50000i64 } output { true }
-- input { 100i64 23i64 0i64 300000i64 } output { true }
-- input { 5i64 300i64 4i64 200000i64 } output { true }
-- input { 20000i64 11i64 20000i64 0i64 } output { true }
entry generated (rows: i64) (modulus: i64) (at: i64) (more: i64) : bool =
  let ends = scan (+) 0 (lengths rows modulus at more)
  let offsets = [0] ++ ends
  let xs = numbers (last offsets)
  in and (map2 (==) (sums offsets xs :> [rows]f32) (slow_sums offsets xs :> [rows]f32))

-- Gathered values, two sums at once, and a failing index in the middle of a row.
-- ==
-- entry: gathered
-- input { 100i64 50i64 1000i64 -1i64 } output { true }
-- input { 300i64 7i64 10i64 -1i64 } output { true }
-- input { 4i64 5000i64 10i64 -1i64 } output { true }
-- input { 100i64 50i64 1000i64 777i64 } error: Index \[1000\] out of bounds
-- input { 4i64 5000i64 10i64 12i64 } error: Index \[10\] out of bounds
entry gathered (rows: i64) (modulus: i64) (m: i64) (bad: i64) : bool =
  let ends = scan (+) 0 (lengths rows modulus 0 0)
  let offsets = [0] ++ ends
  let n = last offsets
  let x = numbers m
  let columns = tabulate n (\i -> if i == bad then m else i * 31 % m)
  let values = numbers n
  let row i = (columns[offsets[i]:offsets[i + 1]], values[offsets[i]:offsets[i + 1]])
  let got = map (\i -> let (c, v) = row i in f32.sum (map2 (\c v -> v * x[c]) c v)) (iota rows)
  let (a, b) = unzip (map (\i -> let (c, v) = row i
                                 in reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0)
                                                (map2 (\c v -> (v * x[c], v)) c v)) (iota rows))
  let want = map (\i -> loop s = 0 for j < offsets[i + 1] - offsets[i] do s + values[offsets[i] + j] * x[columns[offsets[i] + j]])
                 (iota rows)
  in and (map2 (==) got want) && and (map2 (==) a want) && and (map2 (==) b (slow_sums offsets values :> [rows]f32))
