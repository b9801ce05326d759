-- SPDX-License-Identifier: Apache-2.0
-- A rule of one's own is used in reverse mode only, and the value is that of the function.
-- ==
-- entry: value
-- input { 3.0 } output { 9.0 }
-- ==
-- entry: reverse
-- input { 3.0 } output { 90.0 }
-- ==
-- entry: forward
-- input { 3.0 } output { 6.0 }
-- ==
-- entry: tape
-- input { 3.0 } output { 9.0 42.0 }
-- ==
-- entry: mapped
-- input { [1.0, 2.0] } output { [20.0, 80.0] }

def square (x: f64) = with_vjp (\x -> x * x) (\y adjoint -> y * adjoint * 10) x

entry value (x: f64) = square x
entry reverse (x: f64) = vjp square x 1
entry forward (x: f64) = jvp square x 1
entry tape (x: f64) : (f64, f64) =
  let f = with_vjp_tape (\x -> (x + 4, x * x)) (\(kept, adjoint) -> kept * adjoint * 6)
  in vjp2 f x 1
entry mapped (xs: []f64) = vjp (\xs -> f64.sum (map square xs)) xs 2
