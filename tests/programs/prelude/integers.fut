-- SPDX-License-Identifier: Apache-2.0
-- Every member of the integer modules, for every type.

module members (I: integral) = {
  def arithmetic (x: I.t) (y: I.t) (k: I.t) : [10]I.t =
    [ x I.+ y, x I.- y, x I.* y, x I./ y, x I.% y, x I.** k, x I.// y, x I.%% y, I.max x y, I.min x y ]

  def bitwise (x: I.t) (y: I.t) (k: I.t) : [12]I.t =
    [ x I.& y, x I.| y, x I.^ y, x I.<< k, x I.>> k, x I.>>> k, I.not x, I.neg x, I.abs x, I.sgn x
    , I.mul_hi x y, I.mad_hi x y k ]

  def comparisons (x: I.t) (y: I.t) : [6]bool =
    [x I.== y, x I.!= y, x I.< y, x I.> y, x I.<= y, x I.>= y]

  def counts (x: I.t) : [6]i32 =
    [ I.num_bits, I.get_bit 0 x, I.get_bit 1 x, I.popc x, I.clz x, I.ctz x ]

  def folds [n] (xs: [n]I.t) : [6]I.t =
    [I.sum xs, I.product xs, I.maximum xs, I.minimum xs, I.set_bit 3 (head xs) 1, I.set_bit 0 (head xs) 0]

  def extremes : [2]I.t = [I.highest, I.lowest]

  def conversions : [12]I.t =
    [ I.i8 1, I.i16 2, I.i32 3, I.i64 4, I.u8 5, I.u16 6, I.u32 7, I.u64 8, I.f16 9.75, I.f32 10.5
    , I.f64 11.25, I.bool true ]

  def wide (x: I.t) : i64 = I.to_i64 x
}

module m_i8 = members i8

-- ==
-- entry: arithmetic_i8
-- input { 7i8 3i8 2i8 }
-- output { [10i8, 4i8, 21i8, 2i8, 1i8, 49i8, 2i8, 1i8, 7i8, 3i8] }
-- input { 100i8 -7i8 1i8 }
-- output { [93i8, 107i8, 68i8, -15i8, -5i8, 100i8, -14i8, 2i8, 100i8, -7i8] }
entry arithmetic_i8 = m_i8.arithmetic

-- ==
-- entry: bitwise_i8
-- input { 7i8 3i8 2i8 }
-- output { [3i8, 7i8, 4i8, 28i8, 1i8, 1i8, -8i8, -7i8, 7i8, 1i8, 0i8, 2i8] }
-- input { 100i8 -7i8 1i8 }
-- output { [96i8, -3i8, -99i8, -56i8, 50i8, 50i8, -101i8, -100i8, 100i8, 1i8, -3i8, -2i8] }
entry bitwise_i8 = m_i8.bitwise

-- ==
-- entry: comparisons_i8
-- input { 7i8 3i8 } output { [false, true, false, true, false, true] }
-- input { 100i8 -7i8 } output { [false, true, false, true, false, true] }
entry comparisons_i8 = m_i8.comparisons

-- ==
-- entry: counts_i8
-- input { 20i8 } output { [8i32, 0i32, 0i32, 2i32, 3i32, 2i32] }
-- input { 0i8 } output { [8i32, 0i32, 0i32, 0i32, 8i32, 8i32] }
entry counts_i8 = m_i8.counts

-- ==
-- entry: folds_i8
-- input { [5i8, 2i8, 11i8] } output { [18i8, 110i8, 11i8, 2i8, 13i8, 4i8] }
entry folds_i8 (xs: []i8) = m_i8.folds xs

-- ==
-- entry: empty_folds_i8
-- input { empty([0]i8) } output { [0i8, 1i8, -128i8, 127i8] }
entry empty_folds_i8 (xs: []i8) : [4]i8 = [i8.sum xs, i8.product xs, i8.maximum xs, i8.minimum xs]

-- ==
-- entry: constants_i8
-- input { 100i8 }
-- output { [127i8, -128i8] [1i8, 2i8, 3i8, 4i8, 5i8, 6i8, 7i8, 8i8, 9i8, 10i8, 11i8, 1i8] 100i64 }
entry constants_i8 (x: i8) : ([2]i8, [12]i8, i64) = (copy m_i8.extremes, copy m_i8.conversions, m_i8.wide x)

module m_i16 = members i16

-- ==
-- entry: arithmetic_i16
-- input { 7i16 3i16 2i16 }
-- output { [10i16, 4i16, 21i16, 2i16, 1i16, 49i16, 2i16, 1i16, 7i16, 3i16] }
-- input { 100i16 -7i16 1i16 }
-- output { [93i16, 107i16, -700i16, -15i16, -5i16, 100i16, -14i16, 2i16, 100i16, -7i16] }
entry arithmetic_i16 = m_i16.arithmetic

-- ==
-- entry: bitwise_i16
-- input { 7i16 3i16 2i16 }
-- output { [3i16, 7i16, 4i16, 28i16, 1i16, 1i16, -8i16, -7i16, 7i16, 1i16, 0i16, 2i16] }
-- input { 100i16 -7i16 1i16 }
-- output { [96i16, -3i16, -99i16, 200i16, 50i16, 50i16, -101i16, -100i16, 100i16, 1i16, -1i16, 0i16] }
entry bitwise_i16 = m_i16.bitwise

-- ==
-- entry: comparisons_i16
-- input { 7i16 3i16 } output { [false, true, false, true, false, true] }
-- input { 100i16 -7i16 } output { [false, true, false, true, false, true] }
entry comparisons_i16 = m_i16.comparisons

-- ==
-- entry: counts_i16
-- input { 20i16 } output { [16i32, 0i32, 0i32, 2i32, 11i32, 2i32] }
-- input { 0i16 } output { [16i32, 0i32, 0i32, 0i32, 16i32, 16i32] }
entry counts_i16 = m_i16.counts

-- ==
-- entry: folds_i16
-- input { [5i16, 2i16, 11i16] } output { [18i16, 110i16, 11i16, 2i16, 13i16, 4i16] }
entry folds_i16 (xs: []i16) = m_i16.folds xs

-- ==
-- entry: empty_folds_i16
-- input { empty([0]i16) } output { [0i16, 1i16, -32768i16, 32767i16] }
entry empty_folds_i16 (xs: []i16) : [4]i16 = [i16.sum xs, i16.product xs, i16.maximum xs, i16.minimum xs]

-- ==
-- entry: constants_i16
-- input { 100i16 }
-- output { [32767i16, -32768i16] [1i16, 2i16, 3i16, 4i16, 5i16, 6i16, 7i16, 8i16, 9i16, 10i16, 11i16, 1i16] 100i64 }
entry constants_i16 (x: i16) : ([2]i16, [12]i16, i64) = (copy m_i16.extremes, copy m_i16.conversions, m_i16.wide x)

module m_i32 = members i32

-- ==
-- entry: arithmetic_i32
-- input { 7i32 3i32 2i32 }
-- output { [10i32, 4i32, 21i32, 2i32, 1i32, 49i32, 2i32, 1i32, 7i32, 3i32] }
-- input { 100i32 -7i32 1i32 }
-- output { [93i32, 107i32, -700i32, -15i32, -5i32, 100i32, -14i32, 2i32, 100i32, -7i32] }
entry arithmetic_i32 = m_i32.arithmetic

-- ==
-- entry: bitwise_i32
-- input { 7i32 3i32 2i32 }
-- output { [3i32, 7i32, 4i32, 28i32, 1i32, 1i32, -8i32, -7i32, 7i32, 1i32, 0i32, 2i32] }
-- input { 100i32 -7i32 1i32 }
-- output { [96i32, -3i32, -99i32, 200i32, 50i32, 50i32, -101i32, -100i32, 100i32, 1i32, -1i32, 0i32] }
entry bitwise_i32 = m_i32.bitwise

-- ==
-- entry: comparisons_i32
-- input { 7i32 3i32 } output { [false, true, false, true, false, true] }
-- input { 100i32 -7i32 } output { [false, true, false, true, false, true] }
entry comparisons_i32 = m_i32.comparisons

-- ==
-- entry: counts_i32
-- input { 20i32 } output { [32i32, 0i32, 0i32, 2i32, 27i32, 2i32] }
-- input { 0i32 } output { [32i32, 0i32, 0i32, 0i32, 32i32, 32i32] }
entry counts_i32 = m_i32.counts

-- ==
-- entry: folds_i32
-- input { [5i32, 2i32, 11i32] } output { [18i32, 110i32, 11i32, 2i32, 13i32, 4i32] }
entry folds_i32 (xs: []i32) = m_i32.folds xs

-- ==
-- entry: empty_folds_i32
-- input { empty([0]i32) } output { [0i32, 1i32, -2147483648i32, 2147483647i32] }
entry empty_folds_i32 (xs: []i32) : [4]i32 = [i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs]

-- ==
-- entry: constants_i32
-- input { 100i32 }
-- output { [2147483647i32, -2147483648i32] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32, 10i32, 11i32, 1i32] 100i64 }
entry constants_i32 (x: i32) : ([2]i32, [12]i32, i64) = (copy m_i32.extremes, copy m_i32.conversions, m_i32.wide x)

