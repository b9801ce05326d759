-- SPDX-License-Identifier: Apache-2.0
-- | Booleans and integers as modules.

import "soacs"
import "math_types"

module bool : from_prim with t = bool = {
  type t = bool
  def i8 (x: i8): bool = intrinsics.itob_i8_bool (x)
  def i16 (x: i16): bool = intrinsics.itob_i16_bool (x)
  def i32 (x: i32): bool = intrinsics.itob_i32_bool (x)
  def i64 (x: i64): bool = intrinsics.itob_i64_bool (x)
  def u8 (x: u8): bool = intrinsics.itob_i8_bool (intrinsics.sign_i8 (x))
  def u16 (x: u16): bool = intrinsics.itob_i16_bool (intrinsics.sign_i16 (x))
  def u32 (x: u32): bool = intrinsics.itob_i32_bool (intrinsics.sign_i32 (x))
  def u64 (x: u64): bool = intrinsics.itob_i64_bool (intrinsics.sign_i64 (x))
  def f16 (x: f16): bool = intrinsics.ftob_f16_bool x
  def f32 (x: f32): bool = intrinsics.ftob_f32_bool x
  def f64 (x: f64): bool = intrinsics.ftob_f64_bool x
  def bool (x: bool): bool = x
}

module i8 : integral with t = i8 = {
  type t = i8
  def i8 (x: i8): i8 = x
  def i16 (x: i16): i8 = intrinsics.sext_i16_i8 (x)
  def i32 (x: i32): i8 = intrinsics.sext_i32_i8 (x)
  def i64 (x: i64): i8 = intrinsics.sext_i64_i8 (x)
  def u8 (x: u8): i8 = intrinsics.zext_i8_i8 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i8 = intrinsics.zext_i16_i8 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i8 = intrinsics.zext_i32_i8 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i8 = intrinsics.zext_i64_i8 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i8 = intrinsics.fptosi_f16_i8 x
  def f32 (x: f32): i8 = intrinsics.fptosi_f32_i8 x
  def f64 (x: f64): i8 = intrinsics.fptosi_f64_i8 x
  def bool (x: bool): i8 = intrinsics.btoi_bool_i8 x
  def (+) (x: i8) (y: i8): i8 = (intrinsics.+) x y
  def (-) (x: i8) (y: i8): i8 = (intrinsics.-) x y
  def (*) (x: i8) (y: i8): i8 = (intrinsics.*) x y
  def (/) (x: i8) (y: i8): i8 = (intrinsics./) x y
  def (%) (x: i8) (y: i8): i8 = (intrinsics.%) x y
  def (**) (x: i8) (y: i8): i8 = (intrinsics.**) x y
  def (==) (x: i8) (y: i8): bool = (intrinsics.==) x y
  def (<) (x: i8) (y: i8): bool = (intrinsics.<) x y
  def (>) (x: i8) (y: i8): bool = (intrinsics.>) x y
  def (<=) (x: i8) (y: i8): bool = (intrinsics.<=) x y
  def (>=) (x: i8) (y: i8): bool = (intrinsics.>=) x y
  def (!=) (x: i8) (y: i8): bool = (intrinsics.!=) x y
  def (//) (x: i8) (y: i8): i8 = (intrinsics.//) x y
  def (%%) (x: i8) (y: i8): i8 = (intrinsics.%%) x y
  def (&) (x: i8) (y: i8): i8 = (intrinsics.&) x y
  def (|) (x: i8) (y: i8): i8 = (intrinsics.|) x y
  def (^) (x: i8) (y: i8): i8 = (intrinsics.^) x y
  def (<<) (x: i8) (y: i8): i8 = (intrinsics.<<) x y
  def (>>) (x: i8) (y: i8): i8 = (intrinsics.>>) x y
  def (>>>) (x: i8) (y: i8): i8 = (intrinsics.>>>) x y
  def not (x: i8): i8 = !x
  def to_i64 (x: i8): i64 = intrinsics.sext_i8_i64 (x)
  def neg (x: i8): i8 = -x
  def abs (x: i8): i8 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i8): i8 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i8) (y: i8): i8 = intrinsics.smax8 (x, y)
  def min (x: i8) (y: i8): i8 = intrinsics.smin8 (x, y)
  def highest: i8 = 127
  def lowest: i8 = -128
  def sum [n] (xs: [n]i8): i8 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i8): i8 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i8): i8 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i8): i8 = intrinsics.reduce min highest xs
  def num_bits: i32 = 8
  def get_bit (b: i32) (x: i8): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i8) (v: i32): i8 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i8): i32 = intrinsics.popc8 x
  def clz (x: i8): i32 = intrinsics.clz8 x
  def ctz (x: i8): i32 = intrinsics.ctz8 x
  def mul_hi (x: i8) (y: i8): i8 = intrinsics.smul_hi8 (x, y)
  def mad_hi (a: i8) (b: i8) (c: i8): i8 = intrinsics.smad_hi8 (a, b, c)
}

