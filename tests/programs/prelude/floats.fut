-- SPDX-License-Identifier: Apache-2.0
-- Every member of the floating-point modules, for every type.  Results are compared with a tolerance.

module members (F: float) = {
  def arithmetic (x: F.t) (y: F.t) : [12]F.t =
    [ x F.+ y, x F.- y, x F.* y, x F./ y, x F.% y, x F.** y, F.max x y, F.min x y, F.neg x, F.abs (F.neg x)
    , F.sgn (F.neg x), F.recip x ]

  def comparisons (x: F.t) (y: F.t) : [8]bool =
    [ x F.== y, x F.!= y, x F.< y, x F.> y, x F.<= y, x F.>= y, F.isinf x, F.isnan y ]

  -- For x in the open interval from 0 to 1.
  def elementary (x: F.t) : [16]F.t =
    [ F.sqrt x, F.rsqrt x, F.cbrt x, F.exp x, F.log x, F.log2 x, F.log10 x, F.log1p x, F.gamma x, F.lgamma x
    , F.erf x, F.erfc x, F.ceil x, F.floor x, F.trunc x, F.round x ]

  def angles (x: F.t) : [18]F.t =
    [ F.sin x, F.cos x, F.tan x, F.asin x, F.acos x, F.atan x, F.sinh x, F.cosh x, F.tanh x, F.asinh x
    , F.acosh (x F.+ F.i32 1), F.atanh x, F.sinpi x, F.cospi x, F.tanpi x, F.asinpi x, F.acospi x, F.atanpi x ]

  def several (x: F.t) (y: F.t) (z: F.t) : [8]F.t =
    [ F.atan2 x y, F.atan2pi x y, F.hypot x y, F.lerp x y z, F.mad x y z, F.fma x y z, F.copysign x (F.neg y)
    , F.ldexp x 3 ]

  def folds [n] (xs: [n]F.t) : [4]F.t = [F.sum xs, F.product xs, F.maximum xs, F.minimum xs]

  def constants (x: F.t) : [8]F.t =
    [F.highest, F.lowest, F.inf, F.nan, F.pi, F.e, F.epsilon, F.nextafter x (F.i32 2)]

  def conversions : [14]F.t =
    [ F.i8 1, F.i16 2, F.i32 3, F.i64 4, F.u8 5, F.u16 6, F.u32 7, F.u64 8, F.f16 9.5, F.f32 10.5, F.f64 11.5
    , F.bool true, F.from_fraction 7 2, F.from_fraction (-1) 4 ]

  def bits (x: F.t) : (i32, i32, F.t, F.t) =
    (F.num_bits, F.get_bit (F.num_bits - 1) x, F.set_bit (F.num_bits - 1) x 1, F.from_bits (F.to_bits x))

  def wide (x: F.t) : (i64, f64) = (F.to_i64 x, F.to_f64 x)
}

module m_f16 = members f16

-- ==
-- entry: arithmetic_f16
-- input { 5.5f16 2.0f16 } output { [7.5f16, 3.5f16, 11.0f16, 2.75f16, 1.5f16, 30.25f16, 5.5f16, 2.0f16,
-- -5.5f16, 5.5f16, -1.0f16, 0.18181818181818182f16] }
entry arithmetic_f16 = m_f16.arithmetic

-- ==
-- entry: comparisons_f16
-- input { 5.5f16 2.0f16 } output { [false, true, false, true, false, true, false, false] }
-- input { -f16.inf f16.nan } output { [false, true, false, false, false, false, true, true] }
entry comparisons_f16 = m_f16.comparisons

-- ==
-- entry: elementary_f16
-- input { 0.25f16 } output { [0.5f16, 2.0f16, 0.6299605249474366f16, 1.2840254166877414f16,
-- -1.3862943611198906f16, -2.0f16, -0.6020599913279624f16, 0.22314355131420976f16, 3.6256099082219087f16,
-- 1.2880225246980772f16, 0.2763263901682369f16, 0.7236736098317631f16, 1.0f16, 0.0f16, 0.0f16, 0.0f16] }
entry elementary_f16 = m_f16.elementary

-- ==
-- entry: angles_f16
-- input { 0.25f16 } output { [0.24740395925452294f16, 0.9689124217106447f16, 0.25534192122103627f16,
-- 0.25268025514207865f16, 1.318116071652818f16, 0.24497866312686414f16, 0.2526123168081683f16,
-- 1.0314130998795732f16, 0.24491866240370913f16, 0.24746646154726346f16, 0.6931471805599453f16,
-- 0.25541281188299536f16, 0.7071067811865475f16, 0.7071067811865476f16, 0.9999999999999999f16,
-- 0.08043062325516624f16, 0.4195693767448338f16, 0.07797913037736932f16] }
entry angles_f16 = m_f16.angles

