-- SPDX-License-Identifier: Apache-2.0
-- Numbers that look random, and are the same everywhere.
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
-- In [0, 1).
def share (x: u32) : f32 = f32.u32 (hash x >> 8) / 16777216
