-- SPDX-License-Identifier: Apache-2.0
-- Making the function consumes an array.
def apply (f: i32 -> i32) (x: i32) = f x
def consume (xs: *[3]i32) (x: i32) : i32 = x
def main (xs: *[3]i32) (x: i32) = apply (consume xs) x
