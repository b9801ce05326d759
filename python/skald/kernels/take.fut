-- SPDX-License-Identifier: Apache-2.0
-- Elements and rows at places that are known to be in bounds; negative ones count from the end.  The next line is written anew for each type.
type number = f64

-- ==
-- entry: elements
-- input { [1f64, 2, 3] [0i64, -1, 2, 0] } output { [1f64, 3, 3, 1] }
entry elements [m] [n] (from: [m]number) (places: [n]i64) : [n]number =
  map (\place -> #[unsafe] from[if place < 0 then place + m else place]) places

-- ==
-- entry: rows
-- input { [[1f64, 2], [3f64, 4]] [1i64, -1, 0] } output { [[3f64, 4], [3f64, 4], [1f64, 2]] }
entry rows [m] [k] [n] (from: [m][k]number) (places: [n]i64) : [n][k]number =
  map (\place -> #[unsafe] from[if place < 0 then place + m else place]) places
