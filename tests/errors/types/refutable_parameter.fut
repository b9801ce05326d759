-- SPDX-License-Identifier: Apache-2.0
-- A parameter must fit every value.
def f (1: i32) : i32 = 2
def main (x: #a | #b) = let #a = x in 0i32
