-- SPDX-License-Identifier: Apache-2.0
type shape = #circle f32 | #square f32
def area (s: shape) : f32 = match s case #circle r -> 3.14 * r * r
