-- SPDX-License-Identifier: Apache-2.0
-- Work so small that only overhead is left: one call on 100 elements, and a thousand kernels in one call.
entry once [n] (xs: [n]f32) : [n]f32 = map (\x -> x * 1.5 + 1) xs

entry many [n] (xs: [n]f32) : [n]f32 =
  loop xs = copy xs for i < 1000i32 do
    let total = f32.sum xs
    in map (\x -> x * 0.5 + total * 0.001) xs