module i16 : integral with t = i16 = {
  type t = i16
  def i8 (x: i8): i16 = intrinsics.sext_i8_i16 (x)
  def i16 (x: i16): i16 = x
  def i32 (x: i32): i16 = intrinsics.sext_i32_i16 (x)
  def i64 (x: i64): i16 = intrinsics.sext_i64_i16 (x)
  def u8 (x: u8): i16 = intrinsics.zext_i8_i16 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i16 = intrinsics.zext_i16_i16 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i16 = intrinsics.zext_i32_i16 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i16 = intrinsics.zext_i64_i16 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i16 = intrinsics.fptosi_f16_i16 x
  def f32 (x: f32): i16 = intrinsics.fptosi_f32_i16 x
  def f64 (x: f64): i16 = intrinsics.fptosi_f64_i16 x
  def bool (x: bool): i16 = intrinsics.btoi_bool_i16 x
  def (+) (x: i16) (y: i16): i16 = (intrinsics.+) x y
  def (-) (x: i16) (y: i16): i16 = (intrinsics.-) x y
  def (*) (x: i16) (y: i16): i16 = (intrinsics.*) x y
  def (/) (x: i16) (y: i16): i16 = (intrinsics./) x y
  def (%) (x: i16) (y: i16): i16 = (intrinsics.%) x y
  def (**) (x: i16) (y: i16): i16 = (intrinsics.**) x y
  def (==) (x: i16) (y: i16): bool = (intrinsics.==) x y
  def (<) (x: i16) (y: i16): bool = (intrinsics.<) x y
  def (>) (x: i16) (y: i16): bool = (intrinsics.>) x y
  def (<=) (x: i16) (y: i16): bool = (intrinsics.<=) x y
  def (>=) (x: i16) (y: i16): bool = (intrinsics.>=) x y
  def (!=) (x: i16) (y: i16): bool = (intrinsics.!=) x y
  def (//) (x: i16) (y: i16): i16 = (intrinsics.//) x y
  def (%%) (x: i16) (y: i16): i16 = (intrinsics.%%) x y
  def (&) (x: i16) (y: i16): i16 = (intrinsics.&) x y
  def (|) (x: i16) (y: i16): i16 = (intrinsics.|) x y
  def (^) (x: i16) (y: i16): i16 = (intrinsics.^) x y
  def (<<) (x: i16) (y: i16): i16 = (intrinsics.<<) x y
  def (>>) (x: i16) (y: i16): i16 = (intrinsics.>>) x y
  def (>>>) (x: i16) (y: i16): i16 = (intrinsics.>>>) x y
  def not (x: i16): i16 = !x
  def to_i64 (x: i16): i64 = intrinsics.sext_i16_i64 (x)
  def neg (x: i16): i16 = -x
  def abs (x: i16): i16 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i16): i16 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i16) (y: i16): i16 = intrinsics.smax16 (x, y)
  def min (x: i16) (y: i16): i16 = intrinsics.smin16 (x, y)
  def highest: i16 = 32767
  def lowest: i16 = -32768
  def sum [n] (xs: [n]i16): i16 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i16): i16 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i16): i16 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i16): i16 = intrinsics.reduce min highest xs
  def num_bits: i32 = 16
  def get_bit (b: i32) (x: i16): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i16) (v: i32): i16 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i16): i32 = intrinsics.popc16 x
  def clz (x: i16): i32 = intrinsics.clz16 x
  def ctz (x: i16): i32 = intrinsics.ctz16 x
  def mul_hi (x: i16) (y: i16): i16 = intrinsics.smul_hi16 (x, y)
  def mad_hi (a: i16) (b: i16) (c: i16): i16 = intrinsics.smad_hi16 (a, b, c)
}

