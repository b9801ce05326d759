-- SPDX-License-Identifier: Apache-2.0
-- Adds with saturation at 2²⁴ - 1.
def saturating (a: u32) (b: u32) : u32 = u32.min 0xffffff (a + b)
def main [n] (h: i64) (keys: [n]i32) : [h]u32 =
  hist saturating 0 h (map i64.i32 keys) (map (\k -> (u32.i32 k & 255) + 1) keys)
