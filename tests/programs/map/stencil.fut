-- SPDX-License-Identifier: Apache-2.0
-- On devices a thread has four neighbouring points of a stencil (gpu/stencil), of three dimensions in some planes.  Points are what they are one by one, bit by bit; also where rows are no multiple of
-- four columns, or begin anywhere.
-- ==
-- entry: seven corners plane moved
-- compiled input { 512i64 128i64 64i64 } output { 0i64 }
-- compiled input { 530i64 131i64 67i64 } output { 0i64 }
-- compiled input { 70i64 70i64 1000i64 } output { 0i64 }
-- compiled input { 5i64 6i64 7i64 } output { 0i64 }

def random (i: i64) : f64 = f64.u32 (((u32.i64 i * 2654435761) ^ (u32.i64 i >> 5)) % 1000)

-- How many points differ if they are taken by one index.
def differ 't [n][m][k] (same: t -> t -> bool) (point: [n][m][k]t -> i64 -> i64 -> i64 -> t) (a: [n][m][k]t) : i64 =
  let apart = map (\p -> point a (p / (m * k)) (p / k % m) (p % k)) (iota (n * m * k))
  let together = flatten_3d (tabulate_3d n m k (point a))
  in map2 (\x y -> i64.bool (!(same x y))) apart together |> i64.sum

entry seven (n: i64) (m: i64) (k: i64) : i64 =
  let point [n][m][k] (a: [n][m][k]f32) (i: i64) (j: i64) (l: i64) : f32 =
    if i == 0 || j == 0 || l == 0 || i == n - 1 || j == m - 1 || l == k - 1 then a[i, j, l]
    else a[i, j, l] + 0.1 * (a[i - 1, j, l] + a[i + 1, j, l] + a[i, j - 1, l] + a[i, j + 1, l] + a[i, j, l - 1] + a[i, j, l + 1] - 6 * a[i, j, l])
  in differ (\x y -> f32.to_bits x == f32.to_bits y) point (tabulate_3d n m k (\i j l -> f32.f64 (random ((i * m + j) * k + l))))

-- Corners of a plane, 8-byte elements, and only one of the planes beside.
entry corners (n: i64) (m: i64) (k: i64) : i64 =
  let point [n][m][k] (a: [n][m][k]f64) (i: i64) (j: i64) (l: i64) : f64 =
    if i > 0 && j > 0 && l > 0 && j < m - 1 && l < k - 1
    then a[i, j - 1, l - 1] - a[i, j + 1, l + 1] + a[i, j - 1, l + 1] * 0.5 - a[i, j + 1, l - 1] + a[i - 1, j, l]
    else 1 - a[i, j, l]
  in differ (\x y -> f64.to_bits x == f64.to_bits y) point (tabulate_3d n m k (\i j l -> random ((i * m + j) * k + l)))

-- Two dimensions, diagonals.
entry plane (n: i64) (m: i64) (k: i64) : i64 =
  let h = n * m
  let point [h][k] (a: [h][k]f32) (j: i64) (l: i64) : f32 =
    if j > 0 && l > 0 && j < h - 1 && l < k - 1
    then 0.25 * (a[j - 1, l - 1] + a[j + 1, l + 1]) + 0.125 * (a[j - 1, l + 1] + a[j + 1, l - 1]) + a[j, l]
    else 2 * a[j, l]
  let a = tabulate_2d h k (\j l -> f32.f64 (random (j * k + l)))
  let apart = map (\p -> point a (p / k) (p % k)) (iota (h * k))
  let together = flatten (tabulate_2d h k (point a))
  in map2 (\x y -> i64.bool (f32.to_bits x != f32.to_bits y)) apart together |> i64.sum

-- Rows that do not begin at multiples of sixteen bytes.
entry moved (n: i64) (m: i64) (k: i64) : i64 =
  let point [n][m][k] (a: [n][m][k]i32) (i: i64) (j: i64) (l: i64) : i32 =
    if i > 0 && j > 0 && l > 0 && i < n - 1 && j < m - 1 && l < k - 1
    then a[i - 1, j, l] + 2 * a[i + 1, j, l] + 3 * a[i, j - 1, l] + 5 * a[i, j + 1, l] + 7 * a[i, j, l - 1] + 11 * a[i, j, l + 1]
    else a[i, j, l]
  let all = map (\p -> i32.f64 (random p)) (iota (n * m * k + 1))
  in differ (==) point (unflatten_3d (all[1:] :> [n * m * k]i32))
