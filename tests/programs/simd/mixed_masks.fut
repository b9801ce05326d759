-- SPDX-License-Identifier: Apache-2.0
-- Conditions made of comparisons of several widths, which choose between elements of others, in straight code,
-- in reductions and in loops that lanes leave at different times.  What vectors give is what scalar code gives.
-- ==
-- entry: straight carried best
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 37i64 } output { true }
-- input { 256i64 } output { true }
-- input { 5003i64 } output { true }

def number (i: i64) : i64 = (i * 7919 + 13) % 1009

type several = ((u8, i16, i32), (i64, f32, f64))

def choices (i: i64) (a: u8) (b: i16) (c: i32) (d: i64) (e: f32) (f: f64) : several =
  let p = a < 100 && d > 300
  let q = (c % 3 == 0 || f < 500) && !(b > 700)
  let r = p != (e > 250 && a > 20)
  in ( ( if p && q then a else u8.i64 i
       , if p || r then b else i16.i64 i
       , if q && !r then c else i32.i64 i
       )
     , ( if (p && r) || q then d else i
       , if r && c > 4 then e else f32.i64 i
       , if q != p then f else f64.i64 i
       )
     )

def of (i: i64) : several =
  let k = number i
  in choices i (u8.i64 k) (i16.i64 (number (i + 1))) (i32.i64 (number (i + 2))) (number (i + 3)) (f32.i64 (number (i + 4)))
             (f64.i64 (number (i + 5)))

entry straight (n: i64) : bool =
  let (firsts, seconds) = unzip (map of (iota n))
  let (as, bs, cs) = unzip3 firsts
  let (ds, es, fs) = unzip3 seconds
  in loop same = true
     for i < n do
       let ((a, b, c), (d, e, f)) = of i
       in same && a == as[i] && b == bs[i] && c == cs[i] && d == ds[i] && e == es[i] && f == fs[i]

def steps (i: i64) : (i32, i64, f32) =
  let (c, d, e, _) =
    loop (c, d, e, go) = (0i32, number i, 1f32, true)
    while go && c < 40 && d != 1 do
      let d' = if d % 2 == 0 && c < 30 then d / 2 else d - i64.i32 c
      let e' = if d' > 100 || c == 3 then e * 0.5 else e + 1
      in (c + 1, d', e', d' > -50 && e' < 9)
  in (c, d, e)

entry carried (n: i64) : bool =
  let (cs, ds, es) = unzip3 (map steps (iota n))
  in loop same = true
     for i < n do
       let (c, d, e) = steps i
       in same && c == cs[i] && d == ds[i] && e == es[i]

def better (x: i32, i: i64) (y: i32, j: i64) : (i32, i64) =
  if x > y || (x == y && i < j) then (x, i) else (y, j)

entry best (n: i64) : bool =
  let points = map (\i -> (i32.i64 (number i % 50), i)) (iota n)
  let (x, i) = reduce_comm better (i32.lowest, i64.highest) points
  let (y, j) = loop best = (i32.lowest, i64.highest) for p in points do better best p
  in x == y && i == j
