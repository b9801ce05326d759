-- SPDX-License-Identifier: Apache-2.0
-- An entry point may be a constant.

-- ==
-- entry: number
-- input { } output { 42i32 }
entry number : i32 = 6 * 7

-- ==
-- entry: table
-- input { } output { [0i64, 1i64, 4i64, 9i64] }
entry table : [4]i64 = map (\i -> i * i) (iota 4)