-- ==
-- entry: several_f16
-- input { 3.0f16 4.0f16 0.5f16 } output { [0.6435011087932844f16, 0.20483276469913345f16, 5.0f16, 3.5f16,
-- 12.5f16, 12.5f16, -3.0f16, 24.0f16] }
entry several_f16 = m_f16.several

-- ==
-- entry: folds_f16
-- input { [1.5f16, -2.0f16, 4.0f16] } output { [3.5f16, -12.0f16, 4.0f16, -2.0f16] }
-- input { empty([0]f16) } output { [0.0f16, 1.0f16, -f16.inf, f16.inf] }
entry folds_f16 (xs: []f16) = m_f16.folds xs

-- ==
-- entry: constants_f16
-- input { 1.0f16 } output { [f16.inf, -f16.inf, f16.inf, f16.nan, 3.141592653589793f16,
-- 2.718281828459045f16, 1.1920928955078125e-07f16, 1.0f16] }
entry constants_f16 = m_f16.constants

-- ==
-- entry: conversions_f16
-- input { 2.75f16 } output { [1.0f16, 2.0f16, 3.0f16, 4.0f16, 5.0f16, 6.0f16, 7.0f16, 8.0f16, 9.5f16,
-- 10.5f16, 11.5f16, 1.0f16, 3.5f16, -0.25f16] 16i32 0i32 -2.75f16 2.75f16 2i64 2.75f64 }
entry conversions_f16 (x: f16) =
  let (n, bit, negative, same) = m_f16.bits x
  let (whole, double) = m_f16.wide x
  in (copy m_f16.conversions, n, bit, negative, same, whole, double)

-- ==
-- entry: exact_f16
-- input { 1.0f16 } output { true true true true }
entry exact_f16 (x: f16) =
  let next = f16.nextafter x 2
  in (next > x, f16.nextafter next 0 == x, f16.to_bits next == f16.to_bits x + 1, f16.ldexp x (-2) == 0.25)

module m_f32 = members f32

-- ==
-- entry: arithmetic_f32
-- input { 5.5f32 2.0f32 } output { [7.5f32, 3.5f32, 11.0f32, 2.75f32, 1.5f32, 30.25f32, 5.5f32, 2.0f32,
-- -5.5f32, 5.5f32, -1.0f32, 0.18181818181818182f32] }
entry arithmetic_f32 = m_f32.arithmetic

-- ==
-- entry: comparisons_f32
-- input { 5.5f32 2.0f32 } output { [false, true, false, true, false, true, false, false] }
-- input { -f32.inf f32.nan } output { [false, true, false, false, false, false, true, true] }
entry comparisons_f32 = m_f32.comparisons

-- ==
-- entry: elementary_f32
-- input { 0.25f32 } output { [0.5f32, 2.0f32, 0.6299605249474366f32, 1.2840254166877414f32,
-- -1.3862943611198906f32, -2.0f32, -0.6020599913279624f32, 0.22314355131420976f32, 3.6256099082219087f32,
-- 1.2880225246980772f32, 0.2763263901682369f32, 0.7236736098317631f32, 1.0f32, 0.0f32, 0.0f32, 0.0f32] }
entry elementary_f32 = m_f32.elementary

-- ==
-- entry: angles_f32
-- input { 0.25f32 } output { [0.24740395925452294f32, 0.9689124217106447f32, 0.25534192122103627f32,
-- 0.25268025514207865f32, 1.318116071652818f32, 0.24497866312686414f32, 0.2526123168081683f32,
-- 1.0314130998795732f32, 0.24491866240370913f32, 0.24746646154726346f32, 0.6931471805599453f32,
-- 0.25541281188299536f32, 0.7071067811865475f32, 0.7071067811865476f32, 0.9999999999999999f32,
-- 0.08043062325516624f32, 0.4195693767448338f32, 0.07797913037736932f32] }
entry angles_f32 = m_f32.angles

-- ==
-- entry: several_f32
-- input { 3.0f32 4.0f32 0.5f32 } output { [0.6435011087932844f32, 0.20483276469913345f32, 5.0f32, 3.5f32,
-- 12.5f32, 12.5f32, -3.0f32, 24.0f32] }
entry several_f32 = m_f32.several

-- ==
-- entry: folds_f32
-- input { [1.5f32, -2.0f32, 4.0f32] } output { [3.5f32, -12.0f32, 4.0f32, -2.0f32] }
-- input { empty([0]f32) } output { [0.0f32, 1.0f32, -f32.inf, f32.inf] }
entry folds_f32 (xs: []f32) = m_f32.folds xs

-- ==
-- entry: constants_f32
-- input { 1.0f32 } output { [f32.inf, -f32.inf, f32.inf, f32.nan, 3.141592653589793f32,
-- 2.718281828459045f32, 1.1920928955078125e-07f32, 1.0f32] }
entry constants_f32 = m_f32.constants

