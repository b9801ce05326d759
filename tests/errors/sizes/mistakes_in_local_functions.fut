-- SPDX-License-Identifier: Apache-2.0
-- A local function with a mistake inside has the type that is written.
def f [n] [m] (a: [n]i32) (b: [m]i32) =
  let total (xs: [n]i32) : [n]i32 = map2 (+) xs b
  let r1 = total a
  let r2 = total [1, 2, 3]
  let r3 = map2 (+) (total a) (iota 5 |> map i32.i64)
  in (r1, r2, r3)