module m_i64 = members i64

-- ==
-- entry: arithmetic_i64
-- input { 7i64 3i64 2i64 }
-- output { [10i64, 4i64, 21i64, 2i64, 1i64, 49i64, 2i64, 1i64, 7i64, 3i64] }
-- input { 100i64 -7i64 1i64 }
-- output { [93i64, 107i64, -700i64, -15i64, -5i64, 100i64, -14i64, 2i64, 100i64, -7i64] }
entry arithmetic_i64 = m_i64.arithmetic

-- ==
-- entry: bitwise_i64
-- input { 7i64 3i64 2i64 }
-- output { [3i64, 7i64, 4i64, 28i64, 1i64, 1i64, -8i64, -7i64, 7i64, 1i64, 0i64, 2i64] }
-- input { 100i64 -7i64 1i64 }
-- output { [96i64, -3i64, -99i64, 200i64, 50i64, 50i64, -101i64, -100i64, 100i64, 1i64, -1i64, 0i64] }
entry bitwise_i64 = m_i64.bitwise

-- ==
-- entry: comparisons_i64
-- input { 7i64 3i64 } output { [false, true, false, true, false, true] }
-- input { 100i64 -7i64 } output { [false, true, false, true, false, true] }
entry comparisons_i64 = m_i64.comparisons

