-- SPDX-License-Identifier: Apache-2.0
-- foldl and foldr go through the elements one after the other.

-- ==
-- input { [1i32, 2i32, 3i32] } output { 123i32 321i32 }
-- input { empty([0]i32) } output { 0i32 0i32 }
entry main [n] (xs: [n]i32) : (i32, i32) = (foldl (\a x -> a * 10 + x) 0 xs, foldr (\x a -> a * 10 + x) 0 xs)
