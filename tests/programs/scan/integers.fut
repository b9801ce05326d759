-- SPDX-License-Identifier: Apache-2.0
-- Every integer operator that is scanned in registers, on every width, for lengths around those of registers and pieces.
-- ==
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 33i64 } output { true }
-- input { 64i64 } output { true }
-- input { 129i64 } output { true }
-- input { 511i64 } output { true }
-- input { 1037i64 } output { true }

def same 't (eq: t -> t -> bool) (op: t -> t -> t) (ne: t) (of: i64 -> t) (n: i64): bool =
  let xs = map (\i -> of ((i + 1) * 7919 ^ (i << 3))) (iota n)
  let one_by_one = (loop (acc, ys) = (ne, replicate n ne) for i < n do
                      let next = op acc xs[i]
                      in (next, ys with [i] = next)).1
  in and (map2 eq (scan op ne xs) one_by_one)

def signed (n: i64): bool =
  same (==) (+) 0i8 i8.i64 n && same (==) (*) 1i8 (\x -> i8.i64 (x | 1)) n
  && same (==) i8.min i8.highest i8.i64 n && same (==) i8.max i8.lowest i8.i64 n
  && same (==) (+) 0i16 i16.i64 n && same (==) (*) 1i16 (\x -> i16.i64 (x | 1)) n
  && same (==) i16.min i16.highest i16.i64 n && same (==) i16.max i16.lowest i16.i64 n
  && same (==) (+) 0i32 i32.i64 n && same (==) (*) 1i32 (\x -> i32.i64 (x | 1)) n
  && same (==) i32.min i32.highest i32.i64 n && same (==) i32.max i32.lowest i32.i64 n
  && same (==) (+) 0i64 i64.i64 n && same (==) (*) 1i64 (\x -> x | 1) n
  && same (==) i64.min i64.highest i64.i64 n && same (==) i64.max i64.lowest i64.i64 n

def unsigned (n: i64): bool =
  same (==) u8.min u8.highest u8.i64 n && same (==) u8.max 0 u8.i64 n
  && same (==) (&) u16.highest (\x -> u16.i64 (x | 4080)) n && same (==) (|) 0u16 (\x -> u16.i64 (x & 4080)) n
  && same (==) (^) 0u32 u32.i64 n && same (==) u32.min u32.highest u32.i64 n
  && same (==) u64.max 0 u64.i64 n && same (==) (^) 0u64 u64.i64 n

def main (n: i64): bool = signed n && unsigned n
