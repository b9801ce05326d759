-- SPDX-License-Identifier: Apache-2.0
-- Counts keys.
def main [n] (h: i64) (keys: [n]i32) : [h]i32 =
  hist (+) 0 h (map i64.i32 keys) (replicate n 1)
