-- SPDX-License-Identifier: Apache-2.0
-- Loops that filter what is left to do.  Their arrays begin as ranges and constants, which the first round need not read
-- from memory: it comes before the loop.

-- What is left by the sieve of Josephus: every k-th of those that are left goes, round by round.
-- ==
-- entry: left
-- input { 10i64 3i64 } output { [0i64, 1i64, 3i64, 4i64, 6i64, 7i64, 9i64] [0i64, 1i64] 5i64 }
-- input { 2i64 3i64 } output { [0i64, 1i64] [0i64, 1i64] 0i64 }
-- input { 0i64 3i64 } output { empty([0]i64) empty([0]i64) 0i64 }
entry left (n: i64) (k: i64) : ([]i64, []i64, i64) =
  let at = iota n
  let first = filter (\x -> x % k != k - 1) at
  let (at, rounds) =
    loop (at, rounds) = (at, 0) while length at >= k do
      (map (.1) (filter (\(i, _) -> i % k != k - 1) (zip (indices at) at)), rounds + 1)
  in (first, at, rounds)

-- Distances in a graph whose neighbours are x / 2 and 2x, from 1 on: the distances are written in place.
-- ==
-- entry: distances
-- input { 8i64 } output { [1i64, 0i64, 1i64, -1i64, 2i64, -1i64, -1i64, -1i64] }
-- input { 2i64 } output { [1i64, 0i64] }
entry distances (n: i64) : [n]i64 =
  let (_, far, _) =
    loop (border, far, d) = (replicate 1 1i64, replicate n (-1), 0) while length border > 0 do
      let far = scatter far border (map (const d) border)
      let near = flatten (map (\x -> [x / 2, 2 * x]) border)
      in (filter (\x -> x < n && far[x] < 0) near, far, d + 1)
  in far

-- The first round fails as all others would.
-- ==
-- entry: fails
-- input { [1i64, 2i64, 3i64] 3i64 } output { 2i64 }
-- input { [1i64, 2i64, 3i64] 4i64 } error: out of bounds
-- input { [0i64, 0i64, 0i64] 4i64 } error: out of bounds
-- input { [1i64, 2i64, 3i64] 0i64 } output { 0i64 }
entry fails (xs: []i64) (n: i64) : i64 =
  let (_, rounds) =
    loop (at, rounds) = (iota n, 0i64) while length at > 1 do
      (filter (\x -> xs[x] > 1 + rounds) at, rounds + 1)
  in rounds
