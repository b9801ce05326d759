-- SPDX-License-Identifier: Apache-2.0
-- Every element type, and several of them in one loop.
-- ==
-- entry: i8s
-- input { [127i8,-128,0,5,-7,100,-100] [1i8,-1,0,3,2,100,-100] } output { [-128i8,127,0,8,-5,-56,56] [127i8,-128,0,1,-4,1,1] [0i8,0,0,2,1,0,0] }
-- ==
-- entry: u16s
-- input { [0u16,65535,1000,7] [1u16,1,3,0] } output { [65535u16,65534,997,7] [0u16,32767,125,7] [0u16,65535,333,0] }
-- ==
-- entry: u64s
-- input { [0u64,18446744073709551615,1000,7] [1u64,2,3,5] } output { [0u64,18446744073709551614,3000,35] [0u64,9223372036854775807,333,1] [0f32,1.8446744e19,1000,7] }
-- ==
-- entry: f16s
-- input { [0f16,1,2.5,-3,65504,1e-7] [1f16,2,-1,0.5,2,1] } output { [1f16,3,1.5,-2.5,65504,1] [0f16,2,-2.5,-1.5,f16.inf,1e-7] }
-- ==
-- entry: mixed
-- input { [1i8,-2,3,-4,5] [1f64,2,3,4,5] [true,false,true,true,false] } output { [1f32,2,9,-16,5] [1i64,-2,3,-4,5] [true,true,true,false,false] }
-- ==
-- entry: from_i64
-- input { [16777217i64,9007199254740993,-9007199791611905,4611686293305294849,-1,0,9223372036854775807] }
-- output { [16777216f32,9.007199e15,-9.0072e15,4.6116866e18,-1,0,9.223372e18] }
-- ==
-- entry: to_ints
-- input { [0f32,-1.5,1.5,300,-300,1e10,-1e10,1e20,-1e20,f32.nan,f32.inf,-f32.inf] }
-- output { [0i8,-1,1,127,-128,127,-128,127,-128,0,0,0] [0i32,-1,1,300,-300,2147483647,-2147483648,2147483647,-2147483648,0,0,0] [0i64,-1,1,300,-300,10000000000,-10000000000,9223372036854775807,-9223372036854775808,0,0,0] }
entry i8s (a: []i8) (b: []i8) = unzip3 (map2 (\x y -> (x + y, if y == 0 then x else x / y, if y == 0 then x else x % y)) a b)
entry u16s (a: []u16) (b: []u16) = unzip3 (map2 (\x y -> (x - y, x >> (u16.min y 3), if y == 0 then y else x / y)) a b)
entry u64s (a: []u64) (b: []u64) = unzip3 (map2 (\x y -> (x * y, x / y, f32.u64 x)) a b)
entry f16s (a: []f16) (b: []f16) = unzip (map2 (\x y -> (x + y, x * y)) a b)
entry mixed (a: []i8) (b: []f64) (c: []bool) =
  unzip3 (map3 (\x y z -> (f32.f64 y * (if z then f32.i8 x else 1), i64.i8 x, z == (x > 0) || x < -3 != z)) a b c)
entry from_i64 (xs: []i64) = map f32.i64 xs
entry to_ints (xs: []f32) = unzip3 (map (\x -> (i8.f32 x, i32.f32 x, i64.f32 x)) xs)
