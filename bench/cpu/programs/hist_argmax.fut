-- SPDX-License-Identifier: Apache-2.0
-- The largest value of each bin, and where it is (the first, if there are several).
def better (a: (i32, i64)) (b: (i32, i64)) : (i32, i64) =
  if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) then a else b
def main [n] (h: i64) (keys: [n]i32) (values: [n]i32) : ([h]i32, [h]i64) =
  unzip (hist better (i32.lowest, i64.highest) h (map i64.i32 keys) (zip values (iota n)))
