-- SPDX-License-Identifier: Apache-2.0
-- Several tangents or cotangents at once; records and tuples.
-- ==
-- entry: columns
-- input { [2.0, 3.0] } output { [6.0, 5.0] [[3.0, 1.0], [2.0, 1.0]] }
-- ==
-- entry: lines
-- input { [2.0, 3.0] } output { [6.0, 5.0] [[3.0, 2.0], [1.0, 1.0]] }
-- ==
-- entry: none
-- input { [2.0, 3.0] } output { 0i64 0i64 }
-- ==
-- entry: records
-- input { 2.0 [1.0, 2.0] } output { 12.0 [6.0, 6.0] 3.0 }

def f (x: [2]f64) : [2]f64 = [x[0] * x[1], x[0] + x[1]]

entry columns (x: [2]f64) : ([2]f64, [][]f64) = jmp2 f x [[1, 0], [0, 1]]
entry lines (x: [2]f64) : ([2]f64, [][]f64) = mjp2 f x [[1, 0], [0, 1]]
entry none (x: [2]f64) : (i64, i64) =
  let no : [0][2]f64 = []
  in (length (jmp f x no), length (mjp f x no))

type point = {scale: f64, parts: [2]f64}

entry records (s: f64) (xs: [2]f64) : (f64, [2]f64, f64) =
  let g (p: point) = {total = 3 * p.scale * f64.sum p.parts, count = 2i64}
  let (y, d) = vjp2 g {scale = s, parts = xs} {total = 1, count = 0}
  in (y.total - 6, d.parts, d.scale / 3)
