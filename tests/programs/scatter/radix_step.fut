-- SPDX-License-Identifier: Apache-2.0
-- One step of a radix sort: zeros before ones, order kept within each.

-- ==
-- input { [5u32, 2u32, 7u32, 4u32, 1u32] 0i32 } output { [2u32, 4u32, 5u32, 7u32, 1u32] }
-- input { [5u32, 2u32, 7u32, 4u32, 1u32] 2i32 } output { [2u32, 1u32, 5u32, 7u32, 4u32] }
-- input { empty([0]u32) 0i32 } output { empty([0]u32) }
entry main [n] (xs: [n]u32) (bit: i32) : [n]u32 =
  let ones = map (\x -> i64.i32 (u32.get_bit bit x)) xs
  let zeros = map (1 -) ones
  let zero_at = scan (+) 0 zeros
  let one_at = scan (+) 0 ones
  let zero_count = i64.sum zeros
  let target = map3 (\o z k -> if o == 1 then zero_count + k - 1 else z - 1) ones zero_at one_at
  in scatter (copy xs) target xs
