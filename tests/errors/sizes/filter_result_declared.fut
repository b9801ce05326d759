-- SPDX-License-Identifier: Apache-2.0
def positive [n] (xs: [n]i32) : [n]i32 = filter (> 0) xs
