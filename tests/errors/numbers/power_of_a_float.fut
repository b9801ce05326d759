-- SPDX-License-Identifier: Apache-2.0
def square (x: f32) : f32 = x ^ 2
