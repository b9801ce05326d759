-- SPDX-License-Identifier: Apache-2.0
-- Sorts unsigned numbers by their digits of eleven bits, the least significant first.  Pieces of the array count and
-- number their digits one element after the other; the pieces run in parallel.
def pieces = 64i64
def digits = 2048i64

def digit (shift: u32) (x: u32) : i64 = i64.u32 ((x >> shift) & 2047)

def sums_before [n] (xs: [n]i32) : [n]i32 = map2 (-) (scan (+) 0 xs) xs

def step [n] (xs: [n]u32) (shift: u32) : *[n]u32 =
  let size = (n + pieces - 1) / pieces
  let length p = i64.min size (n - p * size)
  let count p =
    loop own = replicate digits 0i32 for i < length p do
      let d = digit shift xs[p * size + i] in own with [d] = own[d] + 1
  let begins = tabulate pieces count |> transpose |> flatten |> sums_before |> unflatten |> transpose
  let place p (begin: [digits]i32) : [size]i32 =
    (loop (next, targets) = (copy begin, replicate size (-1)) for i < length p do
       let d = digit shift xs[p * size + i]
       let t = next[d]
       in (next with [d] = t + 1, targets with [i] = t)).1
  let targets = take n (flatten (map2 place (iota pieces) begins))
  in scatter (replicate n 0) (map i64.i32 targets) xs

def main [n] (xs: [n]u32) : [n]u32 = loop xs = copy xs for shift in [0, 11, 22] do step xs shift
