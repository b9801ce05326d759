-- SPDX-License-Identifier: Apache-2.0
-- Errors name what the program names: variables, arrays, functions.
-- ==
-- entry: index
-- input { [1, 2, 3] 5i64 }
-- error: Index \[5\] out of bounds for array of shape \[3\]\..`i` is 5, but `xs` has shape \[3\].*in lookup.*in index
entry index (ys: []i32) (k: i64) : i32 =
  let lookup (xs: []i32) (i: i64) : i32 = xs[i]
  in lookup ys k

-- ==
-- entry: in_kernel
-- input { [[1, 2], [3, 4]] [0i64, 1i64] }
-- error: Index \[1, 2\].*`k` is 1, `k \+ 1` is 2, but `rows` has shape \[2\]\[2\].*in pick.*in in_kernel
def pick (rows: [][]i32) (k: i64) : i32 = rows[k, k + 1]

entry in_kernel (rows: [][]i32) (ks: []i64) : []i32 = map (pick rows) ks

-- ==
-- entry: slice
-- input { [1, 2, 3] 2i64 4i64 } error: Index \[2:4\].*`from` is 2, `to` is 4, but `xs` has shape \[3\].*in slice
entry slice (xs: []i32) (from: i64) (to: i64) : []i32 = xs[from:to]

-- ==
-- entry: update
-- input { [1, 2, 3] -1i64 } error: `at` is -1, but `p.cells` has shape \[3\].*in update
entry update (cells: []i32) (at: i64) : []i32 =
  let p = {cells = copy cells, name = 1i32}
  in (p with cells[at] = 0).cells

-- ==
-- entry: division
-- input { 1 0 } error: division by zero.`y` is 0.*in division
entry division (x: i32) (y: i32) : i32 = x / y

-- ==
-- entry: exponent
-- input { 2 -3 } error: negative exponent.`y` is -3.*in exponent
entry exponent (x: i32) (y: i32) : i32 = x ** y

-- ==
-- entry: range
-- input { 3i64 1i64 } error: Range 3\.\.<1 is invalid\..`low` is 3, `high` is 1.*in range
entry range (low: i64) (high: i64) : []i64 = low..<high

-- ==
-- entry: assertion
-- input { 2 7u8 } error: Assertion is false: .*`x` is 2, `limit` is 7.*in assertion
entry assertion (x: i32) (limit: u8) : i32 = assert (x > i32.u8 limit) (x - 1)

-- ==
-- entry: shape
-- input { [1, 2] 3i64 } error: Value of \(desugared\) shape \[2\].*`ys` has shape \[2\], `\[n\]i32` is asked for.*in shape
entry shape (xs: []i32) (n: i64) : i32 =
  let ys = filter (> 0) xs
  in (ys :> [n]i32)[0]

-- ==
-- entry: value_of_slice
-- input { [1, 2, 3] [4, 5] } error: Shape of slice does not match shape of value\..shape \[2\] instead of \[3\].*in value_of_slice
entry value_of_slice (xs: []i32) (vs: []i32) : []i32 = copy xs with [0:3] = vs

-- ==
-- entry: in_prelude
-- input { -2i64 } error: Range 0\.\.1\.\.<-2 is invalid.*in iota.*in in_prelude
entry in_prelude (n: i64) : []i64 = iota n

-- What does not fit into 64 bits is shown as what it was.
-- ==
-- entry: too_large
-- input { 4294967296i64 4294967295i64 } error: Range 0\.\.1\.\.<-4294967296 is invalid\..`n` is -4294967296, which is 4294967296 \* 4294967295 in 64 bits.*in iota
entry too_large (n: i64) (m: i64) : i64 = length (iota (n * m))

-- ==
-- entry: too_many
-- input { 4294967296i64 4294967295i64 } error: is invalid\..4294967296 \* 4294967295 in 64 bits.*in replicate.*in too_many
entry too_many (n: i64) (m: i64) : i64 = length (replicate (n * m) 0u8)
