-- SPDX-License-Identifier: Apache-2.0
-- Loops of a lane that may fail: what fails first in the program is what is said.
-- ==
-- entry: first_loop
-- input { 0i64 -1i64 } output { 8389358i32 }
-- input { 3i64 -1i64 } error: Index \[-7\] out of bounds
-- ==
-- entry: second_loop
-- input { -1i64 0i64 } output { 1376070340i32 }
-- input { -1i64 3i64 } error: Index \[-9\] out of bounds
-- ==
-- entry: both_loops
-- input { -1i64 -1i64 } output { -1066616974i32 }
-- input { 30i64 3i64 } error: Index \[-7\] out of bounds
-- input { -1i64 3i64 } error: Index \[-9\] out of bounds
-- input { 30i64 -1i64 } error: Index \[-7\] out of bounds
-- ==
-- entry: between
-- input { -1i64 -1i64 } output { -1415082636i32 }
-- input { -1i64 3i64 } error: Index \[-9\] out of bounds

def width = 40i64
def table = map (\i -> i32.i64 (i * i)) (iota 100)

-- One index of row 21 is wrong, `a` in the first loop and `b` in the second.
def index (row: i64) (i: i64) (wrong: i64) (bad: i64) = if row == 21 && i == wrong then bad else (row * 7 + i) % 100

def sums [m] (xs: [m]i32) = #[sequential] scan (\a b -> a * 5 ^ b) 1 xs

def made (first: i64 -> i64 -> i32) (second: i64 -> i64 -> i32) : i32 =
  let yss =
    map (\row -> let as = sums (#[sequential] tabulate width (first row))
                 let bs = sums (#[sequential] tabulate width (\i -> as[i] ^ second row i))
                 in #[sequential] map2 (+) bs as)
        (iota 37)
  in i32.sum (map i32.sum (opaque yss))

entry first_loop (a: i64) (_: i64) =
  made (\row i -> table[index row i (if a == 3 then 3 else -1) (-7)]) (\row i -> i32.i64 (row * i))
entry second_loop (_: i64) (b: i64) =
  made (\row i -> i32.i64 (row * i)) (\row i -> table[index row i (if b == 3 then 3 else -1) (-9)])
entry both_loops (a: i64) (b: i64) =
  made (\row i -> table[index row i a (-7)]) (\row i -> table[index row i b (-9)])
entry between (a: i64) (b: i64) =
  let yss =
    map (\row -> let as = sums (#[sequential] tabulate width (\i -> table[index row i a (-7)]))
                 let x = table[index row 3 b (-9)]
                 in #[sequential] map (\y -> y ^ x) as)
        (iota 37)
  in i32.sum (map i32.sum (opaque yss))
