-- SPDX-License-Identifier: Apache-2.0
-- Heat spreading over a plate; the border is fixed.
def step [n] [m] (a: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
                     if i == 0 || j == 0 || i == n - 1 || j == m - 1 then a[i, j]
                     else a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4 * a[i, j]))
def main [n] [m] (steps: i32) (a: [n][m]f32) : [n][m]f32 = loop a = copy a for _i < steps do step a
