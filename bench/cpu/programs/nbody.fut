-- SPDX-License-Identifier: Apache-2.0
-- Accelerations by gravity, all pairs.
def main [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (ms: [n]f32) : ([n]f32, [n]f32, [n]f32) =
  let accel x y z =
    let one xj yj zj mj =
      let (dx, dy, dz) = (xj - x, yj - y, zj - z)
      let r2 = dx * dx + dy * dy + dz * dz + 0.01
      let s = mj / (r2 * f32.sqrt r2)
      in (s * dx, s * dy, s * dz)
    in reduce_comm (\(a, b, c) (d, e, f) -> (a + d, b + e, c + f)) (0, 0, 0) (map4 one xs ys zs ms)
  in unzip3 (map3 accel xs ys zs)
