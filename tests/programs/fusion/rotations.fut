-- SPDX-License-Identifier: Apache-2.0
-- Rotated and padded arrays are read where they are, against copies of them.
-- ==
-- entry: rotated around rows borders border_rows halves twice consumed returned in_loop reads filtered
-- input { 1i64 3i64 } output { true }
-- input { 2i64 -1i64 } output { true }
-- input { 7i64 2i64 } output { true }
-- input { 100i64 -7i64 } output { true }
-- input { 1003i64 5000i64 } output { true }

-- ==
-- entry: rotated around rows halves twice consumed in_loop
-- input { 0i64 3i64 } output { true }

def numbers (n: i64) : [n]i32 = map (\i -> i32.i64 ((i * 7919 + 13) % 1009) - 500) (iota n)
def matrix (n: i64) (m: i64) : [n][m]i32 = unflatten (numbers (n * m))

def same [n] [m] (a: [n]i32) (b: [m]i32) : bool = n == m && and (map2 (==) a (b :> [n]i32))

entry rotated (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  in same (map2 (\x y -> x * 3 - y) (rotate k xs) xs) (map2 (\x y -> x * 3 - y) (opaque (rotate k xs)) xs)

entry around (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let f = map3 (\x y z -> x + 10 * y + 100 * z)
  in same (f (rotate (-1) xs) (rotate k xs) (rotate 1 xs))
          (f (opaque (rotate (-1) xs)) (opaque (rotate k xs)) (opaque (rotate 1 xs)))

entry rows (n: i64) (k: i64) : bool =
  let xss = opaque (matrix n 5)
  let f a b c = flatten (map3 (map3 (\x y z -> x + 10 * y + 100 * z)) a b c)
  in same (f (rotate k xss) xss (map (rotate (-k)) (rotate 1 xss)))
          (f (opaque (rotate k xss)) xss (opaque (map (\r -> opaque (rotate (-k) r)) (opaque (rotate 1 xss)))))

entry borders (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let left = [xs[0]] ++ xs[:n - 1] :> [n]i32
  let right = xs[1:] ++ [xs[n - 1]] :> [n]i32
  in same (map3 (\x y z -> x + 10 * y + 100 * z) left xs right)
          (map3 (\x y z -> x + 10 * y + 100 * z) (opaque left) xs (opaque right))

entry border_rows (n: i64) (k: i64) : bool =
  let xss = opaque (matrix n 3)
  let up = [xss[0]] ++ xss[:n - 1] :> [n][3]i32
  in same (flatten (map2 (map2 (\x y -> x * 2 - y)) up xss)) (flatten (map2 (map2 (\x y -> x * 2 - y)) (opaque up) xss))

entry halves (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let h = n / 2
  let swapped = xs[h:] ++ xs[:h] :> [n]i32
  let doubled = xs ++ xs :> [2 * n]i32
  in same (map (* 2) swapped) (map (* 2) (opaque swapped))
     && reduce (+) 0 (map2 (*) doubled (map i32.i64 (iota (2 * n))))
        == reduce (+) 0 (map2 (*) (opaque doubled) (map i32.i64 (iota (2 * n))))

entry twice (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  in same (map2 (-) (rotate 1 (rotate k xs)) xs) (map2 (-) (opaque (rotate (k + 1) xs)) xs)

-- The source changes before the rotated array is read.
entry consumed (n: i64) (k: i64) : bool =
  let xs = copy (opaque (numbers n))
  let r = rotate k xs
  let r' = opaque (rotate k xs)
  let ys = if n > 0 then xs with [0] = 77 else xs
  in same (map2 (+) r ys) (map2 (+) r' ys)

-- The rotated array is wanted as well.
entry returned (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let r = rotate k xs
  let ys = map (+ 1) r
  let r' = copy r with [0] = 5
  in same (map (\y -> y - 1) ys) r && r'[0] == 5

entry in_loop (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let a = loop xs for i < 5 do map2 (\x y -> (x + 3 * y) % 1000) (rotate k xs) (rotate i xs)
  let b = loop xs for i < 5 do map2 (\x y -> (x + 3 * y) % 1000) (opaque (rotate k xs)) (opaque (rotate i xs))
  in same a b

entry reads (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let r = rotate k xs
  let f r = map (\i -> r[i] - r[(i * 7) % n] + r[n - 1 - i]) (iota n)
  in same (f r) (f (opaque (rotate k xs)))

entry filtered (n: i64) (k: i64) : bool =
  let xs = opaque (numbers n)
  let f r = (filter (> 0) r, hist (+) 0 10 (map (\x -> i64.i32 (x % 10)) r) xs, scan (+) 0 r, reduce i32.max i32.lowest r)
  let (a, b, c, d) = f (rotate k xs)
  let (a', b', c', d') = f (opaque (rotate k xs))
  in same a a' && same b b' && same c c' && d == d'
