-- SPDX-License-Identifier: Apache-2.0
-- Indices whose range is known from how they were made need no check; others keep theirs.

-- A histogram of digits in pieces of an array; the last piece may be shorter or empty.
-- ==
-- entry: digits
-- input { [5u32, 2049u32, 1u32, 4294967295u32, 0u32] 0u32 }
-- output { 19i64 }
-- input { empty([0]u32) 0u32 }
-- output { 0i64 }
-- input { [5u32, 2049u32, 1u32, 4294967295u32, 0u32] 31u32 }
-- output { 6i64 }
entry digits [n] (xs: [n]u32) (shift: u32) : i64 =
  let size = (n + 3) / 4
  let count b =
    loop own = replicate 8 0i64 for j < i64.min size (n - b * size) do
      let d = i64.u32 ((xs[b * size + j] >> shift) & 7) in own with [d] = own[d] + d + 1
  in i64.sum (map (\b -> i64.sum (count b)) (iota 4))

-- A product that wraps is not bounded by its factors.
-- ==
-- entry: wraps
-- input { [1i32, 2i32, 3i32] 1u8 }
-- output { 3i32 }
-- input { [1i32, 2i32, 3i32] 129u8 }
-- output { 3i32 }
-- input { [1i32, 2i32, 3i32] 2u8 }
-- error: Index \[4\] out of bounds for array of shape \[3\]
entry wraps (xs: []i32) (a: u8) : i32 = xs[i64.u8 (a * 2)]

-- Rounding toward negative infinity, and toward zero.
-- ==
-- entry: remainders
-- input { [1i32, 2i32, 3i32] -1i64 }
-- output { 3i32 -1i64 }
-- input { [1i32, 2i32, 3i32] 4i64 }
-- output { 2i32 1i64 }
entry remainders (xs: [3]i32) (i: i64) : (i32, i64) = (xs[i % 3], i i64.%% 3)

-- A remainder toward zero may be negative.
-- ==
-- entry: negative
-- input { [1i32, 2i32, 3i32] 4i64 }
-- output { 2i32 }
-- input { [1i32, 2i32, 3i32] -1i64 }
-- error: Index \[-1\] out of bounds for array of shape \[3\]
entry negative (xs: [3]i32) (i: i64) : i32 = xs[i64.(i %% 3)]

-- A logical shift of a negative number is huge, an arithmetic one stays negative.
-- ==
-- entry: shifts
-- input { 4i32 }
-- output { true }
-- input { -4i32 }
-- output { false }
entry shifts (x: i32) : bool = (x >> 1) >= 0

-- Rows and columns of a flat array.
-- ==
-- entry: flat
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] 2i64 3i64 }
-- output { [1i32, 4i32, 2i32, 5i32, 3i32, 6i32] }
-- input { [1i32, 2i32, 3i32, 4i32, 5i32] 2i64 3i64 }
-- error: Index \[5\] out of bounds for array of shape \[5\]
entry flat (xs: []i32) (m: i64) (q: i64) : []i32 =
  flatten (map (\j -> map (\i -> xs[i * q + j]) (iota m)) (iota q))
