-- SPDX-License-Identifier: Apache-2.0
-- The right side is not computed when the left side decides: no division by zero here.

-- ==
-- entry: and_guard
-- input { 10i32 0i32 } output { false }
-- input { 10i32 5i32 } output { true }
-- input { 10i32 4i32 } output { false }
entry and_guard (x: i32) (y: i32) : bool = y != 0 && x % y == 0

-- ==
-- entry: or_guard
-- input { 10i32 0i32 } output { true }
-- input { 10i32 5i32 } output { true }
-- input { 10i32 4i32 } output { false }
entry or_guard (x: i32) (y: i32) : bool = y == 0 || x % y == 0
