-- SPDX-License-Identifier: Apache-2.0
-- Coulomb forces between pairs of atoms: each pair adds its force to one atom and takes it from the other.  Pairs come as in a list of
-- neighbours: one atom after another, each with some that are near.
-- ==
-- entry: forces
-- input { [[0f32, 0f32, 0f32], [2f32, 0f32, 0f32]] [1f32, 4f32] [0i32] [1i32] } output { [-1f32, 1f32] [0f32, 0f32] [0f32, 0f32] }
-- input { [[0f32, 0f32, 0f32], [2f32, 0f32, 0f32]] [1f32, 4f32] [0i32, 1i32] [1i32, 0i32] } output { [-2f32, 2f32] [0f32, 0f32] [0f32, 0f32] }
import "hash"

entry forces [n] [m] (at: [n][3]f32) (charge: [n]f32) (is: [m]i32) (js: [m]i32) : ([n]f32, [n]f32, [n]f32) =
  let force (i: i32) (j: i32) =
    let (x, y, z) = (at[i, 0] - at[j, 0], at[i, 1] - at[j, 1], at[i, 2] - at[j, 2])
    let inverse = 1 / f32.sqrt (x * x + y * y + z * z)
    let size = charge[i] * charge[j] * inverse * inverse * inverse
    in (size * x, size * y, size * z)
  let add (a: f32, b: f32, c: f32) (d, e, f) = (a + d, b + e, c + f)
  let found = map2 force is js
  let of_first = reduce_by_index (replicate n (0, 0, 0)) add (0, 0, 0) (map i64.i32 is) found
  let of_both = reduce_by_index of_first add (0, 0, 0) (map i64.i32 js) (map (\(x, y, z) -> (-x, -y, -z)) found)
  in unzip3 of_both

-- ---- data

entry make_places (n: i64) : [n][3]f32 = tabulate_2d n 3 (\i k -> share (u32.i64 (3 * i + k)))
entry make_charges (n: i64) : [n]f32 = tabulate n (\i -> share (u32.i64 i) - 0.5)
-- Each atom has `near` neighbours, among the thousand after it.
entry make_pairs (n: i64) (near: i64) : ([]i32, []i32) =
  unzip (tabulate (n * near) (\p -> let i = p / near
                                    in (i32.i64 i, i32.i64 ((i + 1 + i64.u32 (hash (u32.i64 p) % 1000)) % n))))
