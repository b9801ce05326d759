-- SPDX-License-Identifier: Apache-2.0
-- Where a derivative is infinite, results that do not depend on it have their derivatives all the same.
-- ==
-- entry: unused_state
-- input { [0f64, 4f64] } output { [1f64, 0f64] }
-- ==
-- entry: infinite
-- input { 0f64 } output { f64.inf f64.inf }
-- input { 4f64 } output { 0.25f64 0.25f64 }

-- The roots are the state of a loop that nobody asks for.
entry unused_state [n] (xs: [n]f64) : [n]f64 =
  let f (xs: [n]f64) =
    let (_, y) = loop (roots, y) = (map f64.sqrt xs, xs[0]) for _i < 3i64 do (map (* 2) roots, y)
    in y
  in vjp f xs 1

entry infinite (x: f64) : (f64, f64) = (jvp f64.sqrt x 1, vjp f64.sqrt x 1)
