-- SPDX-License-Identifier: Apache-2.0
def f [n] (x: i32) = x
