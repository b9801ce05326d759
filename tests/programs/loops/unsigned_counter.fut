-- SPDX-License-Identifier: Apache-2.0
-- The counter has the type of the bound, which may be unsigned.

-- ==
-- input { 200u8 } output { 19900i32 }
entry main (n: u8) : i32 = loop acc = 0 for i < n do acc + i32.u8 i
