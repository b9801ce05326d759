-- SPDX-License-Identifier: Apache-2.0
-- The size of the result is a parameter of the inner function.
def main (ks: []i64) = map (\k -> iota k) ks
