-- SPDX-License-Identifier: Apache-2.0
-- A histogram of 996 x 1024 bins that saturate at 255.  Keys lie around the middle of the bins, near bins much more often than far ones.
-- ==
-- entry: histo
-- input { [0i32, 5i32, 0i32, -1i32, 1019904i32] } output { 2i32 1i32 3i64 }
-- ==
-- entry: same_bin
-- input { 300i64 } output { 255i32 }
import "hash"

def height : i64 = 996
def width : i64 = 1024
entry bins [n] (keys: [n]i32) : [height * width]i32 =
  hist (\a b -> i32.min (a + b) 255) 0 (height * width) (map i64.i32 keys) (map (const 1) keys)

-- For tests: two bins, and the sum of all.
entry histo [n] (keys: [n]i32) : (i32, i32, i64) =
  let found = bins keys
  in (found[0], found[5], i64.sum (map i64.i32 found))
entry same_bin (n: i64) : i32 = i32.maximum (bins (replicate n 77777))

-- ---- data: sums of four numbers, which are nearly normal

def around_middle (seed: u32) (size: i64) : i64 =
  let sum = i64.sum (tabulate 4 (\k -> i64.u32 (hash (seed * 4 + u32.i64 k) >> 16)))
  in (sum * size) >> 18
entry make_keys (n: i64) : [n]i32 =
  tabulate n (\i -> i32.i64 (around_middle (u32.i64 (2 * i)) height * width + around_middle (u32.i64 (2 * i + 1)) width))
