-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) : i32 = {
  let y = x + 1
  in y
}
