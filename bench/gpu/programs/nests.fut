-- SPDX-License-Identifier: Apache-2.0
-- Nests with several parallel parts, which have three versions on a device.

entry softmax [n][m] (xss: [n][m]f32): [n][m]f32 =
  map (\xs -> let most = f32.maximum xs
              let es = map (\x -> f32.exp (x - most)) xs
              let s = f32.sum es
              in map (/ s) es) xss

entry scans [n][m] (xss: [n][m]f32): [n][m]f32 =
  map (\xs -> let ys = scan (+) 0 xs
              let t = f32.maximum ys
              in scan f32.max 0 (map2 (\y x -> t - y + x) ys (reverse xs))) xss

entry rounds [n][m] (xss: [n][m]f32): [n][m]f32 =
  map (\(xs: [m]f32) ->
         loop (ys: [m]f32) = xs for _i < 20 do
           tabulate m (\j -> 0.5 * ys[j] + 0.25 * (ys[(j + 1) % m] + ys[i64.max 0 (j - 1)])))
      xss

entry bins [n][m] (xss: [n][m]i32): [n][256]i32 =
  map (\xs -> scan (+) 0 (hist (+) 0 256 (map (\x -> i64.i32 (x & 255)) xs) (map (const 1) xs))) xss
