-- SPDX-License-Identifier: Apache-2.0
-- A layer of long short-term memory over a batch of sequences: four gates from the input and the last output.

def sigmoid (x: f32) : f32 = 1 / (1 + f32.exp (-x))
def tanh (x: f32) : f32 = f32.tanh x

def matmul [m] [n] [q] (a: [m][q]f32) (b: [n][q]f32) : [m][n]f32 =
  map (\x -> map (\y -> f32.sum (map2 (*) x y)) b) a

def cost [t] [bs] [d] [h] (xs: [t][bs][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32) : f32 =
  let zeros = replicate bs (replicate h 0f32)
  let (_, _, total) =
    loop (hs, cs, total) = (zeros, zeros, 0) for i < t do
      let gate (g: i64) =
        map2 (\a b -> map3 (\u v w -> u + v + w) a b bias[g]) (matmul xs[i] wx[g]) (matmul hs wh[g])
      let ig = map (map sigmoid) (gate 0)
      let fg = map (map sigmoid) (gate 1)
      let og = map (map sigmoid) (gate 2)
      let new = map (map tanh) (gate 3)
      let cs' = map4 (map4 (\f c i n -> f * c + i * n)) fg cs ig new
      let hs' = map2 (map2 (\o c -> o * tanh c)) og cs'
      in (hs', cs', total + f32.sum (map f32.sum hs'))
  in total

entry primal [t] [bs] [d] [h] (xs: [t][bs][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32) =
  cost xs wx wh bias

entry forward [t] [bs] [d] [h] (xs: [t][bs][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32) =
  jvp (\(a, b, c) -> cost xs a b c) (wx, wh, bias) (wx, wh, bias)

entry reverse [t] [bs] [d] [h] (xs: [t][bs][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32) =
  vjp (\(a, b, c) -> cost xs a b c) (wx, wh, bias) 1
