-- SPDX-License-Identifier: Apache-2.0
-- Sizes that need several threads and do not divide evenly.

-- ==
-- compiled input { 1000003i64 } output { 2000012000018i64 }
-- compiled input { 65537i64 } output { 8590196738i64 }
-- input { 1i64 } output { 2i64 }
entry main (n: i64) : i64 = reduce (+) 0 (map2 (+) (iota n) (map (\i -> 3 * i + 2) (iota n)) |> map (\x -> x))
