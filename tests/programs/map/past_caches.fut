-- SPDX-License-Identifier: Apache-2.0
-- Results so large that they are written past the caches, with ends that fill no cache line.
-- ==
-- entry: plain
-- compiled large input { 16777216i64 } output { 0i64 16777215i32 }
-- compiled large input { 16777259i64 } output { 0i64 16777258i32 }
-- compiled large input { 1000i64 } output { 0i64 999i32 }

-- ==
-- entry: several
-- compiled large input { 8388611i64 } output { 0i64 0i64 0i64 }

-- ==
-- entry: bytes
-- compiled large input { 67108901i64 } output { 0i64 }

-- ==
-- entry: behind
-- compiled large input { 16777300i64 } output { 0i64 }

-- ==
-- entry: in_place
-- compiled large input { 16777300i64 } output { 0i64 }

-- ==
-- entry: checked
-- compiled large input { 16777300i64 16777299i64 } output { 0i64 }
-- compiled large input { 16777300i64 12345678i64 } error: Index \[-1\] out of bounds

def count_wrong [n] 't (wrong: i64 -> t -> bool) (xs: [n]t) : i64 =
  i64.sum (map2 (\i x -> i64.bool (wrong i x)) (iota n) xs)

entry plain (n: i64) : (i64, i32) =
  let xs = opaque (map (\i -> i32.i64 i * 3) (iota n))
  let ys = opaque (map (\x -> x / 3) xs)
  in (count_wrong (\i y -> y != i32.i64 i) ys, ys[n - 1])

-- Of different widths, in one loop.
entry several (n: i64) : (i64, i64, i64) =
  let (as, bs, cs) = opaque (unzip3 (map (\i -> (f64.i64 i + 0.5, i32.i64 i ^ 5, u16.i64 i)) (iota n)))
  in ( count_wrong (\i a -> a != f64.i64 i + 0.5) as
     , count_wrong (\i b -> b != i32.i64 i ^ 5) bs
     , count_wrong (\i c -> c != u16.i64 i) cs
     )

entry bytes (n: i64) : i64 =
  let xs = opaque (map (\i -> u8.i64 (i * 7)) (iota n))
  in count_wrong (\i x -> x != u8.i64 (i * 7)) xs

-- Where it begins is no beginning of a cache line.
entry behind (n: i64) : i64 =
  let xs = opaque ([1, 2, 3] ++ map (\i -> i32.i64 i + 4) (iota n))
  in count_wrong (\i x -> x != i32.i64 i + 1) xs

entry in_place (n: i64) : i64 =
  let xs = opaque (map i32.i64 (iota n))
  let ys = opaque (map (+ 1) xs)
  let zs = opaque (map2 (\y i -> y * 2 + i32.i64 i) ys (iota n))
  in count_wrong (\i z -> z != 3 * i32.i64 i + 2) zs

-- A check that fails in the middle of a loop.
entry checked (n: i64) (bad: i64) : i64 =
  let xs = opaque (map i32.i64 (iota n))
  let ys = opaque (map (\i -> xs[if i == bad && bad < n - 1 then -1 else i]) (iota n))
  in count_wrong (\i y -> y != i32.i64 i) ys
