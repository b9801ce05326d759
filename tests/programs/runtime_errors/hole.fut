-- SPDX-License-Identifier: Apache-2.0
-- A hole has any type; only evaluating it is an error.
-- ==
-- input { 1 } output { 2 }
-- input { 0 } error: hole of type

def main (x: i32) : i32 = if x > 0 then x + 1 else ???