module i32 : integral with t = i32 = {
  type t = i32
  def i8 (x: i8): i32 = intrinsics.sext_i8_i32 (x)
  def i16 (x: i16): i32 = intrinsics.sext_i16_i32 (x)
  def i32 (x: i32): i32 = x
  def i64 (x: i64): i32 = intrinsics.sext_i64_i32 (x)
  def u8 (x: u8): i32 = intrinsics.zext_i8_i32 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i32 = intrinsics.zext_i16_i32 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i32 = intrinsics.zext_i32_i32 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i32 = intrinsics.zext_i64_i32 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i32 = intrinsics.fptosi_f16_i32 x
  def f32 (x: f32): i32 = intrinsics.fptosi_f32_i32 x
  def f64 (x: f64): i32 = intrinsics.fptosi_f64_i32 x
  def bool (x: bool): i32 = intrinsics.btoi_bool_i32 x
  def (+) (x: i32) (y: i32): i32 = (intrinsics.+) x y
  def (-) (x: i32) (y: i32): i32 = (intrinsics.-) x y
  def (*) (x: i32) (y: i32): i32 = (intrinsics.*) x y
  def (/) (x: i32) (y: i32): i32 = (intrinsics./) x y
  def (%) (x: i32) (y: i32): i32 = (intrinsics.%) x y
  def (**) (x: i32) (y: i32): i32 = (intrinsics.**) x y
  def (==) (x: i32) (y: i32): bool = (intrinsics.==) x y
  def (<) (x: i32) (y: i32): bool = (intrinsics.<) x y
  def (>) (x: i32) (y: i32): bool = (intrinsics.>) x y
  def (<=) (x: i32) (y: i32): bool = (intrinsics.<=) x y
  def (>=) (x: i32) (y: i32): bool = (intrinsics.>=) x y
  def (!=) (x: i32) (y: i32): bool = (intrinsics.!=) x y
  def (//) (x: i32) (y: i32): i32 = (intrinsics.//) x y
  def (%%) (x: i32) (y: i32): i32 = (intrinsics.%%) x y
  def (&) (x: i32) (y: i32): i32 = (intrinsics.&) x y
  def (|) (x: i32) (y: i32): i32 = (intrinsics.|) x y
  def (^) (x: i32) (y: i32): i32 = (intrinsics.^) x y
  def (<<) (x: i32) (y: i32): i32 = (intrinsics.<<) x y
  def (>>) (x: i32) (y: i32): i32 = (intrinsics.>>) x y
  def (>>>) (x: i32) (y: i32): i32 = (intrinsics.>>>) x y
  def not (x: i32): i32 = !x
  def to_i64 (x: i32): i64 = intrinsics.sext_i32_i64 (x)
  def neg (x: i32): i32 = -x
  def abs (x: i32): i32 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i32): i32 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i32) (y: i32): i32 = intrinsics.smax32 (x, y)
  def min (x: i32) (y: i32): i32 = intrinsics.smin32 (x, y)
  def highest: i32 = 2147483647
  def lowest: i32 = -2147483648
  def sum [n] (xs: [n]i32): i32 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i32): i32 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i32): i32 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i32): i32 = intrinsics.reduce min highest xs
  def num_bits: i32 = 32
  def get_bit (b: i32) (x: i32): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i32) (v: i32): i32 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i32): i32 = intrinsics.popc32 x
  def clz (x: i32): i32 = intrinsics.clz32 x
  def ctz (x: i32): i32 = intrinsics.ctz32 x
  def mul_hi (x: i32) (y: i32): i32 = intrinsics.smul_hi32 (x, y)
  def mad_hi (a: i32) (b: i32) (c: i32): i32 = intrinsics.smad_hi32 (a, b, c)
}

