-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN run --backend=cpu --explain=lowering --disable=caches
-- What a point costs is counted by the table of operator costs: a division and a root are six each.  Where a point goes in a
-- histogram is not written.
def main : ([]i32, []i64, i32) =
  let xs = map (\i -> f32.sqrt (f32.i64 i) / 3) (iota 10)
  let bins = hist (+) 0i64 4 (map (% 4) (iota 100)) (iota 100)
  let rows = map (\i -> map (+ i) (replicate 3 i)) [1i32, 2, 4]
  in (map i32.f32 xs, bins, rows[1, 2])
