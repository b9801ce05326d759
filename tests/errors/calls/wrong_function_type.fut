-- SPDX-License-Identifier: Apache-2.0
def f (xs: []i32) : []bool = map (\x -> x + 1) xs
