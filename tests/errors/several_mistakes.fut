-- SPDX-License-Identifier: Apache-2.0
-- One run reports more than one mistake.
def f (x: i32) = x +
def g (x: i32 = x
def h (x: i32) = x + 1
def k = [1, 2
