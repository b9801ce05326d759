-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) =
  let y = x + 1
  let z = y * 2
  if z > 3 then y else z
