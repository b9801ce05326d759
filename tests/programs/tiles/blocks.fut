-- SPDX-License-Identifier: Apache-2.0
-- Maps that read arrays across their rows, in blocks; sizes around the borders of blocks, all
-- element sizes.
-- ==
-- entry: bytes words floats doubles bools halves copies two_operands three_dimensions windows with_branches far_dimension many
-- input { } output { true }
-- ==
-- entry: small
-- input { [[1i32,2,3],[4,5,6]] } output { [[2i32,5],[3,6],[4,7]] }
-- input { empty([0][3]i32) } output { empty([3][0]i32) }
-- input { empty([3][0]i32) } output { empty([0][3]i32) }
-- input { [[7i32]] } output { [[8i32]] }

entry small [n] [m] (xs: [n][m]i32) : [m][n]i32 = map (map (+ 1)) (transpose xs)

def sizes : []i64 = [0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 130]

-- In memory, not fused into what reads it.
def make 'a (zero: a) (n: i64) (m: i64) (f: i64 -> i64 -> a) : [n][m]a =
  loop xs = replicate n (replicate m zero) for i < n do xs with [i] = map (f i) (iota m)

def check [n] [m] 'a (eq: a -> a -> bool) (f: i64 -> i64 -> a) (xs: [n][m]a) : bool =
  and (map2 (\row i -> and (map2 (\x j -> eq x (f i j)) row (iota m))) xs (iota n))

def all_sizes (f: i64 -> i64 -> bool) : bool =
  loop ok = true for a in sizes do loop ok = ok for b in sizes do ok && f a b

def try 'a (eq: a -> a -> bool) (zero: a) (of: i64 -> a) (g: a -> a) : bool =
  all_sizes (\n m ->
               let xs = make zero n m (\i j -> of (i * 131 + j))
               in check eq (\j i -> g (of (i * 131 + j))) (map (map g) (transpose xs)))

entry bytes : bool = try (==) 0 u8.i64 (+ 3)
entry words : bool = try (==) 0 i16.i64 (* 3)
entry floats : bool = try (==) 0 f32.i64 (+ 0.5)
entry doubles : bool = try (==) 0 f64.i64 (\x -> x * x)
entry bools : bool = try (==) false (\i -> i % 3 == 0) (\b -> !b)
entry halves : bool = try (==) 0 (\i -> f16.i64 (i % 100)) (+ 1)

-- No map: the copy itself.
entry copies : bool =
  all_sizes (\n m ->
               let xs = make 0 n m (\i j -> i32.i64 (i * 131 + j))
               let ys = make 0 n m (\i j -> u8.i64 (i * 131 + j))
               in check (==) (\j i -> i32.i64 (i * 131 + j)) (copy (transpose xs))
                  && check (==) (\j i -> u8.i64 (i * 131 + j)) (copy (transpose ys)))

entry two_operands : bool =
  all_sizes (\n m ->
               let xs = make 0 n m (\i j -> i * 131 + j)
               let ys = make 0 m n (\i j -> i32.i64 (i - j))
               let zs = make 0 n m (\i j -> u8.i64 (i + 2 * j))
               let sum = map3 (map3 (\x y z -> x + i64.i32 y + i64.u8 z)) (transpose xs) ys (transpose zs)
               in check (==) (\j i -> i * 131 + j + (j - i) + i64.u8 (u8.i64 (i + 2 * j))) sum)

entry three_dimensions : bool =
  all_sizes (\n m ->
               let k = 3
               let xs = loop xs = replicate k (replicate n (replicate m 0i32))
                        for l < k do xs with [l] = make 0 n m (\i j -> i32.i64 (l * 100000 + i * 131 + j))
               let inner = map (\x -> map (map (+ 1)) (transpose x)) xs
               let outer = tabulate_3d m n k (\j i l -> xs[l, i, j] + 1)
               in and (map2 (\t l -> check (==) (\j i -> i32.i64 (l * 100000 + i * 131 + j) + 1) t) inner (iota k))
                  && and (map2 (\t j -> check (==) (\i l -> i32.i64 (l * 100000 + i * 131 + j) + 1) t) outer (iota m)))

-- A shifted part of the array.
entry windows : bool =
  all_sizes (\n m ->
               let xs = make 0 (n + 2) (m + 5) (\i j -> f32.i64 (i * 150 + j))
               let part = tabulate_2d m n (\j i -> xs[i + 2, j + 5] - xs[i + 1, j])
               in check (==) (\j i -> f32.i64 ((i + 2) * 150 + j + 5) - f32.i64 ((i + 1) * 150 + j)) part)

entry with_branches : bool =
  all_sizes (\n m ->
               let xs = make 0 n m (\i j -> i32.i64 (i * 131 + j))
               let f j i = if i < j then xs[i, j] else 2 * xs[i, j]
               in check (==) (\j i -> (if i < j then 1 else 2) * i32.i64 (i * 131 + j)) (tabulate_2d m n f))

-- Contiguous along the first of three dimensions.
entry far_dimension : bool =
  all_sizes (\n m ->
               let xs = loop xs = replicate m (replicate 2 (replicate n 0i64))
                        for j < m do xs with [j] = make 0 2 n (\l i -> j * 1000 + l * 500 + i)
               let ys = tabulate_3d n 2 m (\i l j -> 2 * xs[j, l, i])
               in and (map2 (\y i -> check (==) (\l j -> 2 * (j * 1000 + l * 500 + i)) y) ys (iota n)))

-- More buffers than fit beside each other.
entry many : bool =
  all_sizes (\n m ->
               let xs = make 0 (n + 6) m (\i j -> i32.i64 (i * 131 + j))
               let f j i = xs[i, j] + xs[i + 1, j] + xs[i + 2, j] + xs[i + 3, j] + xs[i + 4, j] + xs[i + 5, j]
               in check (==) (\j i -> i32.i64 (6 * (i * 131 + j) + 15 * 131)) (tabulate_2d m n f))
