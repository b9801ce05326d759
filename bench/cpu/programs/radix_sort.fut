-- SPDX-License-Identifier: Apache-2.0
-- Sorts unsigned numbers, two bits at a time.
def step [n] (xs: [n]u32) (bit: i32) : [n]u32 =
  let digit (x: u32) = i64.u32 ((x >> u32.i32 bit) & 3)
  let flags = map (\x -> let d = digit x
                         in (i64.bool (d == 0), i64.bool (d == 1), i64.bool (d == 2), i64.bool (d == 3))) xs
  let add (a0, a1, a2, a3) (b0, b1, b2, b3) = (a0 + b0, a1 + b1, a2 + b2, a3 + b3)
  let sums = scan add (0i64, 0, 0, 0) flags
  let (n0, n1, n2, _) = if n == 0 then (0, 0, 0, 0) else last sums
  let place x (s0, s1, s2, s3) =
    let d = digit x
    in if d == 0 then s0 - 1
       else if d == 1 then n0 + s1 - 1
       else if d == 2 then n0 + n1 + s2 - 1
       else n0 + n1 + n2 + s3 - 1
  in scatter (copy xs) (map2 place xs sums) xs

def main [n] (xs: [n]u32) : [n]u32 = loop xs = copy xs for i < 16 do step xs (i * 2)
