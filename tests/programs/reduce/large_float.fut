-- SPDX-License-Identifier: Apache-2.0
-- A float sum over many elements, close to the exact value in any association.

-- ==
-- compiled input { 1000000i64 } output { 0.5f64 }
-- compiled input { 1000001i64 } output { 0.5f64 }
entry main (n: i64) : f64 =
  let m = f64.i64 n
  in f64.sum (map (\i -> (f64.i64 i + 0.5) / (m * m)) (iota n))
