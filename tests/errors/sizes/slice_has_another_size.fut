-- SPDX-License-Identifier: Apache-2.0
def tail_sums [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs[1:]
