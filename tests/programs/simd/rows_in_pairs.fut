-- SPDX-License-Identifier: Apache-2.0
-- Stencils that take two rows at a time: tori of few rows, rows that do not fill lanes, an odd number of rows, rows
-- that are further apart than the next one.
-- ==
-- entry: game
-- input { 1i64 1i64 3i32 } output { 0i64 }
-- input { 1i64 40i64 3i32 } output { 0i64 }
-- input { 2i64 19i64 2i32 } output { 0i64 }
-- input { 3i64 130i64 4i32 } output { 0i64 }
-- input { 64i64 3i64 4i32 } output { 0i64 }
-- input { 33i64 257i64 5i32 } output { 0i64 }
-- ==
-- entry: clamped
-- input { 1i64 50i64 } output { 0i64 }
-- input { 2i64 50i64 } output { 0i64 }
-- input { 31i64 77i64 } output { 0i64 }
-- ==
-- entry: distant
-- input { 1i64 1i64 50i64 } output { 0i64 }
-- input { 2i64 31i64 77i64 } output { 0i64 }
-- input { -1i64 31i64 77i64 } output { 0i64 }
-- ==
-- entry: planes
-- input { 3i64 4i64 50i64 } output { 0i64 }
-- ==
-- entry: in_place
-- input { 5i64 70i64 } output { 0i64 }

def start (n: i64) (m: i64) : [n][m]u8 =
  tabulate_2d n m (\i j -> u8.bool ((i * 7 + j * j * 3 + i * j) % 5 < 2))

-- Differences between what vectors and loops of their own compute.
def differences [n] [m] (a: [n][m]u8) (b: [n][m]u8) : i64 =
  i64.sum (flatten (map2 (map2 (\x y -> i64.bool (x != y))) a b))

def sum3 [n] [m] (a: [n][m]u8) (b: [n][m]u8) (c: [n][m]u8) : [n][m]u8 = map3 (map3 (\x y z -> x + y + z)) a b c

def step [n] [m] (a: [n][m]u8) : [n][m]u8 =
  let left = map (rotate (-1))
  let right = map (rotate 1)
  let row b = sum3 (left b) b (right b)
  let all = sum3 (row (rotate (-1) a)) (row a) (row (rotate 1 a))
  in map2 (map2 (\cell s -> u8.bool (s == 3 || (s == 4 && cell == 1)))) a all

-- The same, one cell after the other.
def slow_step [n] [m] (a: [n][m]u8) : [n][m]u8 =
  loop b = replicate n (replicate m 0) for i < n do
    loop b for j < m do
      let s = loop s = 0u8 for di < 3 do loop s for dj < 3 do s + a[(i + di - 1) % n, (j + dj - 1) % m]
      in b with [i, j] = u8.bool (s == 3 || (s == 4 && a[i, j] == 1))

entry game (n: i64) (m: i64) (steps: i32) : i64 =
  let quick = loop a = start n m for _i < steps do step a
  let slow = loop a = start n m for _i < steps do slow_step a
  in differences quick slow

def blur [n] [m] (a: [n][m]u8) : [n][m]u8 =
  #[unsafe]
  let at i j = a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
  let row i j = at i (j - 1) + at i j * 2 + at i (j + 1)
  in tabulate_2d n m (\i j -> row (i - 1) j + row i j * 2 + row (i + 1) j)

def slow_blur [n] [m] (a: [n][m]u8) : [n][m]u8 =
  loop b = replicate n (replicate m 0) for i < n do
    loop b for j < m do
      let s = loop s = 0u8 for di < 3 do
        loop s for dj < 3 do
          let x = a[i64.max 0 (i64.min (n - 1) (i + di - 1)), i64.max 0 (i64.min (m - 1) (j + dj - 1))]
          in s + x * (if di == 1 then 2 else 1) * (if dj == 1 then 2 else 1)
      in b with [i, j] = s

entry clamped (n: i64) (m: i64) : i64 =
  let a = start n m
  in differences (blur a) (slow_blur a)

-- Rows that are `d` apart.
entry distant (d: i64) (n: i64) (m: i64) : i64 =
  let a = start n m
  let far = rotate d a
  let near = rotate (-d) a
  let quick = sum3 far a near |> map (rotate 1)
  let slow = loop b = replicate n (replicate m 0) for i < n do
               loop b for j < m do
                 let k = (j + 1) % m
                 in b with [i, j] = a[(i + d) % n, k] + a[i, k] + a[(i - d) % n, k]
  in differences quick slow

entry planes (k: i64) (n: i64) (m: i64) : i64 =
  let a = tabulate k (\p -> map (map (+ u8.i64 p)) (start n m))
  let quick = map (\p -> sum3 (rotate 1 p) p (rotate (-1) p)) a
  let slow = loop b = replicate k (replicate n (replicate m 0)) for p < k do
               loop b for i < n do
                 loop b for j < m do b with [p, i, j] = a[p, (i + 1) % n, j] + a[p, i, j] + a[p, (i - 1) % n, j]
  in differences (flatten quick) (flatten slow)

-- Each row is changed where it is.
entry in_place (n: i64) (m: i64) : i64 =
  let a = start n m
  let quick = loop b = copy a for _i < 3i32 do map2 (map2 (\x y -> x * 3 + y)) b a
  let slow = map (map (\x -> x * 27 + x * 9 + x * 3 + x)) a
  in differences quick slow
