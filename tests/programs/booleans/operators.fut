-- SPDX-License-Identifier: Apache-2.0
-- Truth tables.

-- ==
-- input { true true } output { true true false true false false }
-- input { true false } output { false true true false false true }
-- input { false true } output { false true true false true false }
-- input { false false } output { false false false true true true }
entry main (x: bool) (y: bool) : (bool, bool, bool, bool, bool, bool) = (x && y, x || y, x != y, x == y, !x, not y)
