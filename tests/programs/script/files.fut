-- SPDX-License-Identifier: Apache-2.0
-- Data files: plain, compressed, and as bytes.
-- ==
-- entry: total
-- input @ data/numbers.in
-- output { 6i32 }
-- input @ data/numbers.in.gz
-- output @ data/six.out.gz
-- script input { $loaddata "data/numbers.in" } output { 6i32 }
-- script input { $loaddata "data/numbers.in.gz" } output { 6i32 }

entry total (xs: []i32) : i32 = i32.sum xs

-- ==
-- entry: weighted
-- script input { let (xs, k) = $loaddata "data/two.in" in ($loaddata "data/numbers.in", k) } output { 42i32 }
-- script input { $loaddata "data/two.in" } output { 70i32 }

entry weighted (xs: []i32) (k: i32) : i32 = k * i32.sum xs

-- ==
-- entry: count_lines
-- script input { $loadbytes "data/numbers.in" } output { 1i64 }
-- script input { $loadbytes "data/numbers.in.gz" } output { 1i64 }
-- script input { "one\ntwo\n" } output { 2i64 }

entry count_lines (s: []u8) : i64 = i64.sum (map (\c -> i64.bool (c == '\n')) s)
