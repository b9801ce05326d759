-- SPDX-License-Identifier: Apache-2.0
def test (xs: []i64) =
  let ys = xs |> map (+ 1)
  in ys with [0] = 0
