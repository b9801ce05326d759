-- SPDX-License-Identifier: Apache-2.0
def count (xs: []i32) : i64 = xs.length
