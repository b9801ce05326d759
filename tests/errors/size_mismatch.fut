-- SPDX-License-Identifier: Apache-2.0
def add [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs ys
