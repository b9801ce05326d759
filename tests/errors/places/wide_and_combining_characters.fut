-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) = ("日本語 é", x + true)
