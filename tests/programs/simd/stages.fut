-- SPDX-License-Identifier: Apache-2.0
-- Large bodies with divisions in the middle, two registers at a time, one after the other (codegen/cpu/vector/stages.cpp): with
-- and without borders, of lengths that fill groups and lengths that do not, and a result in the array that is read.
-- ==
-- entry: around
-- input { 1i64 } output { 0i64 }
-- input { 7i64 } output { 0i64 }
-- input { 8i64 } output { 0i64 }
-- input { 100i64 } output { 0i64 }
-- input { 1003i64 } output { 0i64 }
-- ==
-- entry: straight
-- input { 1i64 } output { 0i64 }
-- input { 16i64 } output { 0i64 }
-- input { 1003i64 } output { 0i64 }
-- ==
-- entry: in_place
-- input { 8i64 } output { 0i64 }
-- input { 1003i64 } output { 0i64 }
-- ==
-- entry: roots
-- input { 1003i64 } output { 0i64 }
-- ==
-- entry: mixed
-- input { 1003i64 } output { 0i64 }

def by_loop [n] 'a (zero: a) (f: i64 -> a) : [n]a =
  #[sequential] loop ys = replicate n zero for i < n do ys with [i] = f i

def differ [n] (a: [n](f32, f32)) (b: [n](f32, f32)) : i64 =
  map2 (\(x, y) (z, w) -> i64.bool (f32.to_bits x != f32.to_bits z || f32.to_bits y != f32.to_bits w)) a b |> i64.sum

def start (n: i64) : [n]f32 = tabulate n (\i -> f32.i64 (i * 7919 % 1009) / 100 + 0.25)

-- Before the division and after it.
def collide (a: f32) (b: f32) (c: f32) (d: f32) : (f32, f32) =
  let sum = a + b + c + d
  let u = (a - b + 0.5 * c) / sum
  let v = (c - d + 0.25 * b) / sum
  let q = 1.5 * (u * u + v * v)
  let relax w e old = old + 1.2 * (w * sum * (1 + 3 * e + 4.5 * e * e - q) - old)
  let near = relax 0.4 u a + relax 0.1 v b * relax 0.1 (-u) c - relax 0.1 (-v) d
  let far = relax 0.03 (u + v) a - relax 0.03 (v - u) b * relax 0.03 (-u - v) c + relax 0.03 (u - v) d
  in (near, far)

entry around (n: i64) : i64 =
  let xs = start n
  let at i = collide xs[i] xs[(i + 1) % n] xs[(i + n - 1) % n] (xs[i] + f32.i64 i)
  in differ (opaque (tabulate n at)) (by_loop (0, 0) at)

entry straight (n: i64) : i64 =
  let xs = start n
  let ys = map (\x -> x * x + 1) xs
  let at x y = collide x y (x * y) (x - y)
  in differ (opaque (map2 at xs ys)) (by_loop (0, 0) (\i -> at xs[i] ys[i]))

entry in_place (n: i64) : i64 =
  let xs = start n
  let at x = let (a, b) = collide x (x * x) (x + 2) (3 - x) in a + b
  let many = loop ys = copy xs for _k < 3i32 do map at ys
  let one = by_loop 0 (\i -> at (at (at xs[i])))
  in differ (zip many many) (zip one one)

entry roots (n: i64) : i64 =
  let xs = start n
  let at x = let (a, b) = collide x (f32.sqrt x) (f32.sqrt (x + 1)) 2 in collide a (f32.sqrt (b * b)) x (a + b)
  in differ (opaque (map at xs)) (by_loop (0, 0) (\i -> at xs[i]))

-- Elements of other sizes beside f32.
entry mixed (n: i64) : i64 =
  let xs = start n
  let ks = map (\x -> u8.f32 x) xs
  let ds = map f64.f32 xs
  let at x k d =
    let (a, b) = collide x (f32.u8 k) (f32.f64 (d / 3)) 2
    in (a + f32.f64 (d * 0.3 + f64.f32 b), b * f32.u8 (k ^ 5))
  in differ (map3 at xs ks ds) (by_loop (0, 0) (\i -> at xs[i] ks[i] ds[i]))
