-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) : i32 = x.abs
