-- SPDX-License-Identifier: Apache-2.0
-- Quicksort of all parts at once: in every round each part is split at its first element.
-- A part is known by where it begins; `done` marks parts in which all elements are equal.
def step [n] (xs: [n]i32) (begins: [n]i64) : (*[n]i32, *[n]i64, bool) =
  let pivots = map (\b -> xs[b]) begins
  let kinds = map2 (\x p -> if x < p then (1i64, 0i64) else if x == p then (0, 1) else (0, 0)) xs pivots
  let add (a, b) (c, d) = (a + c, b + d)
  let sums = scan add (0, 0) kinds
  let before i = if i == 0 then (0, 0) else sums[i - 1]
  -- The number of smaller and equal elements of each part, kept at its beginning.
  let ends = scatter (replicate n 0i64) (map2 (\i b -> if i == n - 1 || begins[i + 1] != b then b else -1) (iota n) begins)
                     (map (+ 1) (iota n))
  let place i x b =
    let (lb, eb) = before b
    let (le, ee) = sums[ends[b] - 1]
    let (less, equal) = (le - lb, ee - eb)
    let (l, e) = before i
    let p = pivots[i]
    in if x < p then (b + (l - lb), b)
       else if x == p then (b + less + (e - eb), b + less)
       else let rank = (i - b) - (l - lb) - (e - eb)
            in (b + less + equal + rank, b + less + equal)
  let (targets, parts) = unzip (map3 place (iota n) xs begins)
  let new = scatter (replicate n 0i32) targets xs
  let new_begins = scatter (replicate n 0i64) targets parts
  let sorted = all (\i -> new[i] <= new[i + 1]) (iota (n - 1))
  in (new, new_begins, sorted)

def main [n] (xs: [n]i32) : [n]i32 =
  let (xs, _, _) =
    loop (xs, begins, done) = (copy xs, replicate n 0i64, n < 2) while !done do step xs begins
  in xs
