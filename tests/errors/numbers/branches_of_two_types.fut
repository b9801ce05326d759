-- SPDX-License-Identifier: Apache-2.0
def f (b: bool) (n: i32) (x: f32) = if b then x else n
