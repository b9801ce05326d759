-- SPDX-License-Identifier: Apache-2.0
-- Counters of 64 bits as f32: rounded once, whether they fit into 32 bits or not.

-- ==
-- entry: signed unsigned
-- input { 100i64 0i64 1i64 } output { true }
-- input { 100i64 1073741800i64 1i64 } output { true }
-- input { 100i64 -1073741850i64 3i64 } output { true }
-- input { 100i64 9007199791611905i64 1i64 } output { true }
-- input { 100i64 -9223372036854775808i64 17i64 } output { true }
-- input { 100i64 5i64 1073741825i64 } output { true }
-- input { 100i64 16777217i64 1048575i64 } output { true }
entry signed (n: i64) (from: i64) (step: i64) : bool =
  let ys = map (\i -> f32.i64 (from + i * step)) (iota n)
  let one (x: i64) = f32.i64 (opaque x)
  in and (map2 (\i y -> y == (loop z = 0 for _k < i - i + 1 do z + one (from + i * step))) (iota n) ys)

entry unsigned (n: i64) (from: i64) (step: i64) : bool =
  let ys = map (\i -> f32.u64 (u64.i64 (from + i * step))) (iota n)
  in and (map2 (\i y -> f32.abs (y - f32.f64 (f64.u64 (u64.i64 (from + i * step)))) <= f32.abs y * 1.3e-7) (iota n) ys)

-- 2^53 + 2^29 + 1 lies just above the middle of two neighbours: rounding over f64 first would lose the 1.
-- ==
-- entry: halfway
-- input { 9007199791611905i64 } output { [9007200328482816f32, 9007200328482816f32, 9007200328482816f32, 9007200328482816f32] }
-- input { 16777217i64 } output { [16777216f32, 16777218f32, 16777220f32, 16777220f32] }
entry halfway (from: i64) = map (\i -> f32.i64 (from + i)) (iota 4)
