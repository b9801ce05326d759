-- SPDX-License-Identifier: Apache-2.0
-- Cross sections as in RSBench: sums over poles with complex arithmetic instead of tables.

def total [p] [w] (energies: [p]f64) (poles: [w][4]f64) : [p]f64 =
  map (\e ->
         let root = f64.sqrt e
         in loop sum = 0 for i < w do
              let (a, b) = (poles[i, 0] - root, poles[i, 1] + 0.5)
              let square = a * a + b * b
              let (c, d) = (a / square, 0 - b / square)
              let phase = f64.exp (0 - poles[i, 2]) * f64.cos (poles[i, 3] * root)
              in sum + (c * poles[i, 2] - d * poles[i, 3]) * phase)
      energies

entry primal [p] [w] (energies: [p]f64) (poles: [w][4]f64) = total energies poles

entry forward [p] [w] (energies: [p]f64) (poles: [w][4]f64) =
  jvp (\(e, q) -> total e q) (energies, poles) (energies, poles)

entry reverse [p] [w] (energies: [p]f64) (poles: [w][4]f64) =
  vjp (\(e, q) -> total e q) (energies, poles) (replicate p 1)
