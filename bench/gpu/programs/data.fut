-- SPDX-License-Identifier: Apache-2.0
-- Inputs of the other programs, made on the device.
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)

def word (seed: u32) (i: i64) : u32 = hash (u32.i64 i + seed * 0x9e3779b9)
def between (low: f32) (high: f32) (x: u32) : f32 = low + (high - low) * (f32.u32 (x >> 8) / 16777216)

entry uniform (n: i64) (seed: u32) (low: f32) (high: f32) : [n]f32 =
  tabulate n (\i -> between low high (word seed i))
entry uniform2 (n: i64) (m: i64) (seed: u32) (low: f32) (high: f32) : [n][m]f32 =
  tabulate_2d n m (\i j -> between low high (word seed (i * m + j)))
entry uniform3 (n: i64) (m: i64) (k: i64) (seed: u32) (low: f32) (high: f32) : [n][m][k]f32 =
  tabulate_3d n m k (\i j l -> between low high (word seed ((i * m + j) * k + l)))
entry uniform2_f64 (n: i64) (m: i64) (seed: u32) : [n][m]f64 =
  tabulate_2d n m (\i j -> f64.u32 (word seed (i * m + j)) / 4294967296)
entry ints (n: i64) (seed: u32) (below: i64) : [n]i32 =
  tabulate n (\i -> i32.i64 (i64.u32 (word seed i) % below))
entry words (n: i64) (seed: u32) : [n]u32 = tabulate n (word seed)
entry bytes (n: i64) (seed: u32) : [n]u8 = tabulate n (\i -> u8.u32 (word seed i))
entry bits2 (n: i64) (m: i64) (seed: u32) : [n][m]u8 = tabulate_2d n m (\i j -> u8.u32 (word seed (i * m + j) & 1))
-- Every number below n once, if n has no other prime factors than 2 and 5.
entry permutation (n: i64) : [n]i32 = tabulate n (\i -> i32.i64 ((i * 618033989 + 12345) % n))
entry dominant (n: i64) (seed: u32) : [n][n]f32 =
  tabulate_2d n n (\i j -> if i == j then f32.i64 n else between 0 1 (word seed (i * n + j)))

entry even_offsets (rows: i64) (each: i64) : []i64 = map (* each) (iota (rows + 1))
-- Lengths like one over a random rank; all together at most `total`.
entry skewed_offsets (rows: i64) (total: i64) : []i64 =
  let ranks = map (\i -> (i * 618033989 + 12345) % rows) (iota rows)
  let harmonic = f64.log (f64.i64 rows) + 0.58
  let lengths = map (\r -> i64.f64 (f64.i64 total / (harmonic * f64.i64 (r + 1)))) ranks
  in [0] ++ scan (+) 0 lengths

-- A random graph as compressed rows: node i has `degree` neighbours, the next one and others anywhere.
entry neighbours (nodes: i64) (degree: i64) (seed: u32) : []i32 =
  tabulate (nodes * degree) (\e -> if e % degree == 0 then i32.i64 ((e / degree + 1) % nodes)
                                   else i32.i64 (i64.u32 (word seed e) % nodes))
