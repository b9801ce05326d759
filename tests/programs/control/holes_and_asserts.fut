-- SPDX-License-Identifier: Apache-2.0
-- A hole that is not reached does no harm; asserts that hold neither.
-- ==
-- input { 3 } output { 9 }
-- input { 0 } error: Assertion is false
-- input { 200 } error: hole
def main (x: i32) : i32 = assert (x > 0) (if x > 100 then ??? else x * x)
