-- SPDX-License-Identifier: Apache-2.0
-- A scalar is never consumed.
def f (x: *i32) : i32 = x + 1
