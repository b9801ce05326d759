-- SPDX-License-Identifier: Apache-2.0
def first (a: [10]i32) : i32 = a.[0]
