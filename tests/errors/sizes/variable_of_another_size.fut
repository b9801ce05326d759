-- SPDX-License-Identifier: Apache-2.0
-- That the size of b is m and not n is said once.
def f [n] [m] (a: [n]i32) (b: [m]i32) =
  let x = map2 (+) a b
  let y = zip3 a a b
  let z = zip a (reverse b)
  in (x, y, z)
