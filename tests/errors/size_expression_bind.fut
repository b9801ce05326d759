-- SPDX-License-Identifier: Apache-2.0
def f (xs: [let x = 2 in x]i32) = xs
