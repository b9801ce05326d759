-- SPDX-License-Identifier: Apache-2.0
-- Rows that are updated where they are, from any place on and of any length: groups of lanes begin where registers do in
-- memory, so the first and the last one are not full.

def by_rows 't [n] (update: t -> t -> t -> t) (a: [n][n]t) : [n][n]t =
  loop a = copy a for k < n - 1 do
    let pivot = copy a[k]
    in map2 (\i row ->
               if i <= k then row
               else let factor = row[k]
                    in map3 (\j x y -> if j < k then x else if j == k then factor else update x factor y)
                            (iota n) row pivot)
            (iota n) a

def one_by_one 't [n] (update: t -> t -> t -> t) (a: [n][n]t) : [n][n]t =
  loop a = copy a for k < n - 1 do
    loop a for i in k + 1..<n do
      let factor = copy a[i, k]
      in loop a for j in k + 1..<n do
           let x = update (copy a[i, j]) factor (copy a[k, j])
           in a with [i, j] = x

def same 't (update: t -> t -> t -> t) (equal: t -> t -> bool) (make: i64 -> t) (least: i64) (most: i64) : bool =
  loop fine = true for n in least..<most do
    let a = tabulate_2d n n (\i j -> make ((i * 7919 + j * 104729) % 1009))
    in fine && and (map2 (\r s -> and (map2 equal r s)) (by_rows update a) (one_by_one update a))

-- ==
-- entry: floats doubles ints longs shorts
-- input { 1i64 6i64 }
-- output { true }
-- compiled input { 64i64 84i64 }
-- output { true }
-- compiled input { 127i64 132i64 }
-- output { true }

entry floats = same (\x f y -> x - f * y * 0.001f32) (==) (\v -> f32.i64 v * 0.001)
entry doubles = same (\x f y -> x - f * y * 0.001f64) (==) (\v -> f64.i64 v * 0.001)
entry ints = same (\x f y -> x - f * y) (==) i32.i64
entry longs = same (\x f y -> i64.max x (f + y)) (==) id
entry shorts = same (\x f y -> x - f * y) (==) i16.i64
