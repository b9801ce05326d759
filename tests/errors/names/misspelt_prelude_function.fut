-- SPDX-License-Identifier: Apache-2.0
def total (xs: []i32) : i32 = redcue (+) 0 xs
