-- SPDX-License-Identifier: Apache-2.0
-- The sum of a vector.
entry main [n] (xs: [n]f32) : f32 = reduce (+) 0 xs