module i64 : integral with t = i64 = {
  type t = i64
  def i8 (x: i8): i64 = intrinsics.sext_i8_i64 (x)
  def i16 (x: i16): i64 = intrinsics.sext_i16_i64 (x)
  def i32 (x: i32): i64 = intrinsics.sext_i32_i64 (x)
  def i64 (x: i64): i64 = x
  def u8 (x: u8): i64 = intrinsics.zext_i8_i64 (intrinsics.sign_i8 (x))
  def u16 (x: u16): i64 = intrinsics.zext_i16_i64 (intrinsics.sign_i16 (x))
  def u32 (x: u32): i64 = intrinsics.zext_i32_i64 (intrinsics.sign_i32 (x))
  def u64 (x: u64): i64 = intrinsics.zext_i64_i64 (intrinsics.sign_i64 (x))
  def f16 (x: f16): i64 = intrinsics.fptosi_f16_i64 x
  def f32 (x: f32): i64 = intrinsics.fptosi_f32_i64 x
  def f64 (x: f64): i64 = intrinsics.fptosi_f64_i64 x
  def bool (x: bool): i64 = intrinsics.btoi_bool_i64 x
  def (+) (x: i64) (y: i64): i64 = (intrinsics.+) x y
  def (-) (x: i64) (y: i64): i64 = (intrinsics.-) x y
  def (*) (x: i64) (y: i64): i64 = (intrinsics.*) x y
  def (/) (x: i64) (y: i64): i64 = (intrinsics./) x y
  def (%) (x: i64) (y: i64): i64 = (intrinsics.%) x y
  def (**) (x: i64) (y: i64): i64 = (intrinsics.**) x y
  def (==) (x: i64) (y: i64): bool = (intrinsics.==) x y
  def (<) (x: i64) (y: i64): bool = (intrinsics.<) x y
  def (>) (x: i64) (y: i64): bool = (intrinsics.>) x y
  def (<=) (x: i64) (y: i64): bool = (intrinsics.<=) x y
  def (>=) (x: i64) (y: i64): bool = (intrinsics.>=) x y
  def (!=) (x: i64) (y: i64): bool = (intrinsics.!=) x y
  def (//) (x: i64) (y: i64): i64 = (intrinsics.//) x y
  def (%%) (x: i64) (y: i64): i64 = (intrinsics.%%) x y
  def (&) (x: i64) (y: i64): i64 = (intrinsics.&) x y
  def (|) (x: i64) (y: i64): i64 = (intrinsics.|) x y
  def (^) (x: i64) (y: i64): i64 = (intrinsics.^) x y
  def (<<) (x: i64) (y: i64): i64 = (intrinsics.<<) x y
  def (>>) (x: i64) (y: i64): i64 = (intrinsics.>>) x y
  def (>>>) (x: i64) (y: i64): i64 = (intrinsics.>>>) x y
  def not (x: i64): i64 = !x
  def to_i64 (x: i64): i64 = x
  def neg (x: i64): i64 = -x
  def abs (x: i64): i64 = if (intrinsics.<) x 0 then -x else x
  def sgn (x: i64): i64 = if (intrinsics.>) x 0 then 1 else if (intrinsics.<) x 0 then -1 else 0
  def max (x: i64) (y: i64): i64 = intrinsics.smax64 (x, y)
  def min (x: i64) (y: i64): i64 = intrinsics.smin64 (x, y)
  def highest: i64 = 9223372036854775807
  def lowest: i64 = -9223372036854775808
  def sum [n] (xs: [n]i64): i64 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]i64): i64 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]i64): i64 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]i64): i64 = intrinsics.reduce min highest xs
  def num_bits: i32 = 64
  def get_bit (b: i32) (x: i64): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: i64) (v: i32): i64 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: i64): i32 = intrinsics.popc64 x
  def clz (x: i64): i32 = intrinsics.clz64 x
  def ctz (x: i64): i32 = intrinsics.ctz64 x
  def mul_hi (x: i64) (y: i64): i64 = intrinsics.smul_hi64 (x, y)
  def mad_hi (a: i64) (b: i64) (c: i64): i64 = intrinsics.smad_hi64 (a, b, c)
}

