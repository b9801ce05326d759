-- SPDX-License-Identifier: Apache-2.0
-- More memory than there is: a message, wherever the array is made.
-- ==
-- entry: plain looped grown shared
-- compiled input { 1000000000000i64 } error: Out of memory: the program asked for [0-9]+ bytes.*out_of_memory.fut:[0-9]+:

-- ==
-- entry: plain looped shared
-- compiled input { 2305843009213693952i64 } error: Out of memory: the program asked for more than 9223372036854775807 bytes

-- ==
-- entry: in_a_map in_rows in_lanes scanned
-- compiled input { 1000000000000i64 6i64 } error: Out of memory: the program asked for [0-9]+ bytes.*out_of_memory.fut:[0-9]+:
-- compiled input { 1000000000000i64 1000i64 } error: Out of memory: the program asked for [0-9]+ bytes.*out_of_memory.fut:[0-9]+:
-- compiled input { 1000000000000i64 3i64 } auto output

entry plain (n: i64) : f64 =
  let xs = opaque (replicate n 1)
  in xs[n - 1]

entry looped (n: i64) : f64 =
  loop x = 0 for i < 10i64 do
    let xs = opaque (map f64.i64 (iota (if i == 7 then n else 10)))
    in x + xs[0]

entry grown (n: i64) : i64 = length (loop xs = [1f64] for _i < n do opaque (flatten (replicate 1000000 xs)))

-- What was made before is given back.
entry shared (n: i64) : (f64, f64) =
  let xs = opaque (replicate 1000 1f64)
  let ys = opaque (scan (+) 0 (rotate 3 xs))
  let zs = opaque (map (\i -> xs[i % 1000] + ys[i % 1000]) (iota n))
  in (zs[0], ys[5])

-- Only iteration 5 asks for too much.
entry in_a_map (n: i64) (m: i64) : []f64 =
  map (\i -> let xs = opaque (scan (+) 0 (replicate (if i == 5 then n else 3) (f64.i64 i))) in xs[0]) (iota m)

entry in_rows (n: i64) (m: i64) : []i64 =
  map (\i -> let xs = filter (\j -> j % 3 != i) (iota (if i == 5 then n else 4)) in xs[0]) (iota m)

entry in_lanes (n: i64) (m: i64) : []f64 =
  map (\i ->
    let k = if i == 5 then n else 3
    let xs = loop xs = replicate k 0 for j < 3i64 do xs with [j] = f64.i64 (i + j)
    in xs[2]) (iota m)

entry scanned (n: i64) (m: i64) : []f64 =
  scan (+) 0 (map (\i ->
    let k = if i == 5 then n else 3
    let xs = loop xs = replicate k 0 for j < 3i64 do xs with [j] = f64.i64 (i + j)
    in xs[2]) (iota m))
