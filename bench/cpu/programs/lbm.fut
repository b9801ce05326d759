-- SPDX-License-Identifier: Apache-2.0
-- Lattice Boltzmann, nine directions on a torus: stream, then collide.
def step [n] [m] (f: [9][n][m]f32) : [9][n][m]f32 =
  let cell i j =
    let (iu, id) = ((i + n - 1) % n, (i + 1) % n)
    let (jl, jr) = ((j + m - 1) % m, (j + 1) % m)
    let f0 = f[0, i, j]
    let f1 = f[1, i, jl]
    let f2 = f[2, id, j]
    let f3 = f[3, i, jr]
    let f4 = f[4, iu, j]
    let f5 = f[5, id, jl]
    let f6 = f[6, id, jr]
    let f7 = f[7, iu, jr]
    let f8 = f[8, iu, jl]
    let rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
    let ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho
    let uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho
    let usq = 1.5 * (ux * ux + uy * uy)
    let relax w e old = old + 1.2 * (w * rho * (1 + 3 * e + 4.5 * e * e - usq) - old)
    let (a, b, c) = (4.0 / 9, 1.0 / 9, 1.0 / 36)
    in ((relax a 0 f0, relax b ux f1, relax b uy f2, relax b (-ux) f3, relax b (-uy) f4),
        (relax c (ux + uy) f5, relax c (uy - ux) f6, relax c (-ux - uy) f7, relax c (ux - uy) f8))
  let (near, diagonal) = map (\i -> map (cell i) (iota m)) (iota n) |> map unzip |> unzip
  let (r0, r1, r2, r3, r4) = near |> map unzip5 |> unzip5
  let (r5, r6, r7, r8) = diagonal |> map unzip4 |> unzip4
  in [r0, r1, r2, r3, r4, r5, r6, r7, r8]

def main [n] [m] (steps: i32) (f: [9][n][m]f32) : [9][n][m]f32 = loop f = copy f for _i < steps do step f
