-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=device-imp --renumber --annotate
-- launches and loops say where they are in the source
def main [n] (xs: [n]i32) (k: i64) : [n]i32 =
  map (\x -> loop s = x for i < k do s * 3 + i32.i64 i) xs
