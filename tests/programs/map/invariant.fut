-- SPDX-License-Identifier: Apache-2.0
-- What does not depend on the element is the same for all of them.

-- ==
-- input { [1i32, 2i32, 3i32] 5i32 } output { [126i32, 252i32, 378i32] [6i32, 6i32, 6i32] }
entry main [n] (xs: [n]i32) (k: i32) : ([n]i32, [n]i32) =
  unzip (map (\x -> let big = k * k * k + 1 in (x * big, reduce (+) 0 xs)) xs)
