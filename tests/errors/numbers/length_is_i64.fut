-- SPDX-License-Identifier: Apache-2.0
def mean [n] (xs: [n]f32) : f32 = f32.sum xs / n
