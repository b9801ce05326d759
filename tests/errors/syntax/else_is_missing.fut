-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) = if x > 0 then x
def g = 1i32
