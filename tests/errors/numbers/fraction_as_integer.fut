-- SPDX-License-Identifier: Apache-2.0
def halves (n: i64) : [n]i32 = replicate n 0.5
