-- SPDX-License-Identifier: Apache-2.0
-- Quotients and remainders in lanes: all pairs of numbers around the ends of the type and around powers of two,
-- with a divisor of each lane's own and with one that all lanes share.  Quotient and remainder are the only ones
-- that make up the dividend, with a remainder smaller than the divisor and of the right sign.
-- ==
-- entry: i8s i16s i32s i64s u8s u16s u32s u64s
-- input { } output { true }
-- ==
-- entry: by_each
-- input { [7i32, -7i32, 2147483647i32, -2147483648i32, -2147483648i32] [2i32, 2i32, -1i32, -1i32, 3i32] }
-- output { [3i32, -4i32, -2147483647i32, -2147483648i32, -715827883i32] [1i32, 1i32, 0i32, 0i32, 1i32]
--          [3i32, -3i32, -2147483647i32, -2147483648i32, -715827882i32] [1i32, -1i32, 0i32, 0i32, -2i32] }
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32] [1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 0i32, 1i32] } error: division by zero
-- ==
-- entry: by_one
-- input { [7i32, -7i32, 2147483647i32, -2147483648i32] 2i32 }
-- output { [3i32, -4i32, 1073741823i32, -1073741824i32] [1i32, 1i32, 1i32, 0i32] }
-- input { [7i32, -7i32, 2147483647i32, -2147483648i32] -1i32 }
-- output { [-7i32, 7i32, -2147483647i32, -2147483648i32] [0i32, 0i32, 0i32, 0i32] }
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32] 0i32 } error: division by zero
-- ==
-- entry: powers powers64
-- input { [7i32, -7i32, 8i32, -8i32, 2147483647i32, -2147483648i32, 0i32, -1i32] }
-- output { true }
-- ==
-- entry: in_some_lanes
-- input { [10i32, 20i32, 30i32, 40i32, 50i32, 60i32, 70i32, 80i32, 90i32] [0i32, 3i32, 0i32, 7i32, 8i32, 0i32, 9i32, 11i32, 0i32] }
-- output { [-1i32, 6i32, -1i32, 5i32, 6i32, -1i32, 7i32, 7i32, -1i32] }
-- ==
-- entry: in_some_lanes64
-- input { [10i64, -20i64, 30i64, 9223372036854775807i64, -9223372036854775808i64, 60i64, -9223372036854775808i64, 80i64, 90i64]
--         [0i64, 3i64, 0i64, 7i64, 8i64, 0i64, -1i64, -9223372036854775808i64, 0i64] }
-- output { [-1i64, -7i64, -1i64, 1317624576693539401i64, -1152921504606846976i64, -1i64, -9223372036854775808i64, -1i64, -1i64] }
-- ==
-- entry: by_each64
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64] [1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 0i64, 1i64] } error: division by zero
-- ==
-- entry: random64
-- input { } output { true }

module type number = {
  type t
  val numbers : () -> ?[k].[k]t
  -- Are both kinds of division right?
  val is_right : t -> t -> bool
  val is_zero : t -> bool
}

module checked (n: number) = {
  def all_right : bool =
    let numbers = n.numbers ()
    let divisors = filter (\y -> !(n.is_zero y)) numbers
    -- In the first, all lanes share the divisor; in the second, each has its own.
    in and (map (\y -> and (opaque (map (\x -> n.is_right x y) numbers))) divisors)
       && and (map (\x -> and (opaque (map (\y -> n.is_right x y) divisors))) numbers)
}

