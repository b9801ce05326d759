-- SPDX-License-Identifier: Apache-2.0
-- Attributes that say how a nest is to be run; the result is always the same.
-- ==
-- entry: plain sequential sequential_inner sequential_outer no_outer
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[3i32, 6i32], [21i32, 28i32]] }
-- random input { [10][40]i32 } auto output

def scaled [n] [m] (f: ([m]i32 -> [m]i32) -> [n][m]i32 -> [n][m]i32) (xss: [n][m]i32) : [n][m]i32 =
  f (\row -> let s = reduce (+) 0 row in map (* s) row) xss

entry plain [n] [m] (xss: [n][m]i32) = scaled (\f xs -> map f xs) xss
entry sequential [n] [m] (xss: [n][m]i32) = scaled (\f xs -> #[sequential] map f xs) xss
entry sequential_inner [n] [m] (xss: [n][m]i32) = scaled (\f xs -> #[sequential_inner] map f xs) xss
entry sequential_outer [n] [m] (xss: [n][m]i32) = scaled (\f xs -> #[sequential_outer] map f xs) xss
entry no_outer [n] [m] (xss: [n][m]i32) = scaled (\f xs -> #[flattening(no_outer)] map f xs) xss

-- Irregular nests.
-- ==
-- entry: as_is all_sequential inner_sequential outer_sequential only_flat nonuniform
-- input { [3i64, 0i64, 40i64] } output { [2i64, 0i64, 380i64] }

def evens (n: i64) : i64 = i64.sum (filter (\x -> x % 2 == 0) (iota n))

entry as_is (ns: []i64) = map evens ns
entry all_sequential (ns: []i64) = #[sequential] map evens ns
entry inner_sequential (ns: []i64) = #[sequential_inner] map evens ns
entry outer_sequential (ns: []i64) = #[sequential_outer] map evens ns
entry only_flat (ns: []i64) = #[flattening(only_inner)] map evens ns
entry nonuniform (ns: []i64) = #[flattening(sequentialise_nonuniform)] map evens ns
