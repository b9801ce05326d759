-- SPDX-License-Identifier: Apache-2.0
-- Scans beside reductions, filters and expensive maps, in sizes around those of groups, pieces and chunks; compared with loops.

def numbers (n: i64) : [n]i32 = tabulate n (\i -> i32.i64 ((i * 7919 + 13) % 1009) - 500)

-- One after the other, but in one kernel: a loop of the host would touch a device for every element.
def alone 'a (f: i64 -> a) : a = head (map f (iota 1))
def slow_scan [n] (xs: [n]i32) : [n]i32 =
  alone (\_ -> (loop (s, out) = (0, replicate n 0) for i < n do (let t = s + xs[i] in (t, out with [i] = t))).1)
def slow_max [n] (xs: [n]i32) : i32 = alone (\_ -> loop m = i32.lowest for x in xs do i32.max m x)
def slow_sum [n] (xs: [n]i32) : i32 = alone (\_ -> loop s = 0 for x in xs do s + x)
-- Not commutative: x -> 3 x + y.
def chain = reduce (\(a: i32, s: i32) (b, t) -> (a * b, s * b + t)) (1, 0)
def slow_chain [n] (xs: [n]i32) : i32 = alone (\_ -> loop s = 0 for x in xs do s * 3 + x)
def equal [n] (xs: [n]i32) (ys: [n]i32) = and (map2 (==) xs ys)

-- ==
-- entry: reductions
-- input { [0i64, 1i64, 2i64, 15i64, 16i64, 17i64, 511i64, 512i64, 513i64, 1025i64] } output { true }
-- input { [32575i64, 32576i64, 32577i64] } output { true }
-- compiled input { [65151i64, 65153i64, 100003i64, 200000i64] } output { true }
entry reductions [k] (ns: [k]i64) : bool =
  loop ok = true for n in ns do
    let xs = numbers n
    -- Late: of what was scanned, and of what a function makes of it.
    let s = scan (+) 0 xs
    let late = i32.maximum s
    let odd = i32.sum (map (% 7) s)
    -- Early: beside the scan; a map too.
    let (early, tripled, t) = (i32.sum xs, map (* 3) xs, scan i32.max i32.lowest xs)
    let (_, chained) = chain (map (\x -> (3, x)) xs)
    let u = scan (+) 0 xs
    -- Only the reduction is wanted.
    let only = i32.minimum (scan (+) 0 (map (^ 5) xs))
    let want = slow_scan xs
    in ok && equal s want && late == slow_max want && odd == slow_sum (map (% 7) want)
       && early == slow_sum xs && equal tripled (map (* 3) xs) && chained == slow_chain xs && equal u want
       && (n == 0 || last t == slow_max xs)
       && (n == 0 || only == -(slow_max (map (\x -> -x) (slow_scan (map (^ 5) xs)))))

-- ==
-- entry: fractions
-- input { [0i64, 1i64, 17i64, 513i64, 40000i64] } output { true }
entry fractions [k] (ns: [k]i64) : bool =
  loop ok = true for n in ns do
    let xs = map f64.i32 (numbers n)
    let s = scan (+) 0 xs
    in ok && f64.maximum s == f64.i32 (i32.max (-1000000) (slow_max (slow_scan (numbers n)))) || n == 0

def collatz (x: i32) : i32 =
  (loop (x, steps) = (x, 0) while x > 1 do ((if x % 2 == 0 then x / 2 else 3 * x + 1), steps + 1)).1

-- The map is computed once for every element.
-- ==
-- entry: expensive
-- input { [0i64, 1i64, 3i64, 4i64, 5i64, 255i64, 256i64, 257i64, 1000i64, 5000i64] } output { true }
entry expensive [k] (ns: [k]i64) : bool =
  loop ok = true for n in ns do
    let xs = map collatz (map i32.abs (numbers n))
    let s = scan (+) 0 xs
    let p = scan (\(a: i32, b: i32) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (3, collatz (i32.abs x))) (numbers n))
    let want = slow_scan (map (\x -> collatz (i32.abs x)) (numbers n))
    in ok && equal s want
       && (n == 0 || (last p).1 == slow_chain (map (\x -> collatz (i32.abs x)) (numbers n)))
       && i32.sum (filter (\x -> x % 3 == 0) (scan (+) 0 (map (\x -> collatz (i32.abs x + 1)) (numbers n))))
          == slow_sum (map (\x -> if x % 3 == 0 then x else 0) (slow_scan (map (\x -> collatz (i32.abs x + 1)) (numbers n))))
       && length (filter (\x -> x % 3 == 0) (scan (+) 0 (map (\x -> collatz (i32.abs x + 2)) (numbers n))))
          == length (filter (\x -> x % 3 == 0) (slow_scan (map (\x -> collatz (i32.abs x + 2)) (numbers n))))

