-- SPDX-License-Identifier: Apache-2.0
-- Many places ask the same points for something, by an operator that is not commutative: lanes are
-- places.  Of equally near points the first one is meant.
-- ==
-- entry: nearest farthest with_total
-- input { 0i64 7i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 2i64 33000i64 } output { true }
-- input { 15i64 40i64 } output { true }
-- input { 16i64 1i64 } output { true }
-- input { 16i64 0i64 } output { true }
-- input { 17i64 100i64 } output { true }
-- input { 40i64 130i64 } output { true }
-- input { 17i64 4200i64 } output { true }

def places n : [n][2]f32 = tabulate n (\i -> [f32.i64 (i * 37 % 101), f32.i64 (i * 53 % 89)])
def points m : [m][2]f32 = tabulate m (\j -> [f32.i64 (j * 29 % 97), f32.i64 (j * 71 % 83)])

def distance (q: [2]f32) (p: [2]f32) = (q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2

def one_by_one [n][m] (better: f32 -> f32 -> bool) (worst: f32) (qs: [n][2]f32) (ps: [m][2]f32) =
  map (\q ->
         (loop (best, at) = (worst, -1i64)
          for j < m do
            let d = distance q ps[j]
            in if better d best then (d, j) else (best, at)).1)
      qs

entry nearest (n: i64) (m: i64) =
  let (qs, ps) = (places n, points m)
  let found =
    map (\q ->
           (reduce (\(d1, i1) (d2, i2) -> if d1 <= d2 then (d1, i1) else (d2, i2))
                   (f32.inf, -1i64)
                   (map2 (\p j -> (distance q p, j)) ps (iota m))).1)
        qs
  in and (map2 (==) found (one_by_one (<) f32.inf qs ps))

-- The last one of several, and a reduction beside it.
entry farthest (n: i64) (m: i64) =
  let (qs, ps) = (places n, points m)
  let found =
    map (\q ->
           (reduce (\(d1, i1) (d2, i2) -> if d1 > d2 then (d1, i1) else (d2, i2))
                   (-1f32, -1i64)
                   (map2 (\p j -> (distance q p, j)) ps (iota m))).1)
        qs
  in and (map2 (==) found (one_by_one (>=) (-1) qs ps))

entry with_total (n: i64) (m: i64) =
  let (qs, ps) = (places n, points m)
  let found =
    map (\q ->
           let ds = map (distance q) ps
           let (_, at) =
             reduce (\(d1, i1) (d2, i2) -> if d1 <= d2 then (d1, i1) else (d2, i2))
                    (f32.inf, -1i64)
                    (zip ds (iota m))
           in (at, i64.sum (map i64.f32 ds)))
        qs
  let sums = map (\q -> loop s = 0 for j < m do s + i64.f32 (distance q ps[j])) qs
  in and (map2 (\(at, s) (at', s') -> at == at' && s == s') found
               (zip (one_by_one (<) f32.inf qs ps) sums))
