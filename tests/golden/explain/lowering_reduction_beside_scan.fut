-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN run --backend=cpu --explain=lowering --disable=caches
-- A point that makes a row of its own length cannot be a lane, so the reduction beside its scan has the lanes.
def largest_and_sums [k] (row: [k]f64): (f64, f64) =
  let top = f64.maximum row
  let sums = scan (+) 0 (map (/ top) row)
  in (top, sums[k / 2])
def main : ([]f64, []f64) =
  let values = map f64.i64 (iota 40)
  in unzip (map2 (\start l -> #[sequential] largest_and_sums values[start:start + l]) [0, 4] [32, 34])
