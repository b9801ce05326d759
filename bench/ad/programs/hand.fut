-- SPDX-License-Identifier: Apache-2.0
-- Hand tracking: bones that turn around each other carry the vertices of a skin; the result is how far each
-- vertex is from a measured point.  Bones are a chain of rotations, vertices mix the bones by weights.

def turn (a: [3]f64) (m: [4][4]f64) : [4][4]f64 =
  let (ca, sa) = (f64.cos a[0], f64.sin a[0])
  let (cb, sb) = (f64.cos a[1], f64.sin a[1])
  let (cc, sc) = (f64.cos a[2], f64.sin a[2])
  let r : [4][4]f64 =
    [[cb * cc, sa * sb * cc - ca * sc, ca * sb * cc + sa * sc, 0.1],
     [cb * sc, sa * sb * sc + ca * cc, ca * sb * sc - sa * cc, 0.2],
     [0 - sb, sa * cb, ca * cb, 0.3],
     [0, 0, 0, 1]]
  in map (\row -> map (\col -> f64.sum (map2 (*) row col)) (transpose r)) m

def errors [b] [v] (angles: [b][3]f64) (vertices: [v][4]f64) (weights: [v][b]f64) (wanted: [v][3]f64) : [v]f64 =
  let first : [4][4]f64 = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
  let (bones, _) =
    loop (bones, last) = (replicate b first, first) for i < b do
      let next = turn angles[i] last
      in (bones with [i] = next, next)
  in map3 (\x ws y ->
             let place = map (\r -> f64.sum (map2 (\w bone -> w * f64.sum (map2 (*) bone[r] x)) ws bones)) (iota 3)
             in f64.sum (map2 (\p q -> (p - q) * (p - q)) place y))
          vertices weights wanted

entry primal [b] [v] (angles: [b][3]f64) (vertices: [v][4]f64) (weights: [v][b]f64) (wanted: [v][3]f64) =
  errors angles vertices weights wanted

entry forward [b] [v] (angles: [b][3]f64) (vertices: [v][4]f64) (weights: [v][b]f64) (wanted: [v][3]f64) =
  jvp (\a -> errors a vertices weights wanted) angles angles

entry reverse [b] [v] (angles: [b][3]f64) (vertices: [v][4]f64) (weights: [v][b]f64) (wanted: [v][3]f64) =
  vjp (\a -> errors a vertices weights wanted) angles (replicate v 1)