module u8 : integral with t = u8 = {
  type t = u8
  def i8 (x: i8): u8 = intrinsics.unsign_i8 (intrinsics.zext_i8_i8 (x))
  def i16 (x: i16): u8 = intrinsics.unsign_i8 (intrinsics.zext_i16_i8 (x))
  def i32 (x: i32): u8 = intrinsics.unsign_i8 (intrinsics.zext_i32_i8 (x))
  def i64 (x: i64): u8 = intrinsics.unsign_i8 (intrinsics.zext_i64_i8 (x))
  def u8 (x: u8): u8 = x
  def u16 (x: u16): u8 = intrinsics.unsign_i8 (intrinsics.zext_i16_i8 (intrinsics.sign_i16 (x)))
  def u32 (x: u32): u8 = intrinsics.unsign_i8 (intrinsics.zext_i32_i8 (intrinsics.sign_i32 (x)))
  def u64 (x: u64): u8 = intrinsics.unsign_i8 (intrinsics.zext_i64_i8 (intrinsics.sign_i64 (x)))
  def f16 (x: f16): u8 = intrinsics.unsign_i8 (intrinsics.sext_i64_i8 (intrinsics.fptosi_f16_i64 x))
  def f32 (x: f32): u8 = intrinsics.unsign_i8 (intrinsics.sext_i64_i8 (intrinsics.fptosi_f32_i64 x))
  def f64 (x: f64): u8 = intrinsics.unsign_i8 (intrinsics.sext_i64_i8 (intrinsics.fptosi_f64_i64 x))
  def bool (x: bool): u8 = intrinsics.unsign_i8 (intrinsics.btoi_bool_i8 x)
  def (+) (x: u8) (y: u8): u8 = (intrinsics.+) x y
  def (-) (x: u8) (y: u8): u8 = (intrinsics.-) x y
  def (*) (x: u8) (y: u8): u8 = (intrinsics.*) x y
  def (/) (x: u8) (y: u8): u8 = (intrinsics./) x y
  def (%) (x: u8) (y: u8): u8 = (intrinsics.%) x y
  def (**) (x: u8) (y: u8): u8 = (intrinsics.**) x y
  def (==) (x: u8) (y: u8): bool = (intrinsics.==) x y
  def (<) (x: u8) (y: u8): bool = (intrinsics.<) x y
  def (>) (x: u8) (y: u8): bool = (intrinsics.>) x y
  def (<=) (x: u8) (y: u8): bool = (intrinsics.<=) x y
  def (>=) (x: u8) (y: u8): bool = (intrinsics.>=) x y
  def (!=) (x: u8) (y: u8): bool = (intrinsics.!=) x y
  def (//) (x: u8) (y: u8): u8 = (intrinsics.//) x y
  def (%%) (x: u8) (y: u8): u8 = (intrinsics.%%) x y
  def (&) (x: u8) (y: u8): u8 = (intrinsics.&) x y
  def (|) (x: u8) (y: u8): u8 = (intrinsics.|) x y
  def (^) (x: u8) (y: u8): u8 = (intrinsics.^) x y
  def (<<) (x: u8) (y: u8): u8 = (intrinsics.<<) x y
  def (>>) (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.ashr8 (intrinsics.sign_i8 x, intrinsics.sign_i8 y))
  def (>>>) (x: u8) (y: u8): u8 = (intrinsics.>>>) x y
  def not (x: u8): u8 = !x
  def to_i64 (x: u8): i64 = intrinsics.zext_i8_i64 (intrinsics.sign_i8 (x))
  def neg (x: u8): u8 = -x
  def abs (x: u8): u8 = x
  def sgn (x: u8): u8 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.umax8 (intrinsics.sign_i8 x, intrinsics.sign_i8 y))
  def min (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.umin8 (intrinsics.sign_i8 x, intrinsics.sign_i8 y))
  def highest: u8 = 255
  def lowest: u8 = 0
  def sum [n] (xs: [n]u8): u8 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u8): u8 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u8): u8 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u8): u8 = intrinsics.reduce min highest xs
  def num_bits: i32 = 8
  def get_bit (b: i32) (x: u8): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u8) (v: i32): u8 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u8): i32 = intrinsics.popc8 (intrinsics.sign_i8 x)
  def clz (x: u8): i32 = intrinsics.clz8 (intrinsics.sign_i8 x)
  def ctz (x: u8): i32 = intrinsics.ctz8 (intrinsics.sign_i8 x)
  def mul_hi (x: u8) (y: u8): u8 = intrinsics.unsign_i8 (intrinsics.umul_hi8 ((intrinsics.sign_i8 x), (intrinsics.sign_i8 y)))
  def mad_hi (a: u8) (b: u8) (c: u8): u8 = intrinsics.unsign_i8 (intrinsics.umad_hi8 ((intrinsics.sign_i8 a), (intrinsics.sign_i8 b), (intrinsics.sign_i8 c)))
}

