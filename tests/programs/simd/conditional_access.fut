-- SPDX-License-Identifier: Apache-2.0
-- Loads and stores that only some points do, of all sizes: in lanes, and in scalar code that has no
-- branch for them.  Every line compares with a loop that goes from point to point.
-- ==
-- entry: gathers
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 1000i64 } output { true }
-- ==
-- entry: scatters
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 1000i64 } output { true }
-- ==
-- entry: with_scan
-- input { 1i64 } output { true }
-- input { 100000i64 } output { true }
-- ==
-- entry: chosen_by_branch
-- input { 1i64 } output { true }
-- input { 1001i64 } output { true }
-- ==
-- entry: both_sides
-- input { 1i64 } output { true }
-- input { 1001i64 } output { true }
-- ==
-- entry: failing
-- input { [0i64, 2, 99, 4, 77, 6, 55, 2, 0, 33, 11] [5, 6, 7, 8] } output { [5, 6, 990, 7, 770, 8, 550, 6, 5, 330, 110] }
-- input { [0i64, 2, 99, 4, 77, 6, 55, 2, 0, 8, 11] [5, 6, 7, 8] } error: Index \[4\] out of bounds

def key (i: i64) : i64 = (i * 7919 + 13) % 31

def all_equal 't [n] (eq: t -> t -> bool) (xs: [n]t) (ys: [n]t) : bool = and (map2 eq xs ys)

-- Under a condition, from any place; the other lanes' places need not exist.
def gathered [n] 't (xs: [n]t) (other: t) : [n]t =
  map (\i -> if key i < 15 then #[unsafe] xs[(key i * 37) % n] else other) (iota n)

def gathered_in_turn [n] 't (xs: [n]t) (other: t) : [n]t =
  loop out = replicate n other for i < n do
    if key i < 15 then out with [i] = xs[(key i * 37) % n] else out

entry gathers (n: i64) : bool =
  let check 't (eq: t -> t -> bool) (f: i64 -> t) (other: t) =
    let xs = map f (iota n)
    in all_equal eq (gathered xs other) (gathered_in_turn xs other)
  in check (==) i32.i64 (-1) && check (==) u8.i64 3 && check (==) (\i -> i % 3 == 0) true
     && check (==) i16.i64 7 && check (==) f32.i64 0.5 && check (==) f64.i64 0.5
     && check (==) (* 3) (-9) && check (==) f16.i64 1.5

-- Points whose place is negative are left out.
def scattered [n] 't (xs: [n]t) (other: t) : [n]t =
  scatter (replicate n other) (map (\i -> if key i < 15 then n - 1 - i else -1) (iota n)) xs

def scattered_in_turn [n] 't (xs: [n]t) (other: t) : [n]t =
  loop out = replicate n other for i < n do
    if key i < 15 then out with [n - 1 - i] = xs[i] else out

entry scatters (n: i64) : bool =
  let check 't (eq: t -> t -> bool) (f: i64 -> t) (other: t) =
    let xs = map f (iota n)
    in all_equal eq (scattered xs other) (scattered_in_turn xs other)
  in check (==) i32.i64 (-1) && check (==) u8.i64 3 && check (==) (\i -> i % 3 == 0) true
     && check (==) i16.i64 7 && check (==) f32.i64 0.5 && check (==) f64.i64 0.5
     && check (==) (* 3) (-9) && check (==) f16.i64 1.5

-- A scatter beside a scan, in one kernel.
entry with_scan (n: i64) : bool =
  let keys = map key (iota n)
  let sums = scan (+) 0 (map (\k -> if k < 10 then 1 else 0) keys)
  let lasts = scatter (replicate n 0) (map2 (\i k -> if k == 3 then i / 2 else -1) (iota n) keys) (map (+ 1) (iota n))
  let (sums2, lasts2, _) =
    loop (sums, lasts, s) = (replicate n 0, replicate n 0, 0) for i < n do
      let s = if keys[i] < 10 then s + 1 else s
      let lasts = if keys[i] == 3 then lasts with [i / 2] = i + 1 else lasts
      in (sums with [i] = s, lasts, s)
  in all_equal (==) sums sums2 && all_equal (==) lasts lasts2

-- Places that a branch with loads chooses, so that the stores need no choice of their own.
entry chosen_by_branch (n: i64) : bool =
  let keys = map key (iota n)
  let flags = map (\k -> k % 5 < 3) keys
  let to i =
    if keys[i] < 10 then let j = (keys[(i * 7) % n] * 31 + i) % n
                         in if flags[j] then j else -1
    else -1
  let places = map to (iota n)
  let (as, bs) = (scatter (replicate n 0) places (map (\p -> p + 1) places), scatter (replicate n false) places (map (const true) places))
  let (as2, bs2) =
    loop (as, bs) = (replicate n 0, replicate n false) for i < n do
      let p = to i
      in if p < 0 then (as, bs) else (as with [p] = p + 1, bs with [p] = true)
  in all_equal (==) as as2 && all_equal (==) bs bs2

-- Gathers that keep the loop scalar, then choices of a few operators by what was loaded.
entry both_sides (n: i64) : bool =
  let is = map (\i -> (i * 389) % n) (iota n)
  let xs = map key (iota n)
  let f a b c =
    if a < b then (a + c, b)
    else if a == b then (b - c, a ^ c)
    else let d = c - a in (d * 3, d + b)
  let (ys, zs) = unzip (map2 (\i x -> f x xs[i] xs[(i * x) % n]) is xs)
  let (ys2, zs2) =
    loop (ys, zs) = (replicate n 0, replicate n 0) for i < n do
      let (y, z) = f xs[i] xs[is[i]] xs[(is[i] * xs[i]) % n]
      in (ys with [i] = y, zs with [i] = z)
  in all_equal (==) ys ys2 && all_equal (==) zs zs2

-- Checks of lanes that are not active do not count; those of others do.
entry failing (is: []i64) (xs: []i32) : []i32 =
  map (\i -> if i % 2 == 0 then xs[i / 2] else i32.i64 i * 10) is
