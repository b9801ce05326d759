-- SPDX-License-Identifier: Apache-2.0
-- Floats are added in the order of the inner dimension, whatever the number of threads, each product and sum
-- rounded once or each rounded twice.  (Devices cut long sums into pieces.)
-- ==
-- tags { no_opencl no_cuda }
-- entry: in_order
-- input { } output { true }
entry in_order : bool =
  let a = tabulate_2d 40 600 (\i k -> 1 / f32.i64 (i + k + 1))
  let b = tabulate_2d 600 50 (\k j -> f32.i64 (k - j) / 7)
  let product = map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a
  let plain f = tabulate_2d 40 50 (\i j -> loop s = 0 for k < 600 do
                                           if k % 2 == 0 || true then f a[i, k] b[k, j] s else s)
  let is xs = and (map2 (\x y -> and (map2 (==) x y)) product xs)
  in is (plain (\x y s -> s + x * y)) || is (plain f32.fma)
