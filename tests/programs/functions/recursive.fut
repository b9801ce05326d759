-- SPDX-License-Identifier: Apache-2.0
-- Functions that call themselves, also with arrays and inside of map.
-- ==
-- entry: factorials
-- input { [0i64, 1i64, 5i64, 10i64] } output { [1i64, 1i64, 120i64, 3628800i64] }
-- ==
-- entry: powers
-- input { 3i64 5i64 } output { 243i64 }

def factorial (n: i64) : i64 = if n < 2 then 1 else n * factorial (n - 1)
entry factorials (ns: []i64) : []i64 = map factorial ns

def power (x: i64) (n: i64) : i64 =
  if n == 0
  then 1
  else let half = power x (n / 2)
       in if n % 2 == 0 then half * half else half * half * x
entry powers (x: i64) (n: i64) : i64 = power x n
