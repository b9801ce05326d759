-- SPDX-License-Identifier: Apache-2.0
-- Neighbours on a torus: the index goes around at the ends, so that rows are cut into stretches.
-- ==
-- entry: one_dimension two_dimensions far several_widths by_branches rotated narrow
-- input { } output { true }
-- ==
-- entry: shift
-- input { [1i32,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19] 18i64 }
-- output { [19i32,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18] }
-- input { empty([0]i32) 3i64 } output { empty([0]i32) }
-- input { [7i32] 1i64 } output { [7i32] }

def by_loop [n] 'a (zero: a) (f: i64 -> a) : [n]a =
  loop ys = replicate n zero for i < n do ys with [i] = f i

def same 'a (n: i64) (eq: a -> a -> bool) (zero: a) (f: i64 -> a) : bool =
  and (map2 eq (map f (iota n)) (by_loop zero f))

entry one_dimension : bool =
  loop ok = true for n < 70 do
    let xs = map (\i -> f32.i64 (i * i % 17)) (iota n)
    let f i = xs[(i + n - 1) % n] + 2 * xs[i] - xs[(i + 1) % n]
    in ok && same n (==) 0 f

entry two_dimensions : bool =
  loop ok = true for m < 37 do
    let n = 1 + m % 5
    let xs = map (\i -> map (\j -> f64.i64 (i * 3 + j * j % 7)) (iota m)) (iota n)
    let cell i j =
      let (u, d) = ((i + n - 1) % n, (i + 1) % n)
      let (l, r) = ((j + m - 1) % m, (j + 1) % m)
      in xs[u, l] + 2 * xs[u, j] + 3 * xs[u, r] + 4 * xs[i, l] - xs[i, r] - 2 * xs[d, l] - 3 * xs[d, j] - 4 * xs[d, r]
    let all = map (\i -> map (cell i) (iota m)) (iota n)
    in ok && and (map2 (\row i -> and (map2 (==) row (by_loop 0 (cell i)))) all (iota n))

entry far : bool =
  loop ok = true for k < 50 do
    let n = 50
    let xs = map (\i -> i * i % 31) (iota n)
    in ok && same n (==) 0 (\i -> xs[(i + k) % n] - xs[(i + n - k) % n])

entry several_widths : bool =
  loop ok = true for n < 60 do
    let bytes = map (\i -> u8.i64 (i * 7)) (iota n)
    let words = map (\i -> i16.i64 (i * 7)) (iota n)
    let f i = i16.u8 bytes[(i + 1) % n] + words[(i + n - 1) % n]
    let g i = bytes[(i + 1) % n] + 2 * bytes[i]
    in ok && same n (==) 0 f && same n (==) 0 g

entry by_branches : bool =
  loop ok = true for n < 60 do
    let xs = map (\i -> f32.i64 (i * i % 17)) (iota n)
    let f i = xs[if i == 0 then n - 1 else i - 1] - 3 * xs[if i == n - 1 then 0 else i + 1]
    in ok && same n (==) 0 f

entry rotated : bool =
  loop ok = true for n < 40 do
    let xs = map (\i -> i32.i64 (i * i % 17)) (iota n)
    let sums = map3 (\a b c -> a + 2 * b + 3 * c) (rotate (-1) xs) xs (rotate 1 xs)
    let f i = xs[(i + n - 1) % n] + 2 * xs[i] + 3 * xs[(i + 1) % n]
    in ok && and (map2 (==) sums (by_loop 0 f))

-- Eight-bit counters that wrap while they are compared.
entry narrow : bool =
  let f (i: i64) = let k = i8.i64 i in if k + 1 < 5 then 1 else if k == 100 then 2 else 3i32
  let g (i: i64) = let k = u8.i64 i in if 250 <= k + 3 then 1 else if k != 7 then 2 else 3i32
  let h (i: i64) = let k = u8.i64 i in if k < 255 then (if 255 < k + 1 then 1 else 2) else 3i32
  in same 700 (==) 0 f && same 700 (==) 0 g && same 700 (==) 0 h

entry shift [n] (xs: [n]i32) (k: i64) : [n]i32 = map (\i -> xs[(i + k) % n]) (iota n)
