-- SPDX-License-Identifier: Apache-2.0
-- Calls on more elements than are left to one thread: their kernels run on all threads, and so do the calls.
-- ==
-- compiled no_opencl input { 3000000i64 } output { true }
-- input { 3000i64 } output { true }
-- input { 0i64 } output { true }

def sorted [n] (keys: [n]i64) : []i64 =
  if n < 2
  then keys
  else let pivot = keys[n / 2]
       let (less, same, more) = partition2 (< pivot) (== pivot) keys
       in sorted less ++ same ++ sorted more

def main (n: i64) : bool =
  let keys = map (\i -> (i * 7919 + 17) % (n + 1)) (iota n)
  let result = sorted keys
  let count = length result
  in count == n
     && i64.sum result == i64.sum keys
     && and (map (\i -> i == 0 || result[i - 1] <= result[i]) (iota count))

-- A call that fails inside of another one that runs beside it.
-- ==
-- entry: fails
-- compiled no_opencl input { 2500000i64 } error: division by zero
def halves [n] (xs: [n]i64) : i64 =
  if n < 1000
  then i64.sum (map (\x -> 1000 / x) xs)
  else let doubled = map (+ 1) xs
       in halves doubled[:n / 2] + halves doubled[n / 2:]

entry fails (n: i64) : i64 = halves (map (\i -> i - n / 2) (iota n))
