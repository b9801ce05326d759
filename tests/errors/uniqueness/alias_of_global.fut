-- SPDX-License-Identifier: Apache-2.0
-- A function may not hand out a global array.
def table : [3]i32 = [1, 2, 3]
def main (x: i32) = if x > 0 then table else table