-- ==
-- entry: conversions_f32
-- input { 2.75f32 } output { [1.0f32, 2.0f32, 3.0f32, 4.0f32, 5.0f32, 6.0f32, 7.0f32, 8.0f32, 9.5f32,
-- 10.5f32, 11.5f32, 1.0f32, 3.5f32, -0.25f32] 32i32 0i32 -2.75f32 2.75f32 2i64 2.75f64 }
entry conversions_f32 (x: f32) =
  let (n, bit, negative, same) = m_f32.bits x
  let (whole, double) = m_f32.wide x
  in (copy m_f32.conversions, n, bit, negative, same, whole, double)

-- ==
-- entry: exact_f32
-- input { 1.0f32 } output { true true true true }
entry exact_f32 (x: f32) =
  let next = f32.nextafter x 2
  in (next > x, f32.nextafter next 0 == x, f32.to_bits next == f32.to_bits x + 1, f32.ldexp x (-2) == 0.25)

module m_f64 = members f64

-- ==
-- entry: arithmetic_f64
-- input { 5.5f64 2.0f64 } output { [7.5f64, 3.5f64, 11.0f64, 2.75f64, 1.5f64, 30.25f64, 5.5f64, 2.0f64,
-- -5.5f64, 5.5f64, -1.0f64, 0.18181818181818182f64] }
entry arithmetic_f64 = m_f64.arithmetic

-- ==
-- entry: comparisons_f64
-- input { 5.5f64 2.0f64 } output { [false, true, false, true, false, true, false, false] }
-- input { -f64.inf f64.nan } output { [false, true, false, false, false, false, true, true] }
entry comparisons_f64 = m_f64.comparisons

-- ==
-- entry: elementary_f64
-- input { 0.25f64 } output { [0.5f64, 2.0f64, 0.6299605249474366f64, 1.2840254166877414f64,
-- -1.3862943611198906f64, -2.0f64, -0.6020599913279624f64, 0.22314355131420976f64, 3.6256099082219087f64,
-- 1.2880225246980772f64, 0.2763263901682369f64, 0.7236736098317631f64, 1.0f64, 0.0f64, 0.0f64, 0.0f64] }
entry elementary_f64 = m_f64.elementary

-- ==
-- entry: angles_f64
-- input { 0.25f64 } output { [0.24740395925452294f64, 0.9689124217106447f64, 0.25534192122103627f64,
-- 0.25268025514207865f64, 1.318116071652818f64, 0.24497866312686414f64, 0.2526123168081683f64,
-- 1.0314130998795732f64, 0.24491866240370913f64, 0.24746646154726346f64, 0.6931471805599453f64,
-- 0.25541281188299536f64, 0.7071067811865475f64, 0.7071067811865476f64, 0.9999999999999999f64,
-- 0.08043062325516624f64, 0.4195693767448338f64, 0.07797913037736932f64] }
entry angles_f64 = m_f64.angles

-- ==
-- entry: several_f64
-- input { 3.0f64 4.0f64 0.5f64 } output { [0.6435011087932844f64, 0.20483276469913345f64, 5.0f64, 3.5f64,
-- 12.5f64, 12.5f64, -3.0f64, 24.0f64] }
entry several_f64 = m_f64.several

-- ==
-- entry: folds_f64
-- input { [1.5f64, -2.0f64, 4.0f64] } output { [3.5f64, -12.0f64, 4.0f64, -2.0f64] }
-- input { empty([0]f64) } output { [0.0f64, 1.0f64, -f64.inf, f64.inf] }
entry folds_f64 (xs: []f64) = m_f64.folds xs

-- ==
-- entry: constants_f64
-- input { 1.0f64 } output { [f64.inf, -f64.inf, f64.inf, f64.nan, 3.141592653589793f64,
-- 2.718281828459045f64, 2.220446049250313e-16f64, 1.0f64] }
entry constants_f64 = m_f64.constants

-- ==
-- entry: conversions_f64
-- input { 2.75f64 } output { [1.0f64, 2.0f64, 3.0f64, 4.0f64, 5.0f64, 6.0f64, 7.0f64, 8.0f64, 9.5f64,
-- 10.5f64, 11.5f64, 1.0f64, 3.5f64, -0.25f64] 64i32 0i32 -2.75f64 2.75f64 2i64 2.75f64 }
entry conversions_f64 (x: f64) =
  let (n, bit, negative, same) = m_f64.bits x
  let (whole, double) = m_f64.wide x
  in (copy m_f64.conversions, n, bit, negative, same, whole, double)

-- ==
-- entry: exact_f64
-- input { 1.0f64 } output { true true true true }
entry exact_f64 (x: f64) =
  let next = f64.nextafter x 2
  in (next > x, f64.nextafter next 0 == x, f64.to_bits next == f64.to_bits x + 1, f64.ldexp x (-2) == 0.25)
