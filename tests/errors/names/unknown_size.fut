-- SPDX-License-Identifier: Apache-2.0
def first (xs: [k]i32) : i32 = xs[0]
