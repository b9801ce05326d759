-- SPDX-License-Identifier: Apache-2.0
-- Updates of arrays inside records.

-- ==
-- input { [1i32, 2i32, 3i32] } output { [1i32, 50i32, 3i32] 1i32 }
entry main (xs: *[3]i32) : ([3]i32, i32) =
  let r = {data = xs, changes = 0}
  let r = r with data[1] = 50
  let r = r with changes = r.changes + 1
  in (r.data, r.changes)
