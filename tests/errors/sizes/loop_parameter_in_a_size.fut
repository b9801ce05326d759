-- SPDX-License-Identifier: Apache-2.0
-- The size of the loop parameter has no name; it is shown as its length.
def main [n] (c: [n]f32) =
  loop z = c for i < 10 do
    let q = z ++ [f32.i64 i]
    let r = zip q [1, 2]
    in map (.0) r
