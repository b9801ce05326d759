-- SPDX-License-Identifier: Apache-2.0
-- Conway's Game of Life on a board whose edges are glued together.
--
--   echo '[[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]] 4' | ./skald-dev run examples/game_of_life.fut
--
-- A cell is 1 if it lives.  It lives next time with three living neighbours, or with two if it lives now.
-- ==
-- "a bar turns" input { [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]] 1 }
-- output { [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]] }
-- "a glider moves one field in four steps"
-- input { [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]] 4 }
-- output { [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]] }
-- "nothing happens in no steps" input { [[1, 0], [0, 1]] 0 } output { [[1, 0], [0, 1]] }
def step [n] [m] (board: [n][m]i32) : [n][m]i32 =
  let above = rotate (-1) board
  let below = rotate 1 board
  -- Of each cell, the sum of itself and the two beside it, in one row.
  let three (rows: [n][m]i32) : [n][m]i32 =
    map (\row -> map3 (\l c r -> l + c + r) (rotate (-1) row) row (rotate 1 row)) rows
  let around = map3 (map3 (\a b c -> a + b + c)) (three above) (three board) (three below)
  in map2 (map2 (\cell sum -> i32.bool (sum == 3 || sum == 4 && cell == 1))) board around

def play [n] [m] (board: [n][m]i32) (steps: i32) : [n][m]i32 =
  loop board for _i < steps do step board

def main [n] [m] (board: [n][m]i32) (steps: i32) : [n][m]i32 = play board steps

-- How many cells live after some steps on a board filled from a seed.
-- ==
-- entry: population
-- input { 16i64 0i32 } output { 128i32 }
-- compiled input { 100i64 50i32 }
entry population (n: i64) (steps: i32) : i32 =
  let board = tabulate_2d n n (\i j -> i32.bool ((i * 7 + j * 5) % 16 < 8))
  in i32.sum (flatten (play board steps))
