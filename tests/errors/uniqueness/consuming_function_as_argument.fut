-- SPDX-License-Identifier: Apache-2.0
-- `twice` does not know that its function consumes.
def twice (f: [3]i32 -> [3]i32) (xs: [3]i32) : [3]i32 = f (f xs)
def first (xs: *[3]i32) : *[3]i32 = xs with [0] = 1
def main (xs: [3]i32) = twice first xs
