-- SPDX-License-Identifier: Apache-2.0
-- Filters and partitions of straight code, whose members are moved together a register at a time: every
-- size of element, lengths around those of registers and pieces, none, some and all of them chosen.
-- ==
-- entry: types
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 64i64 } output { true }
-- input { 100i64 } output { true }
-- input { 511i64 } output { true }
-- input { 513i64 } output { true }
-- input { 70001i64 } output { true }
-- ==
-- entry: several
-- input { 0i64 } output { true }
-- input { 63i64 } output { true }
-- input { 1100i64 } output { true }
-- input { 70001i64 } output { true }
-- ==
-- entry: beside
-- input { [5, -3, 8, 0, -1, 7] } output { [5, 8, 7] 16 [10, -6, 16, 0, -2, 14] }
-- ==
-- entry: unread
-- input { [5, -3, 8, 0, -1, 7] } output { [-3, 0, -1] 3i64 }

def key (i: i64) : i64 = (i * 7919 + 13) % 31

-- The same from element to element.
def in_turn [n] 't (keep: t -> bool) (other: t) (xs: [n]t) : (i64, [n]t) =
  loop (k, out) = (0, replicate n other) for x in xs do
    if keep x then (k + 1, out with [k] = x) else (k, out)

def equals [n] [m] 't (eq: t -> t -> bool) (xs: [n]t) (k: i64) (ys: [m]t) : bool =
  n == k && all (\i -> eq xs[i] ys[i]) (iota k)

entry types (n: i64) : bool =
  let check 't (eq: t -> t -> bool) (f: i64 -> t) (keep: t -> bool) =
    let xs = map (\i -> f (key i)) (iota n)
    let (k, ys) = in_turn keep (f 0) xs
    let zs = filter keep xs
    in equals eq zs k ys
  in check (==) i8.i64 (< 9) && check (==) u8.i64 (> 15) && check (==) i16.i64 (\x -> x % 2 == 0)
     && check (==) u16.i64 (== 3) && check (==) i32.i64 (!= 3) && check (==) u32.i64 (< 100)
     && check (==) (* 3) (> 1000) && check (==) f16.i64 (> 2) && check (==) f32.i64 (\x -> x * 0.5 < 7)
     && check (==) f64.i64 (\x -> x * x > 100) && check (==) (\i -> i > 15) id

entry several (n: i64) : bool =
  let xs = map (\i -> i32.i64 (key i)) (iota n)
  let ys = map (\i -> u8.i64 (key (i + 5))) (iota n)
  let (small, middle, large) = partition2 (\(x, _) -> x < 10) (\(x, _) -> x < 20) (zip xs ys)
  let check zs keep =
    let (k, ws) = in_turn keep (0, 0) (zip xs ys)
    in equals (==) zs k ws
  in check small (\(x, _) -> x < 10) && check middle (\(x, _) -> x >= 10 && x < 20) && check large (\(x, _) -> x >= 20)

entry beside (xs: []i32) = (filter (> 0) xs, i32.sum xs, map (* 2) xs)

entry unread (xs: []i32) =
  let (some, others) = partition (> 0) xs
  in (others, length some)
