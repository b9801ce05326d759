-- SPDX-License-Identifier: Apache-2.0
def add (a: i32) (b: i64) : i64 = a + b
