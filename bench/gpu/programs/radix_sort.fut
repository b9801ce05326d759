-- SPDX-License-Identifier: Apache-2.0
-- Sorts by four bits at a time, the least significant first.  Rows of 128 elements count how many have each digit; then each
-- element knows its place.
def block = 128i64

-- Sixteen counts of at most `block`, of eight bits each.
type counts = (u64, u64)

def add ((a, b): counts) ((c, d): counts) : counts = (a + c, b + d)
def one (digit: u64) : counts =
  let bit = 1u64 << (8 * (digit & 7))
  in (if digit < 8 then bit else 0, if digit < 8 then 0 else bit)
def count ((a, b): counts) (digit: u64) : i32 =
  i32.u64 (((if digit < 8 then a else b) >> (8 * (digit & 7))) & 255)

def digit (shift: u32) (x: u32) : u64 = u64.u32 ((x >> shift) & 15)

-- The places of all elements of the rows when they are sorted by one digit.
def places [b] (xs: [b][block]u32) (shift: u32) : [b][block]i64 =
  let totals = map (\row -> reduce_comm add (0, 0) (map (\x -> one (digit shift x)) row)) xs
  let all = flatten (tabulate_2d 16 b (\d i -> count totals[i] (u64.i64 d)))
  let starts = map2 (-) (scan (+) 0 all) all
  in map2 (\i row ->
             let sums = scan add (0, 0) (map (\x -> one (digit shift x)) row)
             in map2 (\x sum -> let d = digit shift x
                                in i64.i32 (#[unsafe] starts[i64.u64 d * b + i] + count sum d - 1)) row sums)
          (iota b) xs

entry radix_sort [n] (xs: [n]u32) : [n]u32 =
  let b = (n + block - 1) / block
  let padded = tabulate_2d b block (\i j -> if i * block + j < n then xs[i * block + j] else u32.highest)
  let (sorted, _) =
    loop (rows, spare) = (padded, replicate (b * block) 0) for k < 8 do
      (unflatten (scatter spare (flatten (places rows (u32.i32 (4 * k)))) (flatten rows)), flatten rows)
  in take n (flatten sorted)
