-- SPDX-License-Identifier: Apache-2.0
-- RUN test --backend=interp --seed=1
-- Properties that do not hold: the counterexample is made small.
-- ==
-- property: all_small
-- property: pairs_equal
-- property: never_empty
-- property: never_three
-- property: own_shrinker
-- property: fails_with_error
-- property: wrong_type
-- property: wrong_generator
-- property: no_attribute

#[prop]
entry all_small (xs: []i32) : bool = all (< 10) xs

#[prop]
entry pairs_equal (ps: [](u8, bool)) : bool = all (\(a, b) -> b || a < 3) ps

#[prop]
entry never_empty (s: #some i64 | #none) : bool = match s case #some _ -> true case #none -> false

entry threes (size: i64) (_: u64) : {xs: []i64, n: i64} = {xs = replicate size 3, n = 5}

#[prop(gen(threes),size(4))]
entry never_three (r: {xs: []i64, n: i64}) : bool = all (!= 3) r.xs

entry half (x: i64) (_: u64) : i64 = x / 2
entry large (_: i64) (seed: u64) : i64 = 1000 + i64.u64 (seed % 1000)

#[prop(gen(large),shrink(half))]
entry own_shrinker (x: i64) : bool = x < 1

#[prop]
entry fails_with_error (xs: []i32) : bool = xs[0] == xs[0]

#[prop]
entry wrong_type (x: i32) : i32 = x

#[prop(gen(half))]
entry wrong_generator (x: u8) : bool = x == x

entry no_attribute (x: i64) : bool = x == x
