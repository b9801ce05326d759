-- SPDX-License-Identifier: Apache-2.0
-- A tuning parameter is what the tuning file says, everywhere in the program.
-- ==
-- entry: outside
-- input { 5i64 } output { 42i64 }
-- ==
-- entry: inside
-- input { [1i64, 2i64] } output { [43i64, 44i64] }
-- ==
-- entry: by_default
-- input { 5i64 } output { 10i64 }
-- ==
-- entry: zero
-- input { 5i64 } output { 5i64 }
-- ==
-- entry: other_type
-- input { 5i32 } output { 6i32 }

entry outside (x: i64) = #[param(answer)] x + 1

entry inside (xs: []i64) = map (\x -> x + #[param(answer)] x) xs

entry by_default (x: i64) = (#[param(nobody_chose_this)] x) * 2

entry zero (x: i64) = #[param(nothing)] x

-- Only an i64 can be a parameter.
entry other_type (x: i32) = #[param(answer)] x + 1
