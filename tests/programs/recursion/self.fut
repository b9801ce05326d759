-- SPDX-License-Identifier: Apache-2.0
-- Functions that call themselves.
-- ==
-- entry: numbers
-- input { 5 } output { 120 5 8 }

def factorial (n: i32) : i32 = if n <= 1 then 1 else n * factorial (n - 1)
def gcd (a: i32) (b: i32) : i32 = if b == 0 then a else gcd b (a % b)
def fibonacci (n: i32) : i32 = if n < 2 then 1 else fibonacci (n - 1) + fibonacci (n - 2)

entry numbers (n: i32) = (factorial n, gcd (n * 4) (n * 3), fibonacci n)

-- On arrays: sizes change from call to call.
-- ==
-- entry: arrays
-- input { [4, 1, 3, 2] } output { 10 [8, 2, 6, 4] }

def halves [n] (xs: [n]i32) : i32 =
  if n == 0
  then 0
  else if n == 1
  then xs[0]
  else halves (take (n / 2) xs) + halves (drop (n / 2) xs)

def repeat [n] (k: i32) (f: i32 -> i32) (xs: [n]i32) : [n]i32 =
  if k == 0 then xs else repeat (k - 1) f (map f xs)

entry arrays (xs: []i32) = (halves xs, repeat 1 (* 2) xs)

-- Inside a map.
-- ==
-- entry: mapped
-- input { [1, 2, 3, 4, 5, 6] } output { [0, 1, 7, 2, 5, 8] }

def collatz (steps: i32) (n: i32) : i32 =
  if n == 1 then steps else collatz (steps + 1) (if n % 2 == 0 then n / 2 else 3 * n + 1)

entry mapped (ns: []i32) = map (collatz 0) ns
