-- SPDX-License-Identifier: Apache-2.0
def f (xs: [3]i32) = xs with [0] = 1
