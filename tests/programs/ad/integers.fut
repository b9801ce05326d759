-- SPDX-License-Identifier: Apache-2.0
-- Integers have derivatives as far as their arithmetic goes; booleans have none.
-- ==
-- entry: power
-- input { 5 3 } output { 75 75 }
-- ==
-- entry: mixed
-- input { 3i64 2.0 } output { 9.0 [0i64, 0i64] 3.0 }
-- ==
-- entry: flags
-- input { true 2.0 } output { 6.0 false 3.0 }

entry power (x: i32) (n: i32) : (i32, i32) =
  let f x = loop y = 1 for _i < n do y * x
  in (jvp f x 1, vjp f x 1)

-- The index of an element has no influence on it, as far as derivatives go.
entry mixed (n: i64) (x: f64) : (f64, [2]i64, f64) =
  let f (k: [2]i64, x: f64) = x * f64.i64 n + [1.0, 2.0, 3.0][k[0]]
  let (y, (dk, dx)) = vjp2 f ([2, 0], x) 1
  in (y, dk, dx)

entry flags (b: bool) (x: f64) : (f64, bool, f64) =
  let f (b: bool, x: f64) = if b then 3 * x else x
  let (y, (db, dx)) = vjp2 f (b, x) 1
  in (y, db, dx)
