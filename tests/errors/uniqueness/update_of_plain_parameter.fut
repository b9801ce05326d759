-- SPDX-License-Identifier: Apache-2.0
def clear (xs: []i32) : []i32 = xs with [0] = 0
