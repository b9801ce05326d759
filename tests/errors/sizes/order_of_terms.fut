-- SPDX-License-Identifier: Apache-2.0
def push [n] (x: i32) (xs: [n]i32) : [n + 1]i32 = [x] ++ xs
