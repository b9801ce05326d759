-- SPDX-License-Identifier: Apache-2.0
def odd (xs: []i32) = filter (\x -> x % 2) xs
