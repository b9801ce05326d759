-- SPDX-License-Identifier: Apache-2.0
-- A map of histograms, in the memory of groups: each row has bins of its own, of an operator that is an instruction, a swap or a lock;
-- counters of 64 bits; several histograms at once.

-- ==
-- entry: counts products pairs together
-- input { 0i64 10i64 4i64 } output { true }
-- input { 5i64 0i64 4i64 } output { true }
-- input { 5i64 100i64 0i64 } output { true }
-- input { 5i64 100i64 7i64 } output { true }
-- compiled input { 3i64 20000i64 300i64 } output { true }
-- compiled input { 300i64 50i64 5i64 } output { true }
def bin (i: i64) (j: i64) (k: i64) = (i * 7 + j * j) % (k + 2) - 1

def fold 'a (n: i64) (m: i64) (k: i64) (start: a) (op: a -> i64 -> i64 -> a) (same: a -> i64 -> i64 -> bool) : bool =
  let wanted (i: i64) (b: i64) = loop x = start for j < m do if bin i j k == b then op x i j else x
  in and (flatten (tabulate_2d n k (\i b -> same (wanted i b) i b)))

entry counts (n: i64) (m: i64) (k: i64) : bool =
  let found = tabulate n (\i -> hist (+) 0i64 k (map (\j -> bin i j k) (iota m)) (replicate m 1))
  in fold n m k 0i64 (\c _ _ -> c + 1) (\c i b -> found[i, b] == c)

def factor (i: i64) (j: i64) = i32.i64 ((i + j) % 3 * 2 + 1)
entry products (n: i64) (m: i64) (k: i64) : bool =
  let found = tabulate n (\i -> hist (*) 1i32 k (map (\j -> bin i j k) (iota m)) (map (factor i) (iota m)))
  in fold n m k 1i32 (\c i j -> c * factor i j) (\c i b -> found[i, b] == c)

def larger (a: i64, x: i64) (b: i64, y: i64) = if x > y || (x == y && a < b) then (a, x) else (b, y)
def element (i: i64) (j: i64) = (j, (i * 31 + j * 17) % 101)
entry pairs (n: i64) (m: i64) (k: i64) : bool =
  let found = tabulate n (\i -> hist larger (i64.highest, i64.lowest) k (map (\j -> bin i j k) (iota m)) (map (element i) (iota m)))
  in fold n m k (i64.highest, i64.lowest) (\c i j -> larger c (element i j)) (\c i b -> found[i, b] == c)

entry together (n: i64) (m: i64) (k: i64) : bool =
  let found = tabulate n (\i ->
    let at = map (\j -> bin i j k) (iota m)
    in (hist (+) 0i64 k at (replicate m 1), hist (+) 0f32 k at (map (\j -> f32.i64 (j % 5)) (iota m))))
  let (counts, sums) = unzip found
  in fold n m k (0i64, 0i64) (\(c, s) _ j -> (c + 1, s + j % 5)) (\(c, s) i b -> counts[i, b] == c && sums[i, b] == f32.i64 s)
