-- SPDX-License-Identifier: Apache-2.0
def safe_div (x: i32) (y: i32) = if y == 0 then #none else #some (x / y)
