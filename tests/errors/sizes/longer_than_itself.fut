-- SPDX-License-Identifier: Apache-2.0
-- No size is one more or less than itself.
def f xs = map2 (+) xs (xs ++ [1i32])
def g [n] (xs: [n]f64) (k: i64) =
  loop ys = xs for i < k do
    let t = ys[1:]
    in map2 (+) t ys