module u16 : integral with t = u16 = {
  type t = u16
  def i8 (x: i8): u16 = intrinsics.unsign_i16 (intrinsics.zext_i8_i16 (x))
  def i16 (x: i16): u16 = intrinsics.unsign_i16 (intrinsics.zext_i16_i16 (x))
  def i32 (x: i32): u16 = intrinsics.unsign_i16 (intrinsics.zext_i32_i16 (x))
  def i64 (x: i64): u16 = intrinsics.unsign_i16 (intrinsics.zext_i64_i16 (x))
  def u8 (x: u8): u16 = intrinsics.unsign_i16 (intrinsics.zext_i8_i16 (intrinsics.sign_i8 (x)))
  def u16 (x: u16): u16 = x
  def u32 (x: u32): u16 = intrinsics.unsign_i16 (intrinsics.zext_i32_i16 (intrinsics.sign_i32 (x)))
  def u64 (x: u64): u16 = intrinsics.unsign_i16 (intrinsics.zext_i64_i16 (intrinsics.sign_i64 (x)))
  def f16 (x: f16): u16 = intrinsics.unsign_i16 (intrinsics.sext_i64_i16 (intrinsics.fptosi_f16_i64 x))
  def f32 (x: f32): u16 = intrinsics.unsign_i16 (intrinsics.sext_i64_i16 (intrinsics.fptosi_f32_i64 x))
  def f64 (x: f64): u16 = intrinsics.unsign_i16 (intrinsics.sext_i64_i16 (intrinsics.fptosi_f64_i64 x))
  def bool (x: bool): u16 = intrinsics.unsign_i16 (intrinsics.btoi_bool_i16 x)
  def (+) (x: u16) (y: u16): u16 = (intrinsics.+) x y
  def (-) (x: u16) (y: u16): u16 = (intrinsics.-) x y
  def (*) (x: u16) (y: u16): u16 = (intrinsics.*) x y
  def (/) (x: u16) (y: u16): u16 = (intrinsics./) x y
  def (%) (x: u16) (y: u16): u16 = (intrinsics.%) x y
  def (**) (x: u16) (y: u16): u16 = (intrinsics.**) x y
  def (==) (x: u16) (y: u16): bool = (intrinsics.==) x y
  def (<) (x: u16) (y: u16): bool = (intrinsics.<) x y
  def (>) (x: u16) (y: u16): bool = (intrinsics.>) x y
  def (<=) (x: u16) (y: u16): bool = (intrinsics.<=) x y
  def (>=) (x: u16) (y: u16): bool = (intrinsics.>=) x y
  def (!=) (x: u16) (y: u16): bool = (intrinsics.!=) x y
  def (//) (x: u16) (y: u16): u16 = (intrinsics.//) x y
  def (%%) (x: u16) (y: u16): u16 = (intrinsics.%%) x y
  def (&) (x: u16) (y: u16): u16 = (intrinsics.&) x y
  def (|) (x: u16) (y: u16): u16 = (intrinsics.|) x y
  def (^) (x: u16) (y: u16): u16 = (intrinsics.^) x y
  def (<<) (x: u16) (y: u16): u16 = (intrinsics.<<) x y
  def (>>) (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.ashr16 (intrinsics.sign_i16 x, intrinsics.sign_i16 y))
  def (>>>) (x: u16) (y: u16): u16 = (intrinsics.>>>) x y
  def not (x: u16): u16 = !x
  def to_i64 (x: u16): i64 = intrinsics.zext_i16_i64 (intrinsics.sign_i16 (x))
  def neg (x: u16): u16 = -x
  def abs (x: u16): u16 = x
  def sgn (x: u16): u16 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.umax16 (intrinsics.sign_i16 x, intrinsics.sign_i16 y))
  def min (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.umin16 (intrinsics.sign_i16 x, intrinsics.sign_i16 y))
  def highest: u16 = 65535
  def lowest: u16 = 0
  def sum [n] (xs: [n]u16): u16 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u16): u16 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u16): u16 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u16): u16 = intrinsics.reduce min highest xs
  def num_bits: i32 = 16
  def get_bit (b: i32) (x: u16): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u16) (v: i32): u16 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u16): i32 = intrinsics.popc16 (intrinsics.sign_i16 x)
  def clz (x: u16): i32 = intrinsics.clz16 (intrinsics.sign_i16 x)
  def ctz (x: u16): i32 = intrinsics.ctz16 (intrinsics.sign_i16 x)
  def mul_hi (x: u16) (y: u16): u16 = intrinsics.unsign_i16 (intrinsics.umul_hi16 ((intrinsics.sign_i16 x), (intrinsics.sign_i16 y)))
  def mad_hi (a: u16) (b: u16) (c: u16): u16 = intrinsics.unsign_i16 (intrinsics.umad_hi16 ((intrinsics.sign_i16 a), (intrinsics.sign_i16 b), (intrinsics.sign_i16 c)))
}

