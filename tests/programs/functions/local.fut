-- SPDX-License-Identifier: Apache-2.0
-- Local functions that are polymorphic, capture variables, and shadow each other.
-- ==
-- input { 10 [1, 2, 3] } output { [11, 12, 13] 23 true }
def main (k: i32) (xs: []i32) : ([]i32, i32, bool) =
  let pair 'a 'b (x: a) (y: b) = (x, y)
  let add x = x + k
  let k = k + 3
  let f x = add x + k
  let (a, b) = pair (f 0) (f 1 == 24)
  in (map add xs, a, b)
