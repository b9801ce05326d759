-- SPDX-License-Identifier: Apache-2.0
def sorted [n] (keys: [n]i64): [n]i64 =
  if n < 2 then keys
  else let (a, b, c) = (keys[0], keys[n / 2], keys[n - 1])
       let pivot = i64.max (i64.min a b) (i64.min (i64.max a b) c)
       let lesser = filter (< pivot) keys
       let equal = filter (== pivot) keys
       let greater = filter (> pivot) keys
       in (sorted lesser ++ equal ++ sorted greater) :> [n]i64
entry main [n] (keys: [n]i64): [n]i64 = sorted keys