-- ==
-- entry: counts_i64
-- input { 20i64 } output { [64i32, 0i32, 0i32, 2i32, 59i32, 2i32] }
-- input { 0i64 } output { [64i32, 0i32, 0i32, 0i32, 64i32, 64i32] }
entry counts_i64 = m_i64.counts

-- ==
-- entry: folds_i64
-- input { [5i64, 2i64, 11i64] } output { [18i64, 110i64, 11i64, 2i64, 13i64, 4i64] }
entry folds_i64 (xs: []i64) = m_i64.folds xs

-- ==
-- entry: empty_folds_i64
-- input { empty([0]i64) } output { [0i64, 1i64, -9223372036854775808i64, 9223372036854775807i64] }
entry empty_folds_i64 (xs: []i64) : [4]i64 = [i64.sum xs, i64.product xs, i64.maximum xs, i64.minimum xs]

-- ==
-- entry: constants_i64
-- input { 100i64 }
-- output { [9223372036854775807i64, -9223372036854775808i64] [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64, 10i64, 11i64, 1i64] 100i64 }
entry constants_i64 (x: i64) : ([2]i64, [12]i64, i64) = (copy m_i64.extremes, copy m_i64.conversions, m_i64.wide x)

module m_u8 = members u8

-- ==
-- entry: arithmetic_u8
-- input { 7u8 3u8 2u8 }
-- output { [10u8, 4u8, 21u8, 2u8, 1u8, 49u8, 2u8, 1u8, 7u8, 3u8] }
-- input { 200u8 9u8 1u8 }
-- output { [209u8, 191u8, 8u8, 22u8, 2u8, 200u8, 22u8, 2u8, 200u8, 9u8] }
entry arithmetic_u8 = m_u8.arithmetic

-- ==
-- entry: bitwise_u8
-- input { 7u8 3u8 2u8 }
-- output { [3u8, 7u8, 4u8, 28u8, 1u8, 1u8, 248u8, 249u8, 7u8, 1u8, 0u8, 2u8] }
-- input { 200u8 9u8 1u8 }
-- output { [8u8, 201u8, 193u8, 144u8, 228u8, 100u8, 55u8, 56u8, 200u8, 1u8, 7u8, 8u8] }
entry bitwise_u8 = m_u8.bitwise

-- ==
-- entry: comparisons_u8
-- input { 7u8 3u8 } output { [false, true, false, true, false, true] }
-- input { 200u8 9u8 } output { [false, true, false, true, false, true] }
entry comparisons_u8 = m_u8.comparisons

