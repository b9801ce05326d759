-- SPDX-License-Identifier: Apache-2.0
-- Ranges of unsigned numbers, up and down.

-- ==
-- entry: up
-- input { 250u8 255u8 } output { [250u8, 251u8, 252u8, 253u8, 254u8] }
entry up (a: u8) (b: u8) : []u8 = a..<b

-- ==
-- entry: down
-- input { 3u16 } output { [3u16, 2u16, 1u16] }
entry down (n: u16) : []u16 = n..>0
