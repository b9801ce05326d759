-- SPDX-License-Identifier: Apache-2.0
def triangle (n: i64) = map (\i -> iota i) (iota n)
