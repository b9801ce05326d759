-- SPDX-License-Identifier: Apache-2.0
def main (xs: *[]i32) (is: []i64) = map (\i -> xs with [i] = 0) is
