-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) : i32 =
  let y = (x + 1
  let z = (y * 2)
  in z

def g (x: i32) = x
