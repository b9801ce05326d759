-- SPDX-License-Identifier: Apache-2.0
-- Branches and loops behind a check, in maps whose instances differ: the check is run for all instances first.
-- ==
-- entry: branches loops whiles same_bound
-- input { [0i64, 1i64, 2i64, 5i64, 9i64] } output { true }
-- input { empty([0]i64) } output { true }
-- input { [4i64, -3i64, 2i64] } error: Assertion is false

def branch (n: i64) : i64 =
  let xs = iota (i64.max n 0)
  in assert (n >= 0) (if n % 2 == 0 then i64.sum (filter (\x -> x % 3 != 0) xs) else i64.sum (map (\x -> x * n) xs))

def rounds (n: i64) : i64 =
  assert (n >= 0) (loop s = n for i < n do s + i64.sum (filter (\x -> x % 3 != i) (iota (i64.max n 0))))

def until (n: i64) : i64 =
  assert (n >= 0) (loop s = n while s < 10 do s + 1 + i64.sum (filter (\x -> x % 3 != s) (iota (i64.max n 0))))

def three (n: i64) : i64 =
  assert (n >= 0) (loop s = n for i < 3 do s + i64.sum (filter (\x -> x % 3 != i) (iota (i64.max n 0))))

def same [n] (f: i64 -> i64) (ns: [n]i64) : bool =
  and (map2 (==) (#[flattening(only_inner)] map f ns) (opaque (#[sequential] map f ns)))

entry branches (ns: []i64) : bool = same branch ns
entry loops (ns: []i64) : bool = same rounds ns
entry whiles (ns: []i64) : bool = same until ns
entry same_bound (ns: []i64) : bool = same three ns
