-- SPDX-License-Identifier: Apache-2.0
-- Arrays written element by element, nested too.

-- ==
-- entry: flat
-- input { 1i32 2i32 } output { [1i32, 2i32, 3i32] }
entry flat (a: i32) (b: i32) : [3]i32 = [a, b, a + b]

-- ==
-- entry: nested
-- input { 1i32 2i32 } output { [[1i32, 2i32], [2i32, 1i32]] }
entry nested (a: i32) (b: i32) : [2][2]i32 = [[a, b], [b, a]]

-- ==
-- entry: of_tuples
-- input { 5i32 } output { [5i32, 6i32] [true, false] }
entry of_tuples (a: i32) : ([2]i32, [2]bool) = unzip [(a, true), (a + 1, false)]

-- A string is an array of bytes.
-- ==
-- entry: text
-- input { } output { [83u8, 107u8, 97u8, 108u8, 100u8] }
entry text : []u8 = "Skald"
