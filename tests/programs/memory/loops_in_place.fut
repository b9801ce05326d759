-- SPDX-License-Identifier: Apache-2.0
-- Rounds of a loop that may change their array where it is, and some that may not; each against the same loop with opaque copies.
-- ==
-- entry: elements rows pivot neighbours row_neighbours last_element twice_read two_arrays init_kept old_value branch after_write row_sums self
-- input { 1i64 1i64 } output { true }
-- input { 2i64 3i64 } output { true }
-- input { 100i64 17i64 } output { true }
-- input { 65i64 200i64 } output { true }

def numbers (n: i64) : [n]i32 = map (\i -> i32.i64 ((i * 7919 + 13) % 1009) - 500) (iota n)
def matrix (n: i64) (m: i64) : [n][m]i32 = unflatten (numbers (n * m))

def same [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool = and (map2 (\x y -> and (map2 (==) x y)) a b)

-- The loop with f, and again so that nothing can happen in place.
def both [n] [m] (f: i64 -> [n][m]i32 -> [n][m]i32) (a: [n][m]i32) : bool =
  let x = loop a = copy a for k < 5 do f k a
  let y = loop a = copy a for k < 5 do opaque (f k (opaque (copy a)))
  in same x y

entry elements (n: i64) (m: i64) : bool =
  both (\k a -> map (map (\x -> x * 3 + i32.i64 k)) a) (opaque (matrix n m))

entry rows (n: i64) (m: i64) : bool =
  both (\k a -> map (\r -> let first = r[0] in map (\x -> x - first) r) a) (opaque (matrix n m))

entry pivot (n: i64) (m: i64) : bool =
  both (\k a ->
          let p = k % n
          let row = copy a[p]
          in map2 (\i r -> if i <= p then r else let f = r[m - 1] in map3 (\j x y -> if j < k then x else x - f * y) (iota m) r row)
                  (iota n) a)
       (opaque (matrix n m))

-- Other rows are read.
entry neighbours (n: i64) (m: i64) : bool =
  both (\k a -> map2 (\i r -> map2 (\j x -> x + a[(i + 1) % n, j]) (iota m) r) (iota n) a) (opaque (matrix n m))

-- Other elements of the own row are read while it is written.
entry row_neighbours (n: i64) (m: i64) : bool =
  both (\k a -> map (\r -> map (\j -> r[j] + r[(j + 1) % m] - r[m - 1 - j]) (iota m)) a) (opaque (matrix n m))

entry last_element (n: i64) (m: i64) : bool =
  both (\k a -> map (\r -> map2 (\j x -> if j == 0 then r[m - 1] else x + r[0]) (iota m) r) a) (opaque (matrix n m))

entry twice_read (n: i64) (m: i64) : bool =
  both (\k a -> map (\r -> let s = i32.sum r
                           let t = loop t = 0 for x in r do t * 3 + x
                           in map (\x -> x + s - t) r) a)
       (opaque (matrix n m))

-- Two arrays change places.
entry two_arrays (n: i64) (m: i64) : bool =
  let a = opaque (matrix n m)
  let f x = map (map (\v -> v * 2 + 1)) x
  let (x, y) = loop (a, b) = (copy a, f a) for _i < 5 do (f b, a)
  let (x', y') = loop (a, b) = (copy a, f a) for _i < 5 do (opaque (f (opaque b)), opaque (copy a))
  in same x x' && same y y'

-- The initial value is wanted afterwards.
entry init_kept (n: i64) (m: i64) : bool =
  let a = map (map (+ 1)) (opaque (matrix n m))
  let a' = opaque (copy a)
  let x = loop b = a for k < 3 do map (map (* 2)) b
  in same a a' && same x (map (map (* 8)) a')

-- So is the value of the round before.
entry old_value (n: i64) (m: i64) : bool =
  both (\k a -> let b = map (map (\x -> x * 2 + 1)) a
                in map2 (map2 (\x y -> x - y)) b (map (\r -> map (\j -> r[m - 1 - j]) (iota m)) a))
       (opaque (matrix n m))

entry branch (n: i64) (m: i64) : bool =
  both (\k a -> if k % 2 == 0 then map (map (+ 1)) a
                else map2 (\i r -> map2 (\j x -> x + a[n - 1 - i, j]) (iota m) r) (iota n) a)
       (opaque (matrix n m))

-- The row is read again after it was written.
entry after_write (n: i64) (m: i64) : bool =
  both (\k a -> map (\r -> let new = loop c = copy r for j < m do c with [j] = c[j] + 1
                           in loop c = new for j < m do c with [j] = c[j] + r[m - 1 - j])
                    a)
       (opaque (matrix n m))

entry row_sums (n: i64) (m: i64) : bool =
  both (\k a -> map (\r -> scan (+) 0 r) a) (opaque (matrix n m))

entry self (n: i64) (m: i64) : bool =
  both (\k a -> map2 (\i r -> if (i + k) % 2 == 0 then r else map (\x -> -x) r) (iota n) a) (opaque (matrix n m))
