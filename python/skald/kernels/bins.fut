-- SPDX-License-Identifier: Apache-2.0
-- Elements of bins: what np.bincount, np.histogram and np.add.at do.  The next two lines are written anew for each type of elements.
module number = f64
type number = f64

-- Places count from the end if they are negative.
def from_start [m] 't (_: [m]t) (place: i64) = if place < 0 then place + m else place

-- ==
-- entry: add_at
-- input { [1f64, 2, 3] [0i64, -1, 0] [10f64, 20, 30] } output { [41f64, 2, 23] }
-- input { [1f64] empty([0]i64) empty([0]f64) } output { [1f64] }
entry add_at [m] [n] (elements: *[m]number) (places: [n]i64) (values: [n]number) : *[m]number =
  let wrapped = map (from_start elements) places
  in reduce_by_index elements (number.+) (number.i64 0) wrapped values

-- ==
-- entry: maximum_at
-- input { [1f64, 2, 3] [0i64, -1, 0] [10f64, 2, 30] } output { [30f64, 2, 3] }
entry maximum_at [m] [n] (elements: *[m]number) (places: [n]i64) (values: [n]number) : *[m]number =
  let wrapped = map (from_start elements) places
  in reduce_by_index elements number.max number.lowest wrapped values

-- ==
-- entry: minimum_at
-- input { [1f64, 2, 3] [0i64, -1, 0] [10f64, 2, -30] } output { [-30f64, 2, 2] }
entry minimum_at [m] [n] (elements: *[m]number) (places: [n]i64) (values: [n]number) : *[m]number =
  let wrapped = map (from_start elements) places
  in reduce_by_index elements number.min number.highest wrapped values

-- How often each place occurs.
-- ==
-- entry: count
-- input { 4i64 [1i64, 3, 1] } output { [0i64, 2, 0, 1] }
entry count [n] (bins: i64) (places: [n]i64) : [bins]i64 = hist (+) 0 bins places (replicate n 1)

-- ==
-- entry: total
-- input { 4i64 [1i64, 3, 1] [0.5f64, 2, 1] } output { [0f64, 1.5, 0, 2] }
entry total [n] (bins: i64) (places: [n]i64) (weights: [n]f64) : [bins]f64 = hist (+) 0 bins places weights

-- The bin between edges at equal distances, or -1.  Rounding may lead to the bin beside; the edges themselves decide.
def equal_bin [k] (first: number) (last: number) (edges: [k]number) (x: number) : i64 =
  if !(x number.>= first && x number.<= last) then -1
  else let guess = number.to_i64 ((x number.- first) number./ (last number.- first) number.* number.i64 (k - 1))
       let guess = if guess == k - 1 then guess - 1 else guess
       let guess = if guess > 0 && x number.< #[unsafe] edges[guess] then guess - 1 else guess
       in if guess != k - 2 && x number.>= #[unsafe] edges[guess + 1] then guess + 1 else guess

-- ==
-- entry: histogram
-- input { 2i64 [0f64, 1, 2] [0f64, 0.5, 1, 2, 2.5, f64.nan, -1] } output { [2i64, 2] }
entry histogram [k] [n] (bins: i64) (edges: [k]number) (elements: [n]number) : [bins]i64 =
  hist (+) 0 bins (map (equal_bin edges[0] edges[k - 1] edges) elements) (replicate n 1)

-- ==
-- entry: weighted_histogram
-- input { 2i64 [0f64, 1, 2] [0f64, 0.5, 1, 2, 2.5] [1f64, 2, 3, 4, 5] } output { [3f64, 7] }
entry weighted_histogram [k] [n] (bins: i64) (edges: [k]number) (elements: [n]number) (weights: [n]f64) : [bins]f64 =
  hist (+) 0 bins (map (equal_bin edges[0] edges[k - 1] edges) elements) weights
