-- SPDX-License-Identifier: Apache-2.0
-- The body needs a size that the initial value does not have.
def step [n] (grid: [n][n]i32) : [n][n]i32 = grid
def go [n] (g: [n][n]i32) (k: i32) : [n][n]i32 =
  loop g for i < k do step (map (take 3) g)
