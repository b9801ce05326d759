-- SPDX-License-Identifier: Apache-2.0
def same (xs: []i32) : *[]i32 = xs
