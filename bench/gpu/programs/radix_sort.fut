-- SPDX-License-Identifier: Apache-2.0
-- Sorts by four bits at a time, the least significant first.  Counts of sixteen digits, of 32 bits each, are found for
-- blocks of the array; then each element knows its place.
def block = 1024i64

def digit (shift: u32) (x: u32) : i64 = i64.u32 ((x >> shift) & 15)

def step [b] (xs: [b][block]u32) (shift: u32) : [b][block]u32 =
  -- In each block: how many have each digit, and how many of the same digit come before each element.
  let counts = map (\row -> hist (+) 0i32 16 (map (digit shift) row) (replicate block 1)) xs
  let starts = transpose counts |> flatten |> \all -> map2 (-) (scan (+) 0 all) all
  let before row =
    -- Sixteen counts of block * 2 at most, in four words of four times 16 bits.
    let one x = let d = digit shift x
                let bit = 1u64 << u64.i64 (16 * (d % 4))
                in (if d / 4 == 0 then bit else 0, if d / 4 == 1 then bit else 0,
                    if d / 4 == 2 then bit else 0, if d / 4 == 3 then bit else 0)
    let sums = scan (\(a, b, c, d) (e, f, g, h) -> (a + e, b + f, c + g, d + h)) (0, 0, 0, 0) (map one row)
    in map2 (\x (a, b, c, d) ->
               let k = digit shift x
               let w = if k / 4 == 0 then a else if k / 4 == 1 then b else if k / 4 == 2 then c else d
               in i64.u64 ((w >> u64.i64 (16 * (k % 4))) & 0xffff) - 1) row sums
  let places = map2 (\i row -> map2 (\x k -> i64.i32 starts[digit shift x * b + i] + k) row (before row)) (iota b) xs
  in unflatten (scatter (replicate (b * block) 0) (flatten places) (flatten xs))

entry radix_sort [n] (xs: [n]u32) : [n]u32 =
  let b = (n + block - 1) / block
  let padded = tabulate_2d b block (\i j -> if i * block + j < n then xs[i * block + j] else u32.highest)
  let sorted = loop rows = padded for k < 8 do step rows (u32.i32 (4 * k))
  in take n (flatten sorted)
