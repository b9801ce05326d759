-- SPDX-License-Identifier: Apache-2.0
-- Many small nests like matrix products: all sizes around groups of rows and lanes, both ways the
-- columns can lie, several accumulators, loops of the program itself, what is too large.
-- ==
-- entry: products turned doubles shorts loops tropical both_sides
-- input { } output { true }

-- Sizes known only here.
def sizes : [](i64, i64, i64, i64) =
  [(3, 8, 8, 8), (2, 4, 8, 8), (1, 5, 9, 10), (2, 7, 12, 13), (1, 33, 16, 16), (2, 31, 17, 15), (1, 65, 20, 40),
   (1, 9, 40, 40), (1, 12, 41, 40), (2, 6, 128, 12), (1, 4, 200, 8), (1, 4, 24, 64), (1, 4, 24, 65), (0, 8, 8, 8), (3, 32, 32, 32)]

def all (f: i64 -> i64 -> i64 -> i64 -> bool) : bool =
  loop ok = true for (k, n, q, m) in sizes do ok && f k n q m

-- In memory, not fused into what reads it.
def make 't (zero: t) (k: i64) (n: i64) (m: i64) (f: i64 -> t) : [k][n][m]t =
  loop xs = replicate k (replicate n (replicate m zero)) for b < k do
    xs with [b] = tabulate_2d n m (\i j -> f ((b * 31 + i * 7 + j * 3) % 19))

def same [k] [n] [m] 't (eq: t -> t -> bool) (xs: [k][n][m]t) (f: i64 -> i64 -> i64 -> t) : bool =
  and (tabulate k (\b -> and (tabulate n (\i -> and (tabulate m (\j -> eq xs[b, i, j] (f b i j)))))))

entry products : bool =
  all (\k n q m ->
         let a = make 0 k n q f32.i64
         let b = make 0 k q m f32.i64
         let c = map2 (\x y -> map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose y)) x) a b
         in same (==) c (\p i j -> loop s = 0 for l < q do s + a[p, i, l] * b[p, l, j]))

entry turned : bool =
  all (\k n q m ->
         let a = make 0 k n q f32.i64
         let b = make 0 k m q (\x -> f32.i64 (x - 4))
         let c = map2 (\x y -> map (\r -> map (\c -> f32.sum (map2 (*) r c)) y) x) a b
         in same (==) c (\p i j -> loop s = 0 for l < q do s + a[p, i, l] * b[p, j, l]))

entry doubles : bool =
  all (\k n q m ->
         let a = make 0 k n q f64.i64
         let b = make 0 k m q f64.i64
         let c = map2 (\x y -> map (\r -> map (\c -> f64.sum (map2 (\u v -> (u - v) * (u - v)) r c)) y) x) a b
         in same (==) c (\p i j -> loop s = 0 for l < q do s + (a[p, i, l] - b[p, j, l]) * (a[p, i, l] - b[p, j, l])))

entry shorts : bool =
  all (\k n q m ->
         let a = make 0 k n q i16.i64
         let b = make 0 k m q i16.i64
         let c = map2 (\x y -> map (\r -> map (\c -> i16.sum (map2 (*) r c)) y) x) a b
         in same (==) c (\p i j -> loop s = 0 for l < q do s + a[p, i, l] * b[p, j, l]))

entry loops : bool =
  all (\k n q m ->
         let a = make 0 k n q f32.i64
         let b = make 0 k q m f32.i64
         let c = map2 (\x y -> tabulate_2d n m (\i j ->
                                                  let s = loop s = f32.i64 (i - j) for l < q do s * 0.5 + x[i, l] - y[l, j]
                                                  in s + x[i, 0])) a b
         in same (==) c (\p i j ->
                           let s = loop s = f32.i64 (i - j) for l < q do s * 0.5 + a[p, i, l] - b[p, l, j]
                           in s + a[p, i, 0]))

-- The largest sum, and how often there is one: two accumulators, each of which needs the other's old value.
entry tropical : bool =
  all (\k n q m ->
         let a = make 0 k n q i32.i64
         let b = make 0 k m q i32.i64
         let op (x: i32, c: i32) (y: i32, d: i32) = if x > y then (x, c) else if y > x then (y, d) else (x, c + d)
         let best r c = reduce_comm op (i32.lowest, 0) (map2 (\u v -> (u + v, 1)) r c)
         let c = map2 (\x y -> map (\r -> map (best r) y) x) a b
         in same (==) c (\p i j -> loop s = (i32.lowest, 0) for l < q do op s (a[p, i, l] + b[p, j, l], 1)))

-- One matrix, with what belongs to a row or a column added.
entry both_sides : bool =
  let one (n: i64) (q: i64) (m: i64) =
    let a = head (make 0 1 n q f32.i64)
    let b = head (make 0 1 m q f32.i64)
    let c = map (\r -> map (\c -> f32.maximum (map2 (\u v -> u + 2 * v) r c)) b) a
    in and (tabulate n (\i -> and (tabulate m (\j ->
                                               c[i, j] == (loop s = -f32.inf for l < q do f32.max s (a[i, l] + 2 * b[j, l]))))))
  in one 9 8 8 && one 100 13 11 && one 40 40 40 && one 4 8 9
