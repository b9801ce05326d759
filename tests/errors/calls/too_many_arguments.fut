-- SPDX-License-Identifier: Apache-2.0
def add (a: i32) (b: i32) : i32 = a + b
def main (x: i32) : i32 = add x 1 2
