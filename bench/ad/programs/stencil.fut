-- SPDX-License-Identifier: Apache-2.0
-- Steps of the heat equation with a nonlinear conductivity, by the start and the coefficients.

def run [n] [m] (start: [n][m]f32) (c: [2]f32) : [n][m]f32 =
  loop u = start for _i < 8i64 do
    tabulate_2d n m (\i j ->
      let at i j = u[i64.min (n - 1) (i64.max 0 i), i64.min (m - 1) (i64.max 0 j)]
      let x = u[i, j]
      let around = at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1) - 4 * x
      in x + 0.05 * (c[0] + c[1] * x) * around)

entry primal [n] [m] (start: [n][m]f32) (c: [2]f32) = run start c

entry forward [n] [m] (start: [n][m]f32) (c: [2]f32) = jvp (\(s, c) -> run s c) (start, c) (start, c)

entry reverse [n] [m] (start: [n][m]f32) (c: [2]f32) =
  vjp (\(s, c) -> run s c) (start, c) (replicate n (replicate m 1))
