-- SPDX-License-Identifier: Apache-2.0
def total (xs: []i32) = xs |> map (+ 1) |> reduce (+)
