-- SPDX-License-Identifier: Apache-2.0
-- Cross sections as in XSBench: each particle looks up an energy in the table of each of its nuclides, by bisection,
-- and adds up what lies between two rows.

def total [p] [s] [g] (energies: [p]f64) (nuclides: [p][s]i64) (grid: [g]f64) (sections: [g][5]f64) (densities: [s]f64) : [p]f64 =
  map2 (\e ns ->
          let (low, _) = loop (low, high) = (0i64, g - 1) while high - low > 1 do
                           let mid = (low + high) / 2
                           in if grid[mid] <= e then (mid, high) else (low, mid)
          let f = (e - grid[low]) / (grid[low + 1] - grid[low])
          in loop sum = 0 for j < s do
               let at = i64.min (g - 2) (low + ns[j])
               let inner = loop x = 0 for c < 5 do x + (1 - f) * sections[at, c] + f * sections[at + 1, c]
               in sum + densities[j] * inner)
       energies nuclides

entry primal [p] [s] [g] (energies: [p]f64) (nuclides: [p][s]i64) (grid: [g]f64) (sections: [g][5]f64) (densities: [s]f64) =
  total energies nuclides (map2 (\x i -> f64.i64 i / f64.i64 g + 0 * x) grid (iota g)) sections densities

entry forward [p] [s] [g] (energies: [p]f64) (nuclides: [p][s]i64) (grid: [g]f64) (sections: [g][5]f64) (densities: [s]f64) =
  let grid' = map2 (\x i -> f64.i64 i / f64.i64 g + 0 * x) grid (iota g)
  in jvp (\(e, d, x) -> total e nuclides grid' x d) (energies, densities, sections) (energies, densities, sections)

entry reverse [p] [s] [g] (energies: [p]f64) (nuclides: [p][s]i64) (grid: [g]f64) (sections: [g][5]f64) (densities: [s]f64) =
  let grid' = map2 (\x i -> f64.i64 i / f64.i64 g + 0 * x) grid (iota g)
  in vjp (\(e, d, x) -> total e nuclides grid' x d) (energies, densities, sections) (replicate p 1)
