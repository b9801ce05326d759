-- SPDX-License-Identifier: Apache-2.0
-- Properties that hold, with values of every kind made up for them.
-- ==
-- property: reverse_twice sizes_agree
-- property: fixed_size

#[prop]
entry reverse_twice (xs: []i32) : bool = and (map2 (==) (reverse (reverse xs)) xs)

-- Sizes of one name are equal.
#[prop(size(20))]
entry sizes_agree [n] [m] (p: ([n][m]f32, [m]u8, [n](bool, i16))) : bool =
  length p.0 == n && length p.1 == m && length p.2 == n && n <= 20 && m <= 20

#[prop]
entry fixed_size (xs: [3]bool) : bool = length xs == 3

-- ==
-- property: every_constructor
-- property: generated

type shape = #circle f64 | #square {side: i32, at: (i8, i8)} | #nothing

#[prop]
entry every_constructor (ss: []shape) : bool =
  let area (s: shape) =
    match s
    case #circle r -> if f64.isnan r then 0 else r * r
    case #square q -> f64.i32 q.side
    case #nothing -> 0
  in length (map area ss) == length ss

entry make_even (size: i64) (seed: u64) : [size]i64 =
  map (\i -> 2 * (i + i64.u64 (seed % 1000))) (iota size)

#[prop(gen(make_even),size(7))]
entry generated (xs: []i64) : bool = length xs == 7 && all (\x -> x % 2 == 0) xs