-- ==
-- entry: counts_u8
-- input { 20u8 } output { [8i32, 0i32, 0i32, 2i32, 3i32, 2i32] }
-- input { 0u8 } output { [8i32, 0i32, 0i32, 0i32, 8i32, 8i32] }
entry counts_u8 = m_u8.counts

-- ==
-- entry: folds_u8
-- input { [5u8, 2u8, 11u8] } output { [18u8, 110u8, 11u8, 2u8, 13u8, 4u8] }
entry folds_u8 (xs: []u8) = m_u8.folds xs

-- ==
-- entry: empty_folds_u8
-- input { empty([0]u8) } output { [0u8, 1u8, 0u8, 255u8] }
entry empty_folds_u8 (xs: []u8) : [4]u8 = [u8.sum xs, u8.product xs, u8.maximum xs, u8.minimum xs]

-- ==
-- entry: constants_u8
-- input { 100u8 }
-- output { [255u8, 0u8] [1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8, 1u8] 100i64 }
entry constants_u8 (x: u8) : ([2]u8, [12]u8, i64) = (copy m_u8.extremes, copy m_u8.conversions, m_u8.wide x)

module m_u16 = members u16

-- ==
-- entry: arithmetic_u16
-- input { 7u16 3u16 2u16 }
-- output { [10u16, 4u16, 21u16, 2u16, 1u16, 49u16, 2u16, 1u16, 7u16, 3u16] }
-- input { 200u16 9u16 1u16 }
-- output { [209u16, 191u16, 1800u16, 22u16, 2u16, 200u16, 22u16, 2u16, 200u16, 9u16] }
entry arithmetic_u16 = m_u16.arithmetic

-- ==
-- entry: bitwise_u16
-- input { 7u16 3u16 2u16 }
-- output { [3u16, 7u16, 4u16, 28u16, 1u16, 1u16, 65528u16, 65529u16, 7u16, 1u16, 0u16, 2u16] }
-- input { 200u16 9u16 1u16 }
-- output { [8u16, 201u16, 193u16, 400u16, 100u16, 100u16, 65335u16, 65336u16, 200u16, 1u16, 0u16, 1u16] }
entry bitwise_u16 = m_u16.bitwise

-- ==
-- entry: comparisons_u16
-- input { 7u16 3u16 } output { [false, true, false, true, false, true] }
-- input { 200u16 9u16 } output { [false, true, false, true, false, true] }
entry comparisons_u16 = m_u16.comparisons

-- ==
-- entry: counts_u16
-- input { 20u16 } output { [16i32, 0i32, 0i32, 2i32, 11i32, 2i32] }
-- input { 0u16 } output { [16i32, 0i32, 0i32, 0i32, 16i32, 16i32] }
entry counts_u16 = m_u16.counts

-- ==
-- entry: folds_u16
-- input { [5u16, 2u16, 11u16] } output { [18u16, 110u16, 11u16, 2u16, 13u16, 4u16] }
entry folds_u16 (xs: []u16) = m_u16.folds xs

-- ==
-- entry: empty_folds_u16
-- input { empty([0]u16) } output { [0u16, 1u16, 0u16, 65535u16] }
entry empty_folds_u16 (xs: []u16) : [4]u16 = [u16.sum xs, u16.product xs, u16.maximum xs, u16.minimum xs]

-- ==
-- entry: constants_u16
-- input { 100u16 }
-- output { [65535u16, 0u16] [1u16, 2u16, 3u16, 4u16, 5u16, 6u16, 7u16, 8u16, 9u16, 10u16, 11u16, 1u16] 100i64 }
entry constants_u16 (x: u16) : ([2]u16, [12]u16, i64) = (copy m_u16.extremes, copy m_u16.conversions, m_u16.wide x)

module m_u32 = members u32

-- ==
-- entry: arithmetic_u32
-- input { 7u32 3u32 2u32 }
-- output { [10u32, 4u32, 21u32, 2u32, 1u32, 49u32, 2u32, 1u32, 7u32, 3u32] }
-- input { 200u32 9u32 1u32 }
-- output { [209u32, 191u32, 1800u32, 22u32, 2u32, 200u32, 22u32, 2u32, 200u32, 9u32] }
entry arithmetic_u32 = m_u32.arithmetic

-- ==
-- entry: bitwise_u32
-- input { 7u32 3u32 2u32 }
-- output { [3u32, 7u32, 4u32, 28u32, 1u32, 1u32, 4294967288u32, 4294967289u32, 7u32, 1u32, 0u32, 2u32] }
-- input { 200u32 9u32 1u32 }
-- output { [8u32, 201u32, 193u32, 400u32, 100u32, 100u32, 4294967095u32, 4294967096u32, 200u32, 1u32, 0u32, 1u32] }
entry bitwise_u32 = m_u32.bitwise

