-- SPDX-License-Identifier: Apache-2.0
-- Where one side is no NaN, LLVM makes a call of what the machine has no instruction for.
-- ==
-- entry: above
-- input { [1f16, -1f16, 0f16, f16.nan, 7f16] } output { [1f16, 0f16, 0f16, 0f16, 7f16] }
entry above [n] (xs: [n]f16) : [n]f16 = map (f16.max 0) xs

-- ==
-- entry: below
-- input { [1f16, -1f16, 0f16, f16.nan, 7f16] } output { [0f16, -1f16, 0f16, 0f16, 0f16] }
entry below [n] (xs: [n]f16) : [n]f16 = map (f16.min 0) xs
