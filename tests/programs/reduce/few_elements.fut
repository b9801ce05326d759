-- SPDX-License-Identifier: Apache-2.0
-- Sums of stretches of an array of which most have none, one or a few elements: one after the other, bit by bit as
-- a loop adds them; also at the very end of the array, of products and of two sums at once.  (Devices add the
-- elements of a segment in trees.)
-- ==
-- tags { no_opencl no_cuda }
-- entry: main
-- input { 64i64 } output { true true true true }
-- input { 300i64 } output { true true true true }
-- input { 5000i64 } output { true true true true }
-- ==
-- entry: outside
-- input { [0i64, 1i64, 1i64, 3i64, 3i64] } output { [1f32, 0f32, 5f32, 0f32] }
-- input { [0i64, 1i64, 1i64, 4i64, 3i64] } error: Index \[1:4\] out of bounds
-- input { [0i64, 2i64, 1i64, 3i64, 3i64] } error: Index \[2:1\] out of bounds

-- Row i has so many elements.
def lengths (n: i64) : [n]i64 = map (\i -> if i % 50 == 49 then i % 24 else i * 7919 % 31 % 6 * (i % 2)) (iota n)

def offsets (n: i64) : [n + 1]i64 =
  let ends = scan (+) 0 (lengths n)
  in map (\i -> if i == 0 then 0 else ends[i - 1]) (iota (n + 1))

entry main (n: i64) : (bool, bool, bool, bool) =
  let os = offsets n
  let m = os[n]
  let single = map (\i -> if i % 9 == 0 then -0.0 else 1 / f32.i64 (i % 13 - 6)) (iota m)
  let double = map (\i -> 1 / f64.i64 (i % 17 + 1)) (iota m)
  let by_loop 'f (add: f -> f -> f) (zero: f) (xs: []f) (i: i64) =
    loop acc = zero for j < os[i + 1] - os[i] do add acc xs[os[i] + j]
  let same32 (a: f32) (b: f32) = f32.to_bits a == f32.to_bits b || (f32.isnan a && f32.isnan b)
  let same64 (a: f64) (b: f64) = f64.to_bits a == f64.to_bits b
  let s32 = map (\i -> f32.sum single[os[i]:os[i + 1]]) (iota n)
  let s64 = map (\i -> f64.sum double[os[i]:os[i + 1]]) (iota n)
  let p64 = map (\i -> f64.product double[os[i]:os[i + 1]]) (iota n)
  let both = map (\i -> (f64.sum double[os[i]:os[i + 1]], f32.sum single[os[i]:os[i + 1]])) (iota n)
  in ( all (\i -> same32 s32[i] (by_loop (+) 0 single i)) (iota n)
     , all (\i -> same64 s64[i] (by_loop (+) 0 double i)) (iota n)
     , all (\i -> same64 p64[i] (by_loop (*) 1 double i)) (iota n)
     , all (\i -> same64 both[i].0 s64[i] && same32 both[i].1 s32[i]) (iota n)
     )

entry outside (os: []i64) : []f32 =
  let xs = [1f32, 2, 3]
  let rows = replicate 20 os
  let n = length os - 1
  in take n (map (\k -> let (r, i) = (k / n, k % n) in f32.sum xs[rows[r, i]:rows[r, i + 1]]) (iota (20 * n)))
