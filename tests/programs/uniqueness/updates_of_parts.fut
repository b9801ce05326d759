-- SPDX-License-Identifier: Apache-2.0
-- `with` and `let … =` on paths of fields and indices.
-- ==
-- input { [1, 2, 3] } output { [9, 2, 8] [[0, 7], [0, 0]] 4 [1, 5, 3] [5, 6, 3] 3 }

type state = {xs: [3]i32, inner: {n: i32, m: [2][2]i32}}

def main (xs: [3]i32) =
  let s : state = {xs = copy xs, inner = {n = 3, m = replicate 2 (replicate 2 0)}}
  let a = copy s.xs with [0] = 9 with [2] = 8
  let t = {xs = copy xs, inner = {n = 3, m = replicate 2 (replicate 2 0)}} with inner.m[0, 1] = 7
  let u = s with inner.n = 4
  let v = copy xs
  let v[1] = 5
  let w = copy xs
  let w[0:2] = [5, 6]
  in (a, t.inner.m, u.inner.n, v, w, s.inner.n)
