-- SPDX-License-Identifier: Apache-2.0
-- A choice between numbers.

-- ==
-- entry: sign
-- input { 5i32 } output { 1i32 }
-- input { 0i32 } output { 0i32 }
-- input { -5i32 } output { -1i32 }
entry sign (x: i32) : i32 = if x > 0 then 1 else if x < 0 then -1 else 0

-- Only the chosen branch is computed.
-- ==
-- entry: guarded
-- input { 12i32 4i32 } output { 3i32 }
-- input { 12i32 0i32 } output { -1i32 }
entry guarded (x: i32) (y: i32) : i32 = if y == 0 then -1 else x / y
