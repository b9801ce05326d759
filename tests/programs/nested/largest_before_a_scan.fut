-- SPDX-License-Identifier: Apache-2.0
-- A reduction and a scan of each row: the reduction runs in lanes although the scan cannot.
-- In rows with a NaN the other elements count; of zeros the positive one is the largest.
-- ==
-- entry: scaled
-- input { [0i64, 0i64, 0i64, 2i64] [0i64, 1i64, 2i64, 4i64] [2.0, f64.nan, 1.0, 5.0, 0.0, 10.0] }
-- output { [-f64.inf, 2.0, 2.0, 10.0] [-1.0, 1.0, 1.0, 1.6] }
-- input { [0i64, 0i64] [0i64, 1i64] [f64.nan] }
-- output { [-f64.inf, -f64.inf] [-1.0, f64.nan] }
-- input { empty([0]i64) empty([0]i64) [1.0] }
-- output { empty([0]f64) empty([0]f64) }
-- ==
-- entry: many
-- input { 25i64 } output { [24.0, 20.0, 8.0] [12.5, 10.5, 4.5] }
-- input { 70001i64 } output { [70000.0, 69996.0, 69984.0] [35000.5, 34998.5, 34992.5] }
-- ==
-- entry: zeros
-- input { [1i64, 32i64, 33i64] } output { [-f64.inf, -f64.inf, f64.inf] }

def largest_and_sum [k] (row: [k]f64): (f64, f64) =
  let top = f64.maximum row
  let sums = scan (+) 0 (map (/ top) row)
  in (top, if k == 0 then -1 else sums[if f64.isnan sums[k - 1] then 0 else k - 1])

entry scaled [n] [m] (starts: [n]i64) (lengths: [n]i64) (values: [m]f64): ([n]f64, [n]f64) =
  unzip (map2 (\start length -> #[sequential] largest_and_sum values[start:start + length]) starts lengths)

entry many (m: i64): ([]f64, []f64) =
  scaled [0, 0, 0] [m, m - 4, m - 16] (map f64.i64 (iota m))

-- -0 in all places but the last.
entry zeros [n] (lengths: [n]i64): [n]f64 =
  let values = replicate 33 (-0.0f64) with [32] = 0
  in map (1 /) (scaled (map (const 0) lengths) lengths values).0
