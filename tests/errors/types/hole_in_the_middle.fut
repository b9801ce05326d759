-- SPDX-License-Identifier: Apache-2.0
-- What is used with the wrong type is shown at both places.
def main (x: i32) =
  let ys = [x, 2]
  let first = ys[0]
  in if first then 1 else 2
