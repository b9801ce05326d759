-- SPDX-License-Identifier: Apache-2.0
-- LU decomposition in place, without pivoting.
def main [n] (a: [n][n]f32) : [n][n]f32 =
  loop a = copy a for k < n - 1 do
    let pivot = a[k, k]
    let row = copy a[k]
    in map2 (\i r ->
               if i <= k then r
               else let factor = r[k] / pivot
                    in map3 (\j x y -> if j < k then x else if j == k then factor else x - factor * y)
                            (iota n) r row)
            (iota n) a
