-- SPDX-License-Identifier: Apache-2.0
def pairs [n] (xs: [n]i32) = zip xs (filter (> 0) xs)
