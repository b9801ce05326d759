-- SPDX-License-Identifier: Apache-2.0
-- The function may be called many times, but the array can be consumed once.
def consume (xs: *[3]i32) (x: i32) : i32 = x
def main (xs: *[3]i32) (x: i32) =
  let f = consume xs
  in f x + f x