-- ==
-- entry: checked
-- input { 5000i64 -1i64 } output { 4999i32 }
-- input { 5000i64 0i64 } error: division by zero
-- input { 5000i64 4999i64 } error: division by zero
-- input { 1i64 0i64 } error: division by zero
-- input { 0i64 0i64 } output { 0i32 }
entry checked (n: i64) (bad: i64) : i32 =
  let s = scan (+) 0 (tabulate n (\i -> i32.i64 i / (if i == bad then 0 else i32.max 1 (i32.i64 i))))
  in if n == 0 then 0 else last s

-- ==
-- entry: filters
-- input { [0i64, 1i64, 2i64, 255i64, 256i64, 257i64, 1000i64] } output { true }
-- compiled input { [32767i64, 32768i64, 32769i64, 100003i64] } output { true }
entry filters [k] (ns: [k]i64) : bool =
  loop ok = true for n in ns do
    let xs = numbers n
    let kept = filter (\x -> x % 3 == 0) xs
    let (a, b) = partition (> 100) xs
    let (sum, most, tripled) = (i32.sum kept, i32.maximum xs, map (* 3) xs)
    let (_, chained) = chain (map (\x -> (3, x)) xs)
    let scanned = scan (+) 0 kept
    let want = alone (\_ -> loop (m, out) = (0, replicate n 0) for x in xs do if x % 3 == 0 then (m + 1, out with [m] = x) else (m, out))
    let above = (i64.sum (map (\x -> if x > 100 then 1 else 0) xs), 0)
    in ok && length kept == want.0 && and (map (\i -> kept[i] == want.1[i]) (indices kept))
       && length a == above.0 && length a + length b == n && and (map (> 100) a) && all (<= 100) b
       && sum == slow_sum (take want.0 want.1) && most == slow_max xs && equal tripled (map (* 3) xs)
       && chained == slow_chain xs
       && (length scanned == 0 || last scanned == sum)

-- Filters beside commutative reductions, beside maps, beside each other.
-- ==
-- entry: filters_beside
-- input { [0i64, 1i64, 2i64, 15i64, 16i64, 17i64, 255i64, 257i64, 1000i64] } output { true }
-- compiled input { [32767i64, 32768i64, 32769i64, 100003i64] } output { true }
entry filters_beside [k] (ns: [k]i64) : bool =
  loop ok = true for n in ns do
    let xs = numbers n
    let (a, most) = (filter (> 10) xs, i32.maximum xs)
    let ys = map (* 7) (numbers n)
    let (b, doubled) = (filter (> 10) ys, map (* 2) ys)
    let zs = map (+ 1) (numbers n)
    let (c, d, sum, all_even) = (filter (> 10) zs, filter (\z -> z % 2 == 0) zs, i32.sum zs, all (\z -> z % 2 == 0) zs)
    let count p vs = i64.sum (map (\v -> i64.bool (p v)) vs)
    in ok && length a == count (> 10) xs && all (> 10) a && most == slow_max xs
       && i32.sum b == slow_sum (map (\y -> if y > 10 then y else 0) ys) && equal doubled (map (* 14) xs)
       && i32.sum c == slow_sum (map (\z -> if z > 10 then z else 0) zs)
       && length d == count (\z -> z % 2 == 0) zs && sum == slow_sum zs && all_even == (length d == n)

-- ==
-- entry: filter_checked
-- input { 40000i64 -1i64 } output { 39999i64 39999i64 }
-- input { 40000i64 39990i64 } error: division by zero
entry filter_checked (n: i64) (bad: i64) : (i64, i64) =
  let xs = tabulate n (\i -> i / (if i == bad then 0 else 1))
  in (length (filter (> 0) xs), i64.maximum xs)
