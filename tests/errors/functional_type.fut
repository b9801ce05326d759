-- SPDX-License-Identifier: Apache-2.0
def f (b: bool) = if b then \x -> x + 1i32 else \x -> x
