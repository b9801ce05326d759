-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=cl
-- A function that calls itself in a thread is a loop with a stack: what is needed after a call lies in a frame.

def nearest [n] (xs: [n]i32) (q: i32) (best: i32) : i32 =
  if n == 0 then best
  else let h = n / 2
       let here = i32.min best (i32.abs (xs[h] - q))
       let left = nearest (take h xs) q here
       in if q < xs[h] - left then left else nearest (drop (h + 1) xs) q left

entry main (xs: []i32) (qs: []i32) = map (\q -> nearest xs q i32.highest) qs
