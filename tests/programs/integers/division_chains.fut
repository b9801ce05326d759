-- SPDX-License-Identifier: Apache-2.0
-- Division and remainder fit together: (x / y) * y + x % y is x again, and so for // and %%.

-- ==
-- input { 17i32 5i32 } output { true true }
-- input { -17i32 5i32 } output { true true }
-- input { 17i32 -5i32 } output { true true }
-- input { -17i32 -5i32 } output { true true }
-- input { 2147483647i32 2i32 } output { true true }
-- input { -2147483648i32 3i32 } output { true true }
entry main (x: i32) (y: i32) : (bool, bool) =
  ((x / y) * y + x % y == x, (x // y) * y + x %% y == x)
