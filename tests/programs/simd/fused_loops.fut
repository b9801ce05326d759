-- SPDX-License-Identifier: Apache-2.0
-- Neighbouring loops of a lane become one where that saves loads: values of the same iteration, of the one before and of
-- the first.  Each function runs once in lanes and once row by row.
-- ==
-- entry: same before first first_inside chain kept variables in_place
-- input { 0i64 5i64 } output { true }
-- input { 16i64 0i64 } output { true }
-- input { 16i64 1i64 } output { true }
-- input { 17i64 2i64 } output { true }
-- input { 37i64 3i64 } output { true }
-- input { 64i64 33i64 } output { true }
-- input { 19i64 1500i64 } output { true }
-- ==
-- entry: ahead backwards shorter overwritten overwritten_ahead old_first last total conditional far
-- input { 0i64 5i64 } output { true }
-- input { 16i64 1i64 } output { true }
-- input { 17i64 2i64 } output { true }
-- input { 37i64 3i64 } output { true }
-- input { 64i64 33i64 } output { true }

def number (i: i64) (j: i64) : i32 = i32.i64 ((i * 31 + j * 17) % 103) - 40

def agree (n: i64) (m: i64) (f: [m]i32 -> [m]i32) : bool =
  let xss = opaque (tabulate_2d n m number)
  let made = opaque (map f xss)
  in loop ok = true for i < n do ok && and (map2 (==) made[i] (f xss[i]))

def twice [m] (xs: [m]i32) = #[sequential] map (\x -> x * x * 3 + 1) xs
def sums [m] (xs: [m]i32) = #[sequential] scan (\a b -> a * 5 ^ b) 1 xs
def rows m (f: i64 -> i32) = #[sequential] tabulate m f

-- ---- loops that become one

entry same n m =
  agree n m (\xs -> let as = twice xs let bs = rows m (\i -> as[i] ^ xs[m - 1 - i])
                    in #[sequential] map2 (+) (sums bs) as)
entry before n m =
  agree n m (\xs -> let as = twice xs
                    let bs = sums (rows m (\i -> if i > 0 then as[i] - as[i - 1] else 7))
                    in rows m (\i -> if i == 0 then 3 else bs[i] ^ bs[i - 1]))
entry first n m =
  agree n m (\xs -> let as = twice xs
                    let x = if m > 0 then as[0] else 9
                    let bs = #[sequential] scan (\a b -> a * x + b) 1 as
                    in #[sequential] map (\b -> b ^ x) bs)
entry first_inside n m =
  agree n m (\xs -> let as = sums (twice xs)
                    in rows m (\i -> as[i] * 7 ^ as[0]))
entry chain n m =
  agree n m (\xs -> let as = twice xs
                    let bs = #[sequential] scan (\a b -> a * 3 ^ b) 1 (rows m (\i -> if 0 < i then as[i] + as[i - 1] else 1))
                    let cs = #[sequential] scan (\a b -> a * 7 - b) 2 (rows m (\i -> if i >= 1 then bs[i - 1] ^ as[i] else 4))
                    in rows m (\i -> cs[m - 1 - i] + bs[i]))
-- Read again after the loops.
entry kept n m =
  agree n m (\xs -> let as = twice xs let bs = sums as
                    in rows m (\i -> as[m - 1 - i] ^ bs[m - 1 - i]))
-- What is stored is a variable that changes afterwards.
entry variables n m =
  agree n m (\xs -> let (as, _) = loop (as, s) = (replicate m 0, 1) for i < m do (as with [i] = s, s * 3 + xs[i])
                    let (bs, _) = loop (bs, t) = (replicate m 0, 5) for i < m do
                      (bs with [i] = t + (if i > 0 then as[i - 1] else 2), t * 7 ^ as[i])
                    in bs)
-- Both loops write the same array.
entry in_place n m =
  agree n m (\xs -> let as = loop as = replicate m 1 for i < m do as with [i] = xs[i] * 5 + i32.i64 i
                    in loop as = as for i < m do as with [i] = as[i] * 3 + (if i > 0 then as[i - 1] else 2))

-- ---- loops that stay apart, or values that come from memory

entry ahead n m =
  agree n m (\xs -> let as = sums (twice xs)
                    in rows m (\i -> as[i] * 3 ^ (if i + 1 < m then as[i + 1] else 1)))
entry backwards n m =
  agree n m (\xs -> let as = sums (twice xs) in rows m (\i -> as[i] * 3 ^ as[m - 1 - i]))
entry shorter n m =
  agree n m (\xs -> let as = sums (twice xs)
                    in loop bs = replicate m 3 for i < m - 1 do bs with [i] = as[i] * 3)
-- The second loop writes what later iterations of the first one read.
entry overwritten n m =
  agree n m (\xs -> let as = loop as = replicate m 2 for i < m do as with [i] = xs[i] * 3
                    let bs = loop bs = replicate m 0 for i < m do bs with [i] = if i > 0 then as[i - 1] * 5 else 1
                    let as = loop as = as for i < m do as with [i] = bs[i] ^ 77
                    in #[sequential] map2 (+) as bs)
-- The second loop writes what earlier iterations of the first one have read.
entry overwritten_ahead n m =
  agree n m (\xs -> let as = loop as = replicate m 2 for i < m do as with [i] = xs[i] * 3
                    let bs = loop bs = replicate m 0 for i < m do bs with [i] = if i + 1 < m then as[i + 1] * 5 else 1
                    let as = loop as = as for i < m do as with [i] = bs[i] ^ 77
                    in #[sequential] map2 (+) as bs)
-- If the row is empty, the first element is that from before.
entry old_first n m =
  agree n m (\xs -> let as = replicate (m + 1) 8
                    let as = loop as = as for i < m - 1 do as with [i] = xs[i] * 3
                    let x = as[0]
                    let bs = loop bs = replicate m 0 for i < m - 1 do bs with [i] = as[i] ^ x
                    in #[sequential] map (+ x) bs)
entry last n m =
  agree n m (\xs -> let as = sums (twice xs) let x = as[m - 1] in #[sequential] map (\a -> a ^ x) as)
-- The second loop needs what the first one has summed up.
entry total n m =
  agree n m (\xs -> let (as, s) = loop (as, s) = (replicate m 0, 0) for i < m do (as with [i] = s ^ 5, s * 3 + xs[i])
                    in #[sequential] map (\a -> a ^ s) as)
entry conditional n m =
  agree n m (\xs -> let as = loop as = replicate m 4 for i < m do if xs[i] > 0 then as with [i] = xs[i] else as
                    in sums as)
entry far n m =
  agree n m (\xs -> let as = sums (twice xs)
                    in rows m (\i -> as[i] * 3 ^ (if i > 2 then as[i - 3] else 1)))
