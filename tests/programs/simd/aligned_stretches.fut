-- SPDX-License-Identifier: Apache-2.0
-- Long rows on a torus: what lies between the borders begins where registers do, and some iterations run twice for that.
-- ==
-- entry: life blurred
-- input { 1i64 300i64 330i64 } output { true }
-- input { 2i64 383i64 386i64 } output { true }
-- input { 5i64 1020i64 1030i64 } output { true }

def around [n] [m] 't (a: [n][m]t) (i: i64) (j: i64) : t = a[(i + n) % n, (j + m) % m]

def life_step [n] [m] (a: [n][m]u8) : [n][m]u8 =
  let up = rotate (-1) a
  let down = rotate 1 a
  let left = map (rotate (-1))
  let right = map (rotate 1)
  let sum3 = map3 (map3 (\x y z -> x + y + z))
  let all = sum3 (sum3 (left up) up (right up)) (sum3 (left a) a (right a)) (sum3 (left down) down (right down))
  in map2 (map2 (\cell s -> u8.bool (s == 3 || (s == 4 && cell == 1)))) a all

def life_cell [n] [m] (a: [n][m]u8) (i: i64) (j: i64) : u8 =
  let s = loop s = 0 for k < 9 do s + around a (i + k / 3 - 1) (j + k % 3 - 1)
  in u8.bool (s == 3 || (s == 4 && a[i, j] == 1))

def blur (x: f32) (y: f32) (z: f32) : f32 =
  let u = x * y + z * 0.5
  let v = y * z - x * 0.25
  in u * u + v * v - u * v + x * y * z - (u - v) * (x - z) * (y + u) * (z - v)

def by_loop [n] [m] 't (zero: t) (f: i64 -> i64 -> t) : [n][m]t =
  loop a = replicate n (replicate m zero) for i < n do
    loop a for j < m do a with [i, j] = f i j

def equal [n] [m] 't (eq: t -> t -> bool) (a: [n][m]t) (b: [n][m]t) : bool =
  and (map2 (\r s -> and (map2 eq r s)) a b)

entry life (n: i64) (least: i64) (most: i64) : bool =
  loop fine = true for m in least..<most do
    let a = tabulate_2d n m (\i j -> u8.bool ((i * 31 + j * j * 7) % 5 < 2))
    let once = life_step (opaque a)
    in fine && equal (==) once (by_loop 0 (life_cell a)) && equal (==) (life_step once) (by_loop 0 (life_cell once))

entry blurred (n: i64) (least: i64) (most: i64) : bool =
  loop fine = true for m in least..<most do
    let a = tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 7) % 11) * 0.125)
    in fine && equal (==) (map (\r -> map3 blur (rotate (-1) r) r (rotate 1 r)) (opaque a))
                        (by_loop 0 (\i j -> blur (around a i (j - 1)) a[i, j] (around a i (j + 1))))

-- ==
-- entry: steps_of_life
-- input { 3i32 6i64 1500i64 } output { true }
-- input { 2i32 9i64 700i64 } output { true }
entry steps_of_life (steps: i32) (n: i64) (m: i64) : bool =
  let a = tabulate_2d n m (\i j -> u8.bool ((i * 31 + j * j * 7) % 5 < 2))
  let in_rows = loop b = opaque a for _k < steps do life_step b
  let one_by_one = loop (b: [n][m]u8) = a for _k < steps do by_loop 0 (life_cell b)
  in equal (==) in_rows one_by_one
