-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) : f32 = x * 0.5
