-- SPDX-License-Identifier: Apache-2.0
-- Points that take a loop each, combined by an operator that is not commutative: the loops run in lanes, the operator follows.
-- ==
-- entry: affine largest
-- input { 20i64 0i64 } output { true }
-- input { 20i64 1i64 } output { true }
-- input { 3i64 255i64 } output { true }
-- input { 0i64 1000i64 } output { true }
-- compiled input { 7i64 100000i64 } output { true }

def rounds (k: i64) (x: i32) : i32 = loop y = x for _i < k do y * 5 + x

def values n = map (\i -> i32.i64 (i * 7919 % 1000)) (iota n)

def after (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)

entry affine (k: i64) (n: i64) : bool =
  let xs = opaque (values n)
  let found = reduce after (1, 0) (map (\x -> (rounds k x, x)) xs)
  let wanted = loop acc = (1, 0) for x in xs do after acc (rounds k x, x)
  in found.0 == wanted.0 && found.1 == wanted.1

entry largest (k: i64) (n: i64) : bool =
  let xs = opaque (values n)
  let better (a: f32, i: i64) (b: f32, j: i64) = if b > a then (b, j) else (a, i)
  let found = reduce better (f32.lowest, -1) (map2 (\x i -> (f32.i32 (rounds k x), i)) xs (iota n))
  let wanted = loop acc = (f32.lowest, -1) for i < n do better acc (f32.i32 (rounds k xs[i]), i)
  in found.0 == wanted.0 && found.1 == wanted.1
