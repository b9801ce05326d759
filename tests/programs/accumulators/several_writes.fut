-- SPDX-License-Identifier: Apache-2.0
-- Iterations that write several times, under branches and in loops.
-- ==
-- entry: neighbours
-- input { [0, 0, 0, 0, 0] [0i64, 1i64, 1i64, 4i64, 9i64] } output { [1, 12, 20, 0, 1] }
-- ==
-- entry: in_order
-- input { [0, 0, 0, 0] [0i64, 2i64] } output { [2, 0, 2, 0] }
-- ==
-- entry: one_side
-- input { [0, 0, 0] [0i64, 1i64, 2i64, 0i64] [5, -6, 7, 8] } output { [13, 0, 7] }
-- ==
-- entry: both_sides
-- input { [0, 0, 0, 0] [0i64, 1i64, 2i64] [5, -6, 7] } output { [5, -6, 7, 6] }
-- ==
-- entry: runs
-- input { [0, 0, 0, 0, 0] [0i64, 3i64, 5i64, 2i64, -1i64] } output { [3, 3, 2, 1, 1] }
-- input { [7, 7] empty([0]i64) } output { [7, 7] }
-- ==
-- entry: spans
-- input { [0, 0, 0, 0, 0, 0] [0i64, 3i64] [2i64, 3i64] } output { [1, 1, 0, 1, 1, 1] }
-- ==
-- entry: last_round
-- input { [0, 0, 0] [0i64, 2i64] } output { [9, 0, 9] }
-- ==
-- entry: pairs
-- input { 3i64 [0i64, 2i64, 2i64] } output { [1, 0, 12] [2i64, 0i64, 4i64] }
-- ==
-- entry: two
-- input { [0, 0, 0] [0, 0, 0] [0i64, 1i64, 1i64] } output { [1, 2, 3] [7, 1, 0] }
-- ==
-- entry: checked
-- input { [0, 0] [0i64, 1i64] [3, 4] } output { [3, 7] }
-- input { [0, 0] [0i64, 2i64] [3, 4] } error: out of bounds
-- ==
-- entry: walk
-- input { [0, 0, 0, 0] [0i64, 1i64] 3i64 } output { [1, 2, 2, 1] }
-- ==
-- entry: spread weighted beside
-- input { 0i64 5i64 } output { true }
-- input { 1000i64 1i64 } output { true }
-- input { 3000i64 20i64 } output { true }
-- compiled input { 40000i64 100i64 } output { true }
-- compiled input { 40000i64 30000i64 } output { true }
-- input { 20000i64 3000000i64 } output { true }

type~ acc 't = intrinsics.acc t

def add [k] 'a (dest: *[k]i32) (f: *acc ([k]i32) -> a -> acc ([k]i32)) (xs: []a) =
  intrinsics.hist_stream dest (+) 0 f xs

def put [k] 'a (dest: *[k]i32) (f: *acc ([k]i32) -> a -> acc ([k]i32)) (xs: []a) =
  intrinsics.scatter_stream dest f xs

entry neighbours (dest: *[]i32) (is: []i64) =
  add dest (\(acc: *acc ([]i32)) i -> intrinsics.acc_write (intrinsics.acc_write acc i 1) (i + 1) 10) is

-- The second write of an iteration overwrites the first.
entry in_order (dest: *[]i32) (is: []i64) =
  put dest (\(acc: *acc ([]i32)) i -> intrinsics.acc_write (intrinsics.acc_write acc i 1) i 2) is

entry one_side [n] (dest: *[]i32) (is: [n]i64) (xs: [n]i32) =
  add dest (\(acc: *acc ([]i32)) (i, x) -> if x > 0 then intrinsics.acc_write acc i x else acc) (zip is xs)

-- Different numbers of writes on the two sides.
entry both_sides [n] (dest: *[]i32) (is: [n]i64) (xs: [n]i32) =
  add dest
      (\(acc: *acc ([]i32)) (i, x) ->
         if x > 0
         then intrinsics.acc_write acc i x
         else intrinsics.acc_write (intrinsics.acc_write acc i x) 3 (-x))
      (zip is xs)

-- As many writes as the iteration likes.
entry runs (dest: *[]i32) (ns: []i64) =
  add dest (\(acc: *acc ([]i32)) n -> loop acc for j < n do intrinsics.acc_write acc j 1) ns

-- Overwriting, each place once.
entry spans [n] (dest: *[]i32) (starts: [n]i64) (lengths: [n]i64) =
  put dest
      (\(acc: *acc ([]i32)) (s, k) -> loop acc for j < k do intrinsics.acc_write acc (s + j) 1)
      (zip starts lengths)

