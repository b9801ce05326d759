-- SPDX-License-Identifier: Apache-2.0
-- The game of life on a torus.
def step [n] [m] (a: [n][m]u8) : [n][m]u8 =
  let up = rotate (-1) a
  let down = rotate 1 a
  let left = map (rotate (-1))
  let right = map (rotate 1)
  let sum3 = map3 (map3 (\x y z -> x + y + z))
  let all = sum3 (sum3 (left up) up (right up)) (sum3 (left a) a (right a)) (sum3 (left down) down (right down))
  in map2 (map2 (\cell s -> u8.bool (s == 3 || (s == 4 && cell == 1)))) a all
def main [n] [m] (steps: i32) (a: [n][m]u8) : [n][m]u8 = loop a = copy a for _i < steps do step a
