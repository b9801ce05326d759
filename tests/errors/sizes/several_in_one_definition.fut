-- SPDX-License-Identifier: Apache-2.0
-- Mistakes that have nothing to do with each other are all reported, in the order of the source.
def g [n] [m] (a: [n]f32) (b: [m]f32) (c: [3]f32) : [n]f32 =
  let x = map2 (+) a b
  let y = map2 (-) c [1f32, 2]
  let rows = [iota 3, iota 4]
  let z = loop z = c for i < 10 do (z ++ [f32.i64 i] : [4]f32)
  let w = if n > 3 then (scatter (copy a) [0, 1] [7] : [5]f32) else take 5 a
  in map2 (*) (zip3 a c b |> map (.0)) (iota 7 |> map f32.i64)
