-- SPDX-License-Identifier: Apache-2.0
def count (xs: []f32) : i32 = length xs
