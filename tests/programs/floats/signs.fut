-- SPDX-License-Identifier: Apache-2.0
-- Opposites that are computed once (float-sign) have the bits that they had, for zeros of both signs and infinities too.
-- `opaque` hides from the compiler what is the opposite of what.  (On devices, products that go into sums are not rounded before, unless with `--exact`.)
-- ==
-- tags { no_opencl no_cuda }
-- entry: main
-- input { [0f32, -0f32, 1f32, -1f32, 0.1f32, -0.1f32, 3e38f32, -3e38f32, 1e-45f32, -1e-45f32, f32.inf, -f32.inf, f32.nan] }
-- output { 0i64 }

def bits (x: f32) = if f32.isnan x then 1 else f32.to_bits x

def all (hide: f32 -> f32) (x: f32) (y: f32) (k: f32) =
  let neg = hide (-x)
  let (d, e) = (hide (x - y), hide (y - x))
  let (s, t) = (hide (x + y), hide (-x - y))
  let even a b = 4.5 * a * a + 4.5 * b * b
  in map bits
         [ k + neg, neg + k, k - neg, k + 3 * neg, k - neg / 3, k + 3 / neg, k * neg * neg, neg * neg, -neg, neg - y
         , d, e, s, t, 1 + 3 * d, 1 + 3 * e, 1 - 3 * s, 1 - 3 * t, even d e, even s t, 2 * t * t, 2 * e * e
         , k + d, k + e, k - s, k - t, 0 + e, 1 + k / e, 1 + k / t, 1 + e / k, 1 - t / k, d * e, s * t, d * s, e * t, e * neg
         , 0 - e, e - 1, e + 1, t / e, (k * e) / e, (k * t) / t ]

entry main (xs: []f32) : i64 =
  let differ x y k =
    map2 (\a b -> i64.bool (a != b)) (all id x y k) (all (\v -> opaque v) x y k) |> i64.sum
  in map (\x -> map (\y -> map (differ x y) xs |> i64.sum) xs |> i64.sum) xs |> i64.sum