module u32 : integral with t = u32 = {
  type t = u32
  def i8 (x: i8): u32 = intrinsics.unsign_i32 (intrinsics.zext_i8_i32 (x))
  def i16 (x: i16): u32 = intrinsics.unsign_i32 (intrinsics.zext_i16_i32 (x))
  def i32 (x: i32): u32 = intrinsics.unsign_i32 (intrinsics.zext_i32_i32 (x))
  def i64 (x: i64): u32 = intrinsics.unsign_i32 (intrinsics.zext_i64_i32 (x))
  def u8 (x: u8): u32 = intrinsics.unsign_i32 (intrinsics.zext_i8_i32 (intrinsics.sign_i8 (x)))
  def u16 (x: u16): u32 = intrinsics.unsign_i32 (intrinsics.zext_i16_i32 (intrinsics.sign_i16 (x)))
  def u32 (x: u32): u32 = x
  def u64 (x: u64): u32 = intrinsics.unsign_i32 (intrinsics.zext_i64_i32 (intrinsics.sign_i64 (x)))
  def f16 (x: f16): u32 = intrinsics.unsign_i32 (intrinsics.sext_i64_i32 (intrinsics.fptosi_f16_i64 x))
  def f32 (x: f32): u32 = intrinsics.unsign_i32 (intrinsics.sext_i64_i32 (intrinsics.fptosi_f32_i64 x))
  def f64 (x: f64): u32 = intrinsics.unsign_i32 (intrinsics.sext_i64_i32 (intrinsics.fptosi_f64_i64 x))
  def bool (x: bool): u32 = intrinsics.unsign_i32 (intrinsics.btoi_bool_i32 x)
  def (+) (x: u32) (y: u32): u32 = (intrinsics.+) x y
  def (-) (x: u32) (y: u32): u32 = (intrinsics.-) x y
  def (*) (x: u32) (y: u32): u32 = (intrinsics.*) x y
  def (/) (x: u32) (y: u32): u32 = (intrinsics./) x y
  def (%) (x: u32) (y: u32): u32 = (intrinsics.%) x y
  def (**) (x: u32) (y: u32): u32 = (intrinsics.**) x y
  def (==) (x: u32) (y: u32): bool = (intrinsics.==) x y
  def (<) (x: u32) (y: u32): bool = (intrinsics.<) x y
  def (>) (x: u32) (y: u32): bool = (intrinsics.>) x y
  def (<=) (x: u32) (y: u32): bool = (intrinsics.<=) x y
  def (>=) (x: u32) (y: u32): bool = (intrinsics.>=) x y
  def (!=) (x: u32) (y: u32): bool = (intrinsics.!=) x y
  def (//) (x: u32) (y: u32): u32 = (intrinsics.//) x y
  def (%%) (x: u32) (y: u32): u32 = (intrinsics.%%) x y
  def (&) (x: u32) (y: u32): u32 = (intrinsics.&) x y
  def (|) (x: u32) (y: u32): u32 = (intrinsics.|) x y
  def (^) (x: u32) (y: u32): u32 = (intrinsics.^) x y
  def (<<) (x: u32) (y: u32): u32 = (intrinsics.<<) x y
  def (>>) (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.ashr32 (intrinsics.sign_i32 x, intrinsics.sign_i32 y))
  def (>>>) (x: u32) (y: u32): u32 = (intrinsics.>>>) x y
  def not (x: u32): u32 = !x
  def to_i64 (x: u32): i64 = intrinsics.zext_i32_i64 (intrinsics.sign_i32 (x))
  def neg (x: u32): u32 = -x
  def abs (x: u32): u32 = x
  def sgn (x: u32): u32 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.umax32 (intrinsics.sign_i32 x, intrinsics.sign_i32 y))
  def min (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.umin32 (intrinsics.sign_i32 x, intrinsics.sign_i32 y))
  def highest: u32 = 4294967295
  def lowest: u32 = 0
  def sum [n] (xs: [n]u32): u32 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u32): u32 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u32): u32 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u32): u32 = intrinsics.reduce min highest xs
  def num_bits: i32 = 32
  def get_bit (b: i32) (x: u32): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u32) (v: i32): u32 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u32): i32 = intrinsics.popc32 (intrinsics.sign_i32 x)
  def clz (x: u32): i32 = intrinsics.clz32 (intrinsics.sign_i32 x)
  def ctz (x: u32): i32 = intrinsics.ctz32 (intrinsics.sign_i32 x)
  def mul_hi (x: u32) (y: u32): u32 = intrinsics.unsign_i32 (intrinsics.umul_hi32 ((intrinsics.sign_i32 x), (intrinsics.sign_i32 y)))
  def mad_hi (a: u32) (b: u32) (c: u32): u32 = intrinsics.unsign_i32 (intrinsics.umad_hi32 ((intrinsics.sign_i32 a), (intrinsics.sign_i32 b), (intrinsics.sign_i32 c)))
}

