-- SPDX-License-Identifier: Apache-2.0
-- Functions on f64 in vectors, beside the C library's for one element after the other: both are good to a
-- unit in the last place or a little more.

-- How many numbers lie between two of them.
def distance (a: f64) (b: f64) : i64 =
  let place (x: f64) = let bits = i64.u64 (f64.to_bits x & 0x7fffffffffffffff)
                       in if f64.to_bits x >> 63 == 1 then -bits else bits
  in if f64.isnan a && f64.isnan b then 0 else i64.abs (place a - place b)

def one_by_one [n] (f: f64 -> f64 -> f64) (xs: [n]f64) (ys: [n]f64) : [n]f64 =
  loop zs = replicate n 0 for i < n do
    let z = f (opaque xs[i]) (opaque ys[i]) in zs with [i] = z

-- All kinds of numbers: tiny, huge, negative, infinite, none.
def any_bits (n: i64) : [n]f64 = map (\i -> f64.from_bits (u64.i64 (i * 0x61c8864680b583eb))) (iota n)
def between (n: i64) (low: f64) (high: f64) : [n]f64 =
  map (\i -> low + (high - low) * f64.i64 (i * 7919 % n) / f64.i64 n) (iota n)
def special : [16]f64 = [0, -0.0, 1, -1, f64.inf, -f64.inf, f64.nan, 5e-324, 1e-310, 1.7976931348623157e308,
                         709.78, 709.79, 710.4758, -745.1, -745.2, 1.5707963267948966]

def agrees [n] (most: i64) (f: f64 -> f64 -> f64) (xs: [n]f64) (ys: [n]f64) : bool =
  and (map2 (\a b -> distance a b <= most) (opaque (map2 f xs ys)) (one_by_one f xs ys))

def everywhere (n: i64) (most: i64) (f: f64 -> f64) : bool =
  let g x _ = f x
  let test [k] (xs: [k]f64) = agrees most g xs xs
  in test (any_bits n) && test (between n (-1) 1) && test (between n (-30) 30) && test (between n (-750) 750)
     && test (flatten (replicate 3 special))

-- ==
-- tags { no_opencl no_cuda }
-- entry: angles exponentials logarithms powers quotients
-- compiled input { 20011i64 } output { true }
entry angles (n: i64) : bool =
  everywhere n 1 f64.sin && everywhere n 1 f64.cos && everywhere n 1 f64.atan
  && agrees 1 (\x _ -> f64.sin x) (between n (-1e7) 1e7) (between n 0 1)

entry exponentials (n: i64) : bool =
  everywhere n 1 f64.exp && everywhere n 3 f64.sinh && everywhere n 2 f64.cosh && everywhere n 3 f64.tanh

entry logarithms (n: i64) : bool =
  everywhere n 1 f64.log && everywhere n 2 f64.log2 && everywhere n 2 f64.log10 && everywhere n 2 f64.log1p
  && agrees 1 (\x _ -> f64.log x) (between n 0.5 2) (between n 0 1)

entry powers (n: i64) : bool =
  agrees 1 (**) (any_bits n) (reverse (any_bits n))
  && agrees 1 (**) (between n 0.1 10) (reverse (between n (-300) 300))
  && agrees 1 (**) (between n 0.99 1.01) (reverse (between n (-70000) 70000))
  && agrees 1 (**) (flatten (replicate 16 special)) (flatten (map (replicate 16) special))

entry quotients (n: i64) : bool =
  agrees 1 f64.atan2 (between n (-1) 1) (reverse (between n (-3) 3))
  && agrees 1 f64.atan2 (any_bits n) (reverse (any_bits n))
  && agrees 1 f64.atan2 (flatten (replicate 16 special)) (flatten (map (replicate 16) special))
