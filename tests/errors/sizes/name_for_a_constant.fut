-- SPDX-License-Identifier: Apache-2.0
def width = 42i64
def f : [42]f32 = let k = width in replicate k 0
