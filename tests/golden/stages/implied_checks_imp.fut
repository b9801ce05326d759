-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump -w --after=forks --disable=caches
-- One check for each index that is given: remainders by the length of the array are indices as soon as it has an element,
-- and so is half of an index. The remainder by another number, and half of another one, are checked.
def main [n] (xs: [n]i32) (m: i64) (is: []i64) (js: []i64) =
  map2 (\i j -> xs[i] + xs[(i + 1) % n] + xs[i / 2] + xs[(i + 1) % m] + xs[j / 2]) is js
