-- SPDX-License-Identifier: Apache-2.0
// twice
def f (x: i32) = 2 * x
