-- SPDX-License-Identifier: Apache-2.0
-- Each row scaled by its largest element, then prefix sums of the rows.
def exclusive [k] (xs: [k]f64): [k]f64 =
  scan (+) 0 (map (\i -> if i == 0 then 0 else xs[i - 1]) (iota k))
def scaled [k] (row: [k]f64): [k]f64 =
  let top = f64.maximum row
  in exclusive (map (/ top) row)
entry main [n] [m] (lengths: [n]i64) (values: [m]f64): []f64 =
  let starts = map2 (-) (scan (+) 0 lengths) lengths
  let (_, _, _, data) = flatmap' (\(start, length) -> scaled values[start:start + length]) (zip starts lengths)
  in data