-- Overwriting one place: the last round counts, so this is not parallel.
entry last_round (dest: *[]i32) (is: []i64) =
  put dest (\(acc: *acc ([]i32)) i -> loop acc for j < 10i64 do intrinsics.acc_write acc i (i32.i64 j)) is

entry pairs (n: i64) (is: []i64) =
  intrinsics.hist_stream (replicate n (0, 0))
                         (\(a, b) (c, d) -> (a + c, b + d))
                         (0, 0)
                         (\(acc: *acc ([](i32, i64))) i ->
                            let acc = intrinsics.acc_write acc i (1, 2)
                            in if i == 2 then intrinsics.acc_write acc i (5, 0) else acc)
                         is
  |> unzip

-- Two accumulators in one program.
entry two (d: *[]i32) (e: *[]i32) (is: []i64) =
  (add d (\(acc: *acc ([]i32)) i -> intrinsics.acc_write (intrinsics.acc_write acc i 1) 2 1) is,
   put e (\(acc: *acc ([]i32)) i -> intrinsics.acc_write (intrinsics.acc_write acc i 1) 0 7) is)

entry checked [n] (dest: *[]i32) (is: [n]i64) (xs: [n]i32) =
  add dest
      (\(acc: *acc ([]i32)) (i, x) -> intrinsics.acc_write (intrinsics.acc_write acc i x) 1 (if i == 0 then xs[i] else 0))
      (zip is (map (\i -> xs[i]) is))

-- The loop carries something else too.
entry walk (dest: *[]i32) (is: []i64) (rounds: i64) =
  add dest
      (\(acc: *acc ([]i32)) i ->
         (loop (acc, i) for _j < rounds do (intrinsics.acc_write acc i 1, i + 1)).0)
      is

-- Many points, in one kernel; some writes of a point go to the same place.
def by_loop 'a (k: i64) (op: a -> a -> a) (ne: a) (n: i64) (place: i64 -> i64 -> i64) (value: i64 -> i64 -> a) : [k]a =
  loop dest = replicate k ne for j < 3 * n do
    let b = place (j // 3) (j % 3)
    in if b >= 0 && b < k then dest with [b] = copy (op dest[b] (value (j // 3) (j % 3))) else dest

def place (k: i64) (i: i64) (w: i64) : i64 =
  let a = i * 7919 % (k + 2) - 1
  in if w == 0 then a else if w == 1 then a + i % 2 else a * 3 // 2

entry spread (n: i64) (k: i64) =
  let bins =
    add (replicate k 0)
        (\(acc: *acc ([k]i32)) i ->
           let acc = intrinsics.acc_write acc (place k i 0) (i32.i64 i)
           let acc = intrinsics.acc_write acc (place k i 1) (i32.i64 i)
           in if i % 3 == 0 then intrinsics.acc_write acc (place k i 2) (i32.i64 i) else acc)
        (iota n)
  let expected =
    by_loop k (+) 0 n (\i w -> if w < 2 || i % 3 == 0 then place k i w else -1) (\i _ -> i32.i64 i)
  in and (map2 (==) bins expected)

-- Pairs of a float and the largest index; whole numbers, so that any order adds up to the same.
entry weighted (n: i64) (k: i64) =
  let op (a: f32, i: i64) (b, j) = (a + b, i64.max i j)
  let value i w = (f32.i64 (i % 5 * w), i)
  let bins =
    intrinsics.hist_stream (replicate k (0, -1))
                           op
                           (0, -1)
                           (\(acc: *acc ([k](f32, i64))) i ->
                              let acc = intrinsics.acc_write acc (place k i 0) (value i 0)
                              let acc = intrinsics.acc_write acc (place k i 1) (value i 1)
                              in intrinsics.acc_write acc (place k i 2) (value i 2))
                           (iota n)
  let expected = by_loop k op (0, -1) n (place k) value
  in and (map2 (\(a, i) (b, j) -> a == b && i == j) bins expected)

-- Two accumulators of the same points.
entry beside (n: i64) (k: i64) =
  let bins =
    add (replicate k 0)
        (\(acc: *acc ([k]i32)) i ->
           intrinsics.acc_write (intrinsics.acc_write acc (place k i 0) 1) (place k i 2) (i32.i64 i))
        (iota n)
  let others =
    intrinsics.hist_stream (replicate k 0i64)
                           i64.max
                           0
                           (\(acc: *acc ([k]i64)) i ->
                              intrinsics.acc_write (intrinsics.acc_write acc (place k i 2) i) (place k i 0) (2 * i))
                           (iota n)
  let two i w = if w == 1 then -1 else place k i w
  in and (map2 (==) bins (by_loop k (+) 0 n two (\i w -> if w == 0 then 1 else i32.i64 i)))
     && and (map2 (==) others (by_loop k i64.max 0 n two (\i w -> if w == 0 then 2 * i else i)))
