-- SPDX-License-Identifier: Apache-2.0
-- Functions of functions, and names kept for old programs.
-- ==
-- entry: combinators
-- input { 10 } output { 11 11 22 21 -7 13 13 3 10 13 16 20 }

entry combinators (x: i32) =
  let succ = (+ 1)
  let twice = (* 2)
  in ( x |> succ
     , succ <| x
     , (succ >-> twice) x
     , (succ <-< twice) x
     , flip (-) x 3
     , curry (\(a, b) -> a + b) x 3
     , uncurry (+) (x, 3)
     , const 3 x
     , id x
     , iterate 3 succ x
     , iterate_until (> 15) (+ 3) x
     , iterate_while (< 20) twice x
     )

-- ==
-- entry: old
-- input { 3 2.75f32 -2.75f64 true } output { 3.0f32 2 3.0f64 -2 false 3 }

entry old (i: i32) (f: f32) (d: f64) (b: bool) = (r32 i, t32 f, r64 i, t64 d, not b, opaque i)

-- ==
-- entry: bools
-- input { } output { [true, false, true, true, true, true, true, true, true, true, true, false] }

entry bools : []bool =
  [ bool.i8 1, bool.i16 0, bool.i32 2, bool.i64 (-1), bool.u8 1, bool.u16 1, bool.u32 1, bool.u64 1, bool.f16 1
  , bool.f32 0.5, bool.f64 1, bool.bool false ]