module u64 : integral with t = u64 = {
  type t = u64
  def i8 (x: i8): u64 = intrinsics.unsign_i64 (intrinsics.zext_i8_i64 (x))
  def i16 (x: i16): u64 = intrinsics.unsign_i64 (intrinsics.zext_i16_i64 (x))
  def i32 (x: i32): u64 = intrinsics.unsign_i64 (intrinsics.zext_i32_i64 (x))
  def i64 (x: i64): u64 = intrinsics.unsign_i64 (intrinsics.zext_i64_i64 (x))
  def u8 (x: u8): u64 = intrinsics.unsign_i64 (intrinsics.zext_i8_i64 (intrinsics.sign_i8 (x)))
  def u16 (x: u16): u64 = intrinsics.unsign_i64 (intrinsics.zext_i16_i64 (intrinsics.sign_i16 (x)))
  def u32 (x: u32): u64 = intrinsics.unsign_i64 (intrinsics.zext_i32_i64 (intrinsics.sign_i32 (x)))
  def u64 (x: u64): u64 = x
  def f16 (x: f16): u64 = intrinsics.unsign_i64 (intrinsics.fptoui_f16_i64 x)
  def f32 (x: f32): u64 = intrinsics.unsign_i64 (intrinsics.fptoui_f32_i64 x)
  def f64 (x: f64): u64 = intrinsics.unsign_i64 (intrinsics.fptoui_f64_i64 x)
  def bool (x: bool): u64 = intrinsics.unsign_i64 (intrinsics.btoi_bool_i64 x)
  def (+) (x: u64) (y: u64): u64 = (intrinsics.+) x y
  def (-) (x: u64) (y: u64): u64 = (intrinsics.-) x y
  def (*) (x: u64) (y: u64): u64 = (intrinsics.*) x y
  def (/) (x: u64) (y: u64): u64 = (intrinsics./) x y
  def (%) (x: u64) (y: u64): u64 = (intrinsics.%) x y
  def (**) (x: u64) (y: u64): u64 = (intrinsics.**) x y
  def (==) (x: u64) (y: u64): bool = (intrinsics.==) x y
  def (<) (x: u64) (y: u64): bool = (intrinsics.<) x y
  def (>) (x: u64) (y: u64): bool = (intrinsics.>) x y
  def (<=) (x: u64) (y: u64): bool = (intrinsics.<=) x y
  def (>=) (x: u64) (y: u64): bool = (intrinsics.>=) x y
  def (!=) (x: u64) (y: u64): bool = (intrinsics.!=) x y
  def (//) (x: u64) (y: u64): u64 = (intrinsics.//) x y
  def (%%) (x: u64) (y: u64): u64 = (intrinsics.%%) x y
  def (&) (x: u64) (y: u64): u64 = (intrinsics.&) x y
  def (|) (x: u64) (y: u64): u64 = (intrinsics.|) x y
  def (^) (x: u64) (y: u64): u64 = (intrinsics.^) x y
  def (<<) (x: u64) (y: u64): u64 = (intrinsics.<<) x y
  def (>>) (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.ashr64 (intrinsics.sign_i64 x, intrinsics.sign_i64 y))
  def (>>>) (x: u64) (y: u64): u64 = (intrinsics.>>>) x y
  def not (x: u64): u64 = !x
  def to_i64 (x: u64): i64 = intrinsics.zext_i64_i64 (intrinsics.sign_i64 (x))
  def neg (x: u64): u64 = -x
  def abs (x: u64): u64 = x
  def sgn (x: u64): u64 = if (intrinsics.>) x 0 then 1 else 0
  def max (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.umax64 (intrinsics.sign_i64 x, intrinsics.sign_i64 y))
  def min (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.umin64 (intrinsics.sign_i64 x, intrinsics.sign_i64 y))
  def highest: u64 = 18446744073709551615
  def lowest: u64 = 0
  def sum [n] (xs: [n]u64): u64 = intrinsics.reduce (+) 0 xs
  def product [n] (xs: [n]u64): u64 = intrinsics.reduce (*) 1 xs
  def maximum [n] (xs: [n]u64): u64 = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]u64): u64 = intrinsics.reduce min highest xs
  def num_bits: i32 = 64
  def get_bit (b: i32) (x: u64): i32 = intrinsics.sext_i64_i32 ((intrinsics.&) (to_i64 ((intrinsics.>>>) x (i32 b))) 1)
  def set_bit (b: i32) (x: u64) (v: i32): u64 = (intrinsics.|) ((intrinsics.&) x (!((intrinsics.<<) 1 (i32 b)))) ((intrinsics.<<) (i32 v) (i32 b))
  def popc (x: u64): i32 = intrinsics.popc64 (intrinsics.sign_i64 x)
  def clz (x: u64): i32 = intrinsics.clz64 (intrinsics.sign_i64 x)
  def ctz (x: u64): i32 = intrinsics.ctz64 (intrinsics.sign_i64 x)
  def mul_hi (x: u64) (y: u64): u64 = intrinsics.unsign_i64 (intrinsics.umul_hi64 ((intrinsics.sign_i64 x), (intrinsics.sign_i64 y)))
  def mad_hi (a: u64) (b: u64) (c: u64): u64 = intrinsics.unsign_i64 (intrinsics.umad_hi64 ((intrinsics.sign_i64 a), (intrinsics.sign_i64 b), (intrinsics.sign_i64 c)))
}
