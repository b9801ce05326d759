-- SPDX-License-Identifier: Apache-2.0
-- Histograms by the class of their operator, and keys of several distributions.
import "hash"

-- An instruction of the device.
-- ==
-- entry: add
-- input { 4i64 [0i32, 3i32, 3i32, 4i32, -1i32] } output { [1i32, 0i32, 0i32, 2i32] }
-- input { 0i64 [0i32, 3i32] } output { empty([0]i32) }
entry add [n] (h: i64) (keys: [n]i32) : [h]i32 =
  hist (+) 0 h (map i64.i32 keys) (map (const 1) keys)

-- One word, no instruction: sums of 24 bits that stay at the largest number.
-- ==
-- entry: saturating
-- input { 4i64 [0i32, 3i32, 3i32, 4i32, -1i32] } output { [1i32, 0i32, 0i32, 8i32] }
entry saturating [n] (h: i64) (keys: [n]i32) : [h]i32 =
  hist (\a b -> i32.min (a + b) 0xffffff) 0 h (map i64.i32 keys) (map (\k -> 1 + (k & 3)) keys)

-- One word, and nothing known of the operator.
-- ==
-- entry: products
-- input { 4i64 [0i32, 3i32, 3i32, 4i32, -1i32] } output { [1i32, 1i32, 1i32, 9i32] }
entry products [n] (h: i64) (keys: [n]i32) : [h]i32 =
  hist (*) 1 h (map i64.i32 keys) (map (\k -> 1 + (k & 2)) keys)

-- Two components: the largest value, and the first index that has it.
-- ==
-- entry: argmax
-- input { 2i64 [0i32, 3i32] } output { [0i32, 2147483647i32] [0i32, -2147483648i32] }
-- compiled random input { 70i64 [4000]i32 } auto output
def value (k: i32) (i: i64) : i32 = i32.u32 (hash (u32.i32 k + u32.i64 i) >> 8)
def larger (i: i32, x: i32) (j: i32, y: i32) =
  if x > y then (i, x) else if y > x then (j, y) else if i < j then (i, x) else (j, y)
entry argmax [n] (h: i64) (keys: [n]i32) : ([h]i32, [h]i32) =
  hist larger (i32.highest, i32.lowest) h (map i64.i32 keys) (map2 (\k i -> (i32.i64 i, value k i)) keys (iota n))
  |> unzip

-- 16 bytes: no word holds a bin.
-- ==
-- entry: quadruples
-- input { 2i64 [0i32, 3i32] } output { [0i32, -2147483648i32] [1i32, 0i32] [0i32, 0i32] [0i32, 0i32] }
def more (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, h: i32) : (i32, i32, i32, i32) =
  if a > e || (a == e && c < g) then (a, b + f, c, d) else (e, b + f, g, h)
entry quadruples [n] (h: i64) (keys: [n]i32) : ([h]i32, [h]i32, [h]i32, [h]i32) =
  hist more (i32.lowest, 0, 0, 0) h (map i64.i32 keys)
       (map2 (\k i -> (value k i, 1, i32.i64 i, k)) keys (iota n))
  |> unzip4

-- What reading the keys costs.
entry total [n] (keys: [n]i32) : i32 = i32.sum keys

-- ---- keys

-- Of every `apart` bins, one is used.
entry sparse (n: i64) (h: i64) (apart: i64) : [n]i32 =
  let used = i64.max 1 (h / apart)
  in tabulate n (\i -> i32.i64 (i64.u32 (hash (u32.i64 i)) % used * apart))
-- The k-th bin of some order is used 1/k times as often as the first one.
entry zipf (n: i64) (h: i64) : [n]i32 =
  tabulate n (\i -> let u = f64.u32 (hash (u32.i64 i)) / 4294967296
                    let k = i64.f64 (f64.exp (u * f64.log (f64.i64 (h + 1)))) - 1
                    in i32.i64 ((i64.max 0 (i64.min k (h - 1)) * 7919 + 13) % h))
entry sorted (n: i64) (h: i64) : [n]i32 = tabulate n (\i -> i32.i64 (i * h / n))
-- A normal distribution around the middle; what lies beyond the bins is drawn again.
entry normal (n: i64) (h: i64) (deviation: i64) : [n]i32 =
  let draw (seed: u32) : i64 =
    let r = f64.sqrt (-2 * f64.log ((f64.u32 (hash seed) + 1) / 4294967297))
    let x = r * f64.cos (2 * f64.pi * f64.u32 (hash (seed + 1)) / 4294967296)
    in h / 2 + i64.f64 (f64.floor (x * f64.i64 deviation))
  in tabulate n (\i -> let first = u32.i64 (2 * i)
                       let (_, key) = loop (seed, key) = (first, draw first) while key < 0 || key >= h do
                                        let next = hash (seed + 12345)
                                        in (next, draw next)
                       in i32.i64 key)
entry one_bin (n: i64) (h: i64) : [n]i32 = replicate n (i32.i64 (h / 3))
