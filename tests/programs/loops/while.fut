-- SPDX-License-Identifier: Apache-2.0
-- `while` tests before every iteration.

-- ==
-- entry: collatz
-- input { 1i32 } output { 0i32 }
-- input { 6i32 } output { 8i32 }
-- input { 27i32 } output { 111i32 }
entry collatz (n: i32) : i32 =
  let (_, steps) =
    loop (x, steps) = (n, 0) while x != 1 do
      (if x % 2 == 0 then x / 2 else 3 * x + 1, steps + 1)
  in steps

-- ==
-- entry: gcd
-- input { 48i32 18i32 } output { 6i32 }
-- input { 17i32 5i32 } output { 1i32 }
-- input { 7i32 0i32 } output { 7i32 }
entry gcd (a: i32) (b: i32) : i32 = (loop (a, b) while b != 0 do (b, a % b)).0

-- ==
-- entry: square_root
-- input { 2f64 } output { 1.414213562373095f64 }
-- input { 144f64 } output { 12f64 }
entry square_root (x: f64) : f64 =
  loop y = x while f64.abs (y * y - x) > 1e-9 do (y + x / y) / 2
