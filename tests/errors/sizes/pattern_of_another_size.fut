-- SPDX-License-Identifier: Apache-2.0
-- The pattern and the value.
def f (p: ([4]i64, bool)) =
  let (xs: [3]i64, _) = p
  in match iota 5 case (ys: [6]i64) -> (xs, ys)
