-- SPDX-License-Identifier: Apache-2.0
-- Building an array element by element.

-- ==
-- entry: fibonacci
-- input { 10i64 } output { [0i64, 1i64, 1i64, 2i64, 3i64, 5i64, 8i64, 13i64, 21i64, 34i64] }
-- input { 2i64 } output { [0i64, 1i64] }
entry fibonacci (n: i64) : [n]i64 =
  let start = replicate n 0 with [1] = 1
  in loop fib = start for i < n - 2 do fib with [i + 2] = fib[i] + fib[i + 1]

-- The sieve of Eratosthenes.
-- ==
-- entry: primes
-- input { 20i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64] }
entry primes (n: i64) : []i64 =
  let start = replicate n true with [0] = false with [1] = false
  let flags =
    loop flags = start for i < n do
      if i >= 2 && i * i < n && flags[i]
      then loop flags for k < (n - 1) / i - 1 do flags with [(k + 2) * i] = false
      else flags
  in filter (\i -> flags[i]) (iota n)
