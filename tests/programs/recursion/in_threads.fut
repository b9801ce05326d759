-- SPDX-License-Identifier: Apache-2.0
-- Functions that call themselves, inside threads: what is needed after a call is kept, whatever its type.
-- ==
-- entry: kinds
-- input { [5i32, 0i32, 3i32] } output { [120f32, 1f32, 6f32] [15i64, 0i64, 6i64] [true, false, true] [5i8, 0i8, 3i8] }
-- ==
-- entry: inside_loops
-- input { [4i64, 0i64, 2i64, 5i64] } output { [19i64, 1i64, 4i64, 38i64] }
-- ==
-- entry: own_arrays
-- input { [5i64, 0i64, 3i64] } output { [[0i64, 1i64, 3i64, 6i64], [0i64, 0i64, 0i64, 0i64], [0i64, 1i64, 3i64, 6i64]] }
-- ==
-- entry: parts
-- input { [4i64, 1i64, 3i64, 2i64, 9i64] } output { [19i64, 15i64, 14i64, 11i64, 9i64] }
-- ==
-- entry: one_call
-- input { [4i64, 1i64, 3i64, 2i64, 9i64] } output { 19i64 9i64 }
-- ==
-- entry: two_of_them
-- input { [7i64, 1i64, 4i64] } output { [21i64, 1i64, 9i64] }
-- ==
-- entry: deep
-- input { [1i64, 20000i64] } output { [1i64, 20000i64] }
-- ==
-- entry: operators
-- input { [12i64, 18i64, 30i64] } output { 6i64 [12i64, 6i64, 6i64] }
-- ==
-- entry: failing
-- input { [1i64, 2i64] [3i64, 4i64] } output { [3i64, 7i64] }
-- input { [1i64, 3i64] [3i64, 4i64] } error: out of bounds

-- Four results of four types, with a multiplication after the call.
def counted (n: i32) (is_odd: bool) (small: i8) : (f32, i64, bool, i8) =
  if n == 0
  then (1, 0, is_odd, small)
  else let (product, sum, odd, byte) = counted (n - 1) (!is_odd) small
       in (product * f32.i32 n, sum + i64.i32 n, odd, byte + 1)

entry kinds (ns: []i32) : ([]f32, []i64, []bool, []i8) =
  unzip4 (map (\n -> counted n false 0) ns)

-- Calls in a loop, whose number differs; the loop's variables are kept.
def ways (n: i64) : i64 =
  if n <= 1 then 1
  else loop sum = 1 for i < n do
         let here = ways i
         let step = if i % 2 == 0 then here else here + i
         in sum + step

entry inside_loops (ns: []i64) : []i64 = map ways ns

-- An array of the thread's own in each call.
def filled (k: i64) (n: i64) : [4]i64 =
  if k == 0 then replicate 4 0
  else let before = filled (k - 1) (n / 1)
       let mine = [k, before[0], before[1], before[2]]
       in if k < 4 then before with [k] = mine[0] + before[k - 1] else before

entry own_arrays (ns: []i64) : [][4]i64 = map (\n -> filled n n) ns

-- Parts of an array, two calls one after the other, of which the second needs the first one's result.
def best [n] (xs: [n]i64) (most: i64) : i64 =
  if n == 0 then most
  else let h = n / 2
       let here = most + xs[h]
       let left = best (take h xs) here
       in best (drop (h + 1) xs) left

entry parts (xs: []i64) : []i64 =
  map (\k -> best xs[k:] 0) (indices xs)

-- From the host: one call, which reads an array of the device.
entry one_call (xs: []i64) : (i64, i64) = (best xs 0, best (take 2 (reverse xs)) (-2))

-- One recursive function calls another one.
def halved (n: i64) : i64 = if n == 0 then 0 else 1 + halved (n / 2)
def sums (n: i64) : i64 =
  if n <= 1 then n else sums (n - 1) + halved n + sums (n / 4)

entry two_of_them (ns: []i64) : []i64 = map sums ns

-- More calls than a thread's memory was guessed to hold.
def count (n: i64) : i64 = if n == 0 then 0 else 1 + count (n - 1)
entry deep (ns: []i64) : []i64 = map count ns

def gcd (a: i64) (b: i64) : i64 = if b == 0 then a else gcd b (a % b)
entry operators (ns: []i64) : (i64, []i64) = (reduce gcd 0 ns, scan gcd 0 ns)

-- A check that fails deep inside.
def walk [n] (xs: [n]i64) (k: i64) : i64 = if k == 0 then 0 else walk xs (k - 1) + xs[k - 1]
entry failing (ks: []i64) (xs: []i64) : []i64 = map (walk xs) ks
