-- SPDX-License-Identifier: Apache-2.0
-- f64: the four operations, and that they keep 53 bits.

-- ==
-- entry: arith
-- input { 1.5f64 0.25f64 } output { 1.75f64 1.25f64 0.375f64 6f64 }
-- input { 1e300f64 1e300f64 } output { 2e300f64 0f64 f64.inf 1f64 }
-- input { 1f64 3f64 } output { 4f64 -2f64 3f64 0.3333333333333333f64 }
entry arith (x: f64) (y: f64) : (f64, f64, f64, f64) = (x + y, x - y, x * y, x / y)

-- ==
-- entry: exact
-- input { } output { false true true }
entry exact : (bool, bool, bool) =
  (0.1f64 + 0.2f64 == 0.3f64, 0.5f64 + 0.25f64 == 0.75f64, 9007199254740992f64 + 1f64 == 9007199254740992f64)

-- ==
-- entry: power
-- input { 2f64 0.5f64 } output { 1.4142135623730951f64 }
-- input { 10f64 -2f64 } output { 0.01f64 }
entry power (x: f64) (y: f64) : f64 = x ** y