module signed (p: integral) = {
  type t = p.t
  def zero = p.i64 0
  def numbers () : ?[k].[k]t =
    let near (x: t) = map (\k -> (p.+) x (p.i64 (k - 2))) (iota 5)
    let power (k: i64) : t = (p.<<) (p.i64 1) (p.i64 k)
    in flatten (map (\k -> near (power k) ++ near (p.neg (power k))) (iota (i64.i32 p.num_bits)))
       ++ map (\k -> p.i64 (k * 123456789123 + 37)) (iota 40)
  def is_zero (x: t) = x p.== zero
  def is_right (x: t) (y: t) : bool =
    let (d, m) = (x p./ y, x p.% y)
    let (q, r) = (x p.// y, x p.%% y)
    -- Magnitudes are compared as negative numbers, of which there is one more.
    let low (v: t) = if v p.< zero then v else p.neg v
    let fits (r: t) = low y p.< low r
    in ((d p.* y) p.+ m) p.== x && fits m && (m p.== zero || (m p.< zero) == (y p.< zero))
       && ((q p.* y) p.+ r) p.== x && fits r && (r p.== zero || (r p.< zero) == (x p.< zero))
}

module unsigned (p: integral) = {
  type t = p.t
  def zero = p.i64 0
  def numbers () : ?[k].[k]t =
    let near (x: t) = map (\k -> (p.+) x (p.i64 (k - 2))) (iota 5)
    let power (k: i64) : t = (p.<<) (p.i64 1) (p.i64 k)
    in flatten (map (\k -> near (power k)) (iota (i64.i32 p.num_bits)))
       ++ map (\k -> p.i64 (k * 123456789123 + 37)) (iota 40)
  def is_zero (x: t) = x p.== zero
  def is_right (x: t) (y: t) : bool =
    let (d, m) = (x p./ y, x p.% y)
    in ((d p.* y) p.+ m) p.== x && m p.< y && d p.<= x && (x p.// y) p.== d && (x p.%% y) p.== m
}

module c_i8 = checked (signed i8)
module c_i16 = checked (signed i16)
module c_i32 = checked (signed i32)
module c_i64 = checked (signed i64)
module c_u8 = checked (unsigned u8)
module c_u16 = checked (unsigned u16)
module c_u32 = checked (unsigned u32)
module c_u64 = checked (unsigned u64)
entry i8s = c_i8.all_right
entry i16s = c_i16.all_right
entry i32s = c_i32.all_right
entry i64s = c_i64.all_right
entry u8s = c_u8.all_right
entry u16s = c_u16.all_right
entry u32s = c_u32.all_right
entry u64s = c_u64.all_right

entry by_each [n] (xs: [n]i32) (ys: [n]i32) =
  unzip4 (map2 (\x y -> (x / y, x % y, x // y, x %% y)) xs ys)
entry by_one [n] (xs: [n]i32) (y: i32) = unzip (map (\x -> (x / y, x % y)) xs)
entry in_some_lanes [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 =
  map2 (\x y -> if y == 0 then -1 else x / y) xs ys
entry in_some_lanes64 [n] (xs: [n]i64) (ys: [n]i64) : [n]i64 =
  map2 (\x y -> if y == 0 then -1 else x / y) xs ys
entry by_each64 [n] (xs: [n]i64) (ys: [n]i64) = unzip (map2 (\x y -> (x / y, x % y)) xs ys)
-- Numbers of all lengths against numbers of all lengths.
entry random64 : bool =
  let mix (x: u64) : u64 =
    let x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd
    let x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53
    in x ^ (x >> 33)
  let number (k: i64) : u64 = mix (u64.i64 k) >> (mix (u64.i64 (k + 1000000)) % 64)
  in and (map (\i -> let (x, y) = (number i, u64.max 1 (number (i + 500000)))
                     let (d, m) = (x / y, x % y)
                     in d * y + m == x && m < y && d <= x)
              (iota 20000))
-- By constants that are powers of two, and by the same as values.
def by [n] (a: i32) (xs: [n]i32) : [n](i32, i32, i32, i32) = map (\x -> (x / a, x % a, x // a, x %% a)) xs
entry powers (xs: []i32) : bool =
  let same [n] (as: [n](i32, i32, i32, i32)) (bs: [n](i32, i32, i32, i32)) = and (map2 (==) as bs)
  let at a = opaque (copy [a])[0]
  in same (by 1 xs) (by (at 1) xs) && same (by 2 xs) (by (at 2) xs) && same (by 64 xs) (by (at 64) xs)
     && same (by 1073741824 xs) (by (at 1073741824) xs) && same (by (-2147483648) xs) (by (at (-2147483648)) xs)
entry powers64 (xs: []i32) : bool =
  let big = map (\x -> i64.i32 x * 4294967297) xs
  let at (a: i64) = opaque (copy [a])[0]
  let ok (a: i64) (b: i64) = and (map (\x -> (x / a, x % a) == (x / b, x % b)) big)
  in ok 2 (at 2) && ok 4294967296 (at 4294967296) && ok 4611686018427387904 (at 4611686018427387904)
