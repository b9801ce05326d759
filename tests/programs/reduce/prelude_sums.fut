-- SPDX-License-Identifier: Apache-2.0
-- sum, product, minimum, maximum of the number modules.

-- ==
-- input { [2i64, 5i64, 3i64] } output { 10i64 30i64 2i64 5i64 }
-- input { empty([0]i64) } output { 0i64 1i64 9223372036854775807i64 -9223372036854775808i64 }
entry main [n] (xs: [n]i64) : (i64, i64, i64, i64) = (i64.sum xs, i64.product xs, i64.minimum xs, i64.maximum xs)
