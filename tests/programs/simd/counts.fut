-- SPDX-License-Identifier: Apache-2.0
-- Counts, which are kept in fewer bits for a while: more elements than a byte or two can count, in
-- flat arrays, rows, columns and inside of maps.
-- ==
-- entry: bytes halves words longs bools chosen two rows columns ranks first_median inner
-- input { } output { true }

def lengths : []i64 = [0, 1, 15, 16, 17, 255, 256, 4079, 4080, 4081, 8160, 8161, 100003]

def each (f: i64 -> bool) : bool = loop ok = true for n in lengths do ok && f n

-- In memory, not fused into what reads it.
def make 'a (n: i64) (zero: a) (f: i64 -> a) : [n]a =
  loop xs = replicate n zero for r < 1i64 do map (\i -> f ((i + r) % 7)) (iota n)

-- How many i < n have i % 7 < k.
def expected (n: i64) (k: i64) : i64 = n / 7 * k + i64.min k (n % 7)

entry bytes : bool =
  each (\n -> i64.sum (map (\x -> i64.bool (x < 7)) (make n 0 u8.i64)) == n)
  && each (\n -> i32.sum (map (\x -> i32.bool (x < 3)) (make n 0 u8.i64)) == i32.i64 (expected n 3))
entry halves : bool = each (\n -> i64.sum (map (\x -> i64.bool (x < 7)) (make n 0 i16.i64)) == n)
entry words : bool = each (\n -> i64.sum (map (\x -> i64.bool (x < 2.5)) (make n 0 f32.i64)) == expected n 3)
entry longs : bool = each (\n -> i64.sum (map (\x -> i64.bool (x < 5)) (make n 0 id)) == expected n 5)
entry bools : bool = each (\n -> i64.sum (map i64.bool (make n false (< 4))) == expected n 4)
entry chosen : bool =
  each (\n -> i64.sum (map (\x -> if x >= 1 && x < 3 then 1 else 0) (make n 0 i32.i64)) == expected n 3 - expected n 1)
entry two : bool =
  each (\n ->
          let xs = make n 0 u8.i64
          let (a, b, c) = reduce_comm (\(a, b, c) (d, e, f) -> (a + d, b + e, u8.max c f)) (0, 5, 0)
                                      (map (\x -> (i64.bool (x == 2), i64.bool (x > 1), x)) xs)
          in a == expected n 3 - expected n 2 && b >= n - expected n 2 && c == (if n == 0 then 0 else u8.i64 (i64.min 6 (n - 1))))

-- Rows and columns of what is compared with one number.
entry rows : bool =
  each (\n ->
          let xs = [make n 0 u8.i64, make n 0 (\x -> u8.i64 (6 - x)), make n 0 (\_ -> 1)]
          let cs = map (\r -> i64.sum (map (\x -> i64.bool (x < 7)) r)) xs
          in and (map (== n) cs))
entry columns : bool =
  each (\n ->
          let xs = map (\i -> map (\j -> u8.i64 ((i + j) % 2)) (iota 40)) (iota n)
          let cs = map (\c -> i64.sum (map (\x -> i64.bool (x < 1)) c)) (transpose xs)
          in and (map2 (\c j -> c == (n + 1 - j % 2) / 2) cs (iota 40)))

def ranks_of [n] (r: [n]f32) : [n]i64 = map (\v -> i64.sum (map (\w -> i64.bool (w < v)) r)) r

-- For each element how many are smaller: a permutation, if all are different.
entry ranks : bool =
  let try (n: i64) (m: i64) =
    let xs = map (\i -> map (\j -> f32.i64 ((j * 13 + i * 5) % m)) (iota m)) (iota n)
    let cs = map ranks_of xs
    in and (map2 (\c i -> and (map2 (\k j -> k == (j * 13 + i * 5) % m) c (iota m))) cs (iota n))
  in try 3 64 && try 2 63 && try 5 70 && try 2 300 && try 1 1100 && try 100 17 && try 2 1

-- A reduction in order of what a loop computes.
entry first_median : bool =
  let try (n: i64) (m: i64) =
    let xs = map (\i -> map (\j -> f32.i64 ((j * 13 + i * 5) % m)) (iota m)) (iota n)
    let ms = map (\r ->
                    let c = ranks_of r
                    in reduce (\a b -> if a >= 0 then a else b) (-1) (map2 (\k i -> if k == m / 2 then i else -1) c (iota m))) xs
    in and (map2 (\p i -> p >= 0 && xs[i, p] == f32.i64 (m / 2)) ms (iota n))
  in try 40 64 && try 30 63 && try 20 300 && try 3 1100 && try 100 17 && try 70 1

entry inner : bool =
  let try (n: i64) =
    let xs = make n 0 u8.i64
    let cs = map (\t -> loop c = 10i64 for i < n do c + i64.bool (xs[i] < t)) (map u8.i64 (iota 8))
    in and (map2 (\c t -> c == 10 + (if t == 7 then n else expected n t)) cs (iota 8))
  in try 0 && try 255 && try 256 && try 1000 && try 70000
