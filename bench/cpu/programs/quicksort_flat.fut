-- SPDX-License-Identifier: Apache-2.0
-- Quicksort of all parts at once: in every round each part is split at its first element.
-- A part is known by where it begins.  Two counts are halves of one number: how many elements are
-- smaller than their pivot, and (times 2**32) how many are equal to it.
def counted (x: i32) (pivot: i32) : i64 =
  if x < pivot then 1 else if x == pivot then 1 << 32 else 0

def smaller (counts: i64) = counts & 0xffff_ffff
def equal (counts: i64) = counts >> 32

def step [n] (xs: [n]i32) (begins: [n]i64) : (*[n]i32, *[n]i64, bool) =
  let pivots = map (\b -> xs[b]) begins
  let sums = scan (+) 0 (map2 counted xs pivots)
  -- The counts up to the end of each part, kept at its beginning.
  let ends = map2 (\i b -> if i == n - 1 || begins[i + 1] != b then b else -1) (iota n) begins
  let totals = scatter (replicate n 0i64) ends sums
  -- The first element of a part is its pivot: both counts begin after it.
  let place i x b =
    let part = totals[b] - sums[b]
    let here = sums[i] - sums[b]
    let p = xs[b]
    in if x < p then (b + smaller here - 1, b)
       else if x == p then (b + smaller part + equal here, b + smaller part)
       else let others = smaller part + equal part
            in (others + i - smaller here - equal here, b + others + 1)
  let (targets, parts) = unzip (map3 place (iota n) xs begins)
  let new = scatter (replicate n 0i32) targets xs
  let new_begins = scatter (replicate n 0i64) targets parts
  let sorted = all (\i -> new[i] <= new[i + 1]) (iota (n - 1))
  in (new, new_begins, sorted)

def main [n] (xs: [n]i32) : [n]i32 =
  let (xs, _, _) =
    loop (xs, begins, done) = (copy xs, replicate n 0i64, n < 2) while !done do step xs begins
  in xs
