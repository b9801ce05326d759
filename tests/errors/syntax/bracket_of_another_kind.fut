-- SPDX-License-Identifier: Apache-2.0
def f (xs: []i32) : i32 = xs[(0]
