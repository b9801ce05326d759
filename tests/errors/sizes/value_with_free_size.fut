-- SPDX-License-Identifier: Apache-2.0
-- A value without parameters, but with a size of the caller's choice and one of its own.
def f [n] : ?[m].([n]i32, [m]i32) = (replicate n 0, filter (> 0) [1, 2])
