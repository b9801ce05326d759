-- SPDX-License-Identifier: Apache-2.0
-- There are no rows here.
def apply 'a 'b (f: a -> b) (x: a) = f x
def u [n] (xs: [n]i32) = apply (filter (> 0)) xs
