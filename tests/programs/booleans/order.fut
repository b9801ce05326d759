-- SPDX-License-Identifier: Apache-2.0
-- Booleans are ordered: false is smaller.

-- ==
-- input { false true } output { true true false false }
-- input { true false } output { false false true true }
-- input { true true } output { false true false true }
entry main (x: bool) (y: bool) : (bool, bool, bool, bool) = (x < y, x <= y, x > y, x >= y)
