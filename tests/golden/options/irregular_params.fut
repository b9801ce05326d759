-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --params
-- Which nests leave a choice on a cpu: not those whose attributes ask for loops.
def evens (n: i64) : i64 = i64.sum (filter (\x -> x % 2 == 0) (scan (+) 0 (iota n)))

entry as_is (ns: []i64) = map evens ns
entry all_sequential (ns: []i64) = #[sequential] map evens ns
entry inner_sequential (ns: []i64) = #[sequential_inner] map evens ns
entry outer_sequential (ns: []i64) = #[sequential_outer] map evens ns
entry only_flat (ns: []i64) = #[flattening(only_inner)] map evens ns
entry nonuniform (ns: []i64) = #[flattening(sequentialise_nonuniform)] map evens ns
