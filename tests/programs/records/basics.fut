-- SPDX-License-Identifier: Apache-2.0
-- Building, reading, updating and matching records; the order of fields does not matter.

type point = {x: i32, y: i32}

def mirror (p: point) : point = {y = p.x, x = p.y}

-- ==
-- entry: fields
-- input { 1i32 2i32 } output { 2i32 1i32 }
entry fields (x: i32) (y: i32) : (i32, i32) = let p = mirror {x, y} in (p.x, p.y)

-- ==
-- entry: update
-- input { 1i32 2i32 } output { 10i32 2i32 1i32 }
entry update (x: i32) (y: i32) : (i32, i32, i32) =
  let p = {x, y}
  let q = p with x = 10
  in (q.x, q.y, p.x)

-- ==
-- entry: matching
-- input { 3i32 4i32 } output { 7i32 }
entry matching (x: i32) (y: i32) : i32 = let {x = a, y = b} = {y, x} in a + b

-- ==
-- entry: nested
-- input { 1i32 2i32 } output { 1i32 20i32 }
entry nested (x: i32) (y: i32) : (i32, i32) =
  let line = {from = {x, y}, to = {x = 0, y = 0}}
  let longer = line with from.y = 20
  in (longer.from.x, longer.from.y)
