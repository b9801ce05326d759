-- SPDX-License-Identifier: Apache-2.0
-- Places in sorted arrays: np.searchsorted, np.digitize, np.interp.  The next two lines are written anew for each type of elements.
module number = f64
type number = f64

def is_nan (x: number) = x number.!= x

-- The order in which NumPy sorts: what is not a number comes last.
def before (x: number) (y: number) = x number.< y || (is_nan y && !(is_nan x))

-- How many elements come before x; `goes_left` says so of an element.
def count_left [m] (goes_left: number -> bool) (sorted: [m]number) : i64 =
  (loop (low, high) = (0i64, m) while low < high do
     let middle = (low + high) / 2
     in if goes_left (#[unsafe] sorted[middle]) then (middle + 1, high) else (low, middle)).0

-- ==
-- entry: left
-- input { [1f64, 2, 2, 5] [0f64, 2, 3, 9, f64.nan] } output { [0i64, 1, 3, 4, 4] }
entry left [m] [n] (sorted: [m]number) (values: [n]number) : [n]i64 =
  map (\x -> count_left (\y -> before y x) sorted) values

-- ==
-- entry: right
-- input { [1f64, 2, 2, f64.nan] [0f64, 2, 3, 9, f64.nan] } output { [0i64, 3, 3, 3, 4] }
entry right [m] [n] (sorted: [m]number) (values: [n]number) : [n]i64 =
  map (\x -> count_left (\y -> !(before x y)) sorted) values

-- On the line through the points to both sides of x; exactly their height at the points.
def between [m] (at: [m]f64) (heights: [m]f64) (x: f64) (j: i64) : f64 =
  let (x0, x1, y0, y1) = #[unsafe] (at[j], at[j + 1], heights[j], heights[j + 1])
  let slope = (y1 - y0) / (x1 - x0)
  let y = slope * (x - x0) + y0
  let from_right = slope * (x - x1) + y1
  in if x == x0 then y0
     else if !(f64.isnan y) then y
     else if f64.isnan from_right && y0 == y1 then y0
     else from_right

-- ==
-- entry: interpolate
-- input { [0f64, 1, 3] [0f64, 10, 30] -1f64 -2f64 [-0.5f64, 0, 0.5, 1, 2, 3, 4] } output { [-1f64, 0, 5, 10, 20, 30, -2] }
-- input { [1f64] [7f64] -1f64 -2f64 [0.5f64, 1, 2] } output { [-1f64, 7, -2] }
entry interpolate [m] [n] (at: [m]f64) (heights: [m]f64) (left: f64) (right: f64) (values: [n]f64) : [n]f64 =
  map (\x -> let j = (loop (low, high) = (0i64, m) while low < high do
                        let middle = (low + high) / 2
                        in if #[unsafe] at[middle] <= x then (middle + 1, high) else (low, middle)).0 - 1
             in if f64.isnan x then x
                else if j < 0 then left
                else if j >= m - 1 then (if x > #[unsafe] at[m - 1] then right else #[unsafe] heights[m - 1])
                else between at heights x j)
      values
