-- SPDX-License-Identifier: Apache-2.0
def decrease (xs: []i32) : []i32 = map (-1) xs
