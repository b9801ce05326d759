-- SPDX-License-Identifier: Apache-2.0
def double [n] (xs: [n]i32) : [n]i32 = xs ++ xs
