-- SPDX-License-Identifier: Apache-2.0
def split (xs: []i32) : ([]i32, []i32) = map (\x -> (x, x + 1)) xs
