-- SPDX-License-Identifier: Apache-2.0
-- Kernels with an operator or a predicate that calls itself (they ran on the host of a device once), between kernels
-- that run on the device: arrays go from one memory to the other.
-- ==
-- entry: columns
-- input { [[4i64, 6i64, 9i64], [10i64, 3i64, 12i64]] } output { [4i64, 10i64] [10i64] 1i64 }
-- ==
-- entry: column
-- input { 2i64 [[4i64, 6i64], [10i64, 3i64], [8i64, 1i64]] } output { [[4i64, 4i64], [10i64, 2i64], [8i64, 2i64]] }
-- input { 0i64 [[4i64, 6i64], [10i64, 3i64]] } output { [[4i64, 4i64], [10i64, 10i64]] }
-- ==
-- entry: rounds
-- input { 0i64 [1i64, 2i64, 3i64, 4i64] } output { [1i64, 2i64, 3i64, 4i64] [1i64, 2i64, 3i64, 4i64] }
-- input { 3i64 [1i64, 2i64, 3i64, 4i64] } output { [3i64, 4i64, 5i64, 6i64] [1i64, 2i64, 3i64, 4i64] }
-- ==
-- entry: turns
-- input { 2i64 [6i64, 4i64] } output { [12i64, 10i64] 4i64 }
-- input { 0i64 [6i64, 4i64] } output { [6i64, 4i64] 2i64 }
-- ==
-- entry: chosen
-- input { true [5i64, 2i64, 8i64] } output { [2i64, 8i64, 5i64, 2i64, 8i64] [2i64, 8i64, 7i64] }
-- input { false [5i64, 2i64, 8i64] } output { [6i64, 3i64, 9i64, 5i64, 2i64, 8i64] [6i64, 3i64, 9i64, 7i64] }
-- ==
-- entry: failing
-- input { [5i64, 2i64, 8i64] 1i64 } output { 2i64 }
-- input { [5i64, 2i64, 8i64] 2i64 } error: out of bounds

def even (n: i64) : bool = if n <= 0 then n == 0 else even (n - 2)
def gcd (a: i64) (b: i64) : i64 = if b == 0 then a else gcd b (a % b)
def both (a: i64) (b: i64) : i64 = if even a then gcd a b else gcd b a

-- Transposed, turned around.
entry columns [n] [m] (xss: [n][m]i64) : ([]i64, []i64, i64) =
  let yss = transpose (map (map (+ 1)) xss)
  in (filter even (flatten yss), filter even yss[::-1, 0], reduce both 0 yss[:, n - 1])

-- A column goes to the host and comes back: it is put in order there and taken apart here.
entry column [n] (k: i64) (xss: [n][2]i64) : [n][2]i64 =
  let ys = loop ys = xss[:, 0] for _i < k do scan both 0 ys
  in copy xss with [:, 1] = ys

-- An array that the loop does not change, and one that every round replaces.
entry rounds [n] (k: i64) (xs: [n]i64) : ([n]i64, [n]i64) =
  let ys = loop ys = copy xs for i < k do
    let evens = filter even xs
    let g = reduce both 0 evens
    in if i == 0 then ys else map (\y -> y + g / 2) ys
  in (ys, xs)

-- Host and device take turns.
entry turns [n] (k: i64) (xs: [n]i64) : ([n]i64, i64) =
  loop (ys, g) = (copy xs, reduce both 0 xs) for _i < k do
    let zs = map (\y -> y + g) ys
    let zs = zs with [0] = zs[0] + reduce both 0 zs - 2
    let h = reduce both 0 zs
    in (map2 (\z y -> z + y - y) zs ys, if h == 0 then 0 else 4)

-- What branches give and what is put together comes from both.
entry chosen (c: bool) (xs: []i64) : ([]i64, []i64) =
  let ys = if c then filter even xs else map (+ 1) xs
  let zs = scatter (replicate (length ys + 1) 7) (indices ys) ys
  in (ys ++ (if c then xs else copy xs), zs)

entry failing (xs: []i64) (i: i64) : i64 = (filter even xs)[i] - 6