-- ==
-- entry: comparisons_u32
-- input { 7u32 3u32 } output { [false, true, false, true, false, true] }
-- input { 200u32 9u32 } output { [false, true, false, true, false, true] }
entry comparisons_u32 = m_u32.comparisons

-- ==
-- entry: counts_u32
-- input { 20u32 } output { [32i32, 0i32, 0i32, 2i32, 27i32, 2i32] }
-- input { 0u32 } output { [32i32, 0i32, 0i32, 0i32, 32i32, 32i32] }
entry counts_u32 = m_u32.counts

-- ==
-- entry: folds_u32
-- input { [5u32, 2u32, 11u32] } output { [18u32, 110u32, 11u32, 2u32, 13u32, 4u32] }
entry folds_u32 (xs: []u32) = m_u32.folds xs

-- ==
-- entry: empty_folds_u32
-- input { empty([0]u32) } output { [0u32, 1u32, 0u32, 4294967295u32] }
entry empty_folds_u32 (xs: []u32) : [4]u32 = [u32.sum xs, u32.product xs, u32.maximum xs, u32.minimum xs]

-- ==
-- entry: constants_u32
-- input { 100u32 }
-- output { [4294967295u32, 0u32] [1u32, 2u32, 3u32, 4u32, 5u32, 6u32, 7u32, 8u32, 9u32, 10u32, 11u32, 1u32] 100i64 }
entry constants_u32 (x: u32) : ([2]u32, [12]u32, i64) = (copy m_u32.extremes, copy m_u32.conversions, m_u32.wide x)

module m_u64 = members u64

-- ==
-- entry: arithmetic_u64
-- input { 7u64 3u64 2u64 }
-- output { [10u64, 4u64, 21u64, 2u64, 1u64, 49u64, 2u64, 1u64, 7u64, 3u64] }
-- input { 200u64 9u64 1u64 }
-- output { [209u64, 191u64, 1800u64, 22u64, 2u64, 200u64, 22u64, 2u64, 200u64, 9u64] }
entry arithmetic_u64 = m_u64.arithmetic

-- ==
-- entry: bitwise_u64
-- input { 7u64 3u64 2u64 }
-- output { [3u64, 7u64, 4u64, 28u64, 1u64, 1u64, 18446744073709551608u64, 18446744073709551609u64, 7u64, 1u64, 0u64, 2u64] }
-- input { 200u64 9u64 1u64 }
-- output { [8u64, 201u64, 193u64, 400u64, 100u64, 100u64, 18446744073709551415u64, 18446744073709551416u64, 200u64, 1u64, 0u64, 1u64] }
entry bitwise_u64 = m_u64.bitwise

-- ==
-- entry: comparisons_u64
-- input { 7u64 3u64 } output { [false, true, false, true, false, true] }
-- input { 200u64 9u64 } output { [false, true, false, true, false, true] }
entry comparisons_u64 = m_u64.comparisons

-- ==
-- entry: counts_u64
-- input { 20u64 } output { [64i32, 0i32, 0i32, 2i32, 59i32, 2i32] }
-- input { 0u64 } output { [64i32, 0i32, 0i32, 0i32, 64i32, 64i32] }
entry counts_u64 = m_u64.counts

-- ==
-- entry: folds_u64
-- input { [5u64, 2u64, 11u64] } output { [18u64, 110u64, 11u64, 2u64, 13u64, 4u64] }
entry folds_u64 (xs: []u64) = m_u64.folds xs

-- ==
-- entry: empty_folds_u64
-- input { empty([0]u64) } output { [0u64, 1u64, 0u64, 18446744073709551615u64] }
entry empty_folds_u64 (xs: []u64) : [4]u64 = [u64.sum xs, u64.product xs, u64.maximum xs, u64.minimum xs]

-- ==
-- entry: constants_u64
-- input { 100u64 }
-- output { [18446744073709551615u64, 0u64] [1u64, 2u64, 3u64, 4u64, 5u64, 6u64, 7u64, 8u64, 9u64, 10u64, 11u64, 1u64] 100i64 }
entry constants_u64 (x: u64) : ([2]u64, [12]u64, i64) = (copy m_u64.extremes, copy m_u64.conversions, m_u64.wide x)
