-- SPDX-License-Identifier: Apache-2.0
-- Lloyd's algorithm, a fixed number of rounds; the first points are the first centres.
def nearest [k] [d] (cs: [k][d]f32) (p: [d]f32) : i64 =
  let distance c = f32.sum (map2 (\x y -> (x - y) * (x - y)) c p)
  let (_, best) =
    loop (least, best) = (f32.inf, 0i64) for i < k do
      let t = distance cs[i]
      in if t < least then (t, i) else (least, best)
  in best

def main [n] [d] (k: i64) (rounds: i32) (points: [n][d]f32) : [k][d]f32 =
  loop cs = take k points for _i < rounds do
    let own = map (nearest cs) points
    let counts = hist (+) 0 k own (replicate n 1i32)
    let sums = hist (map2 (+)) (replicate d 0) k own points
    in map2 (\s c -> map (/ f32.i32 (i32.max 1 c)) s) sums counts
