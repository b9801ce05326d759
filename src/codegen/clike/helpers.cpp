// SPDX-License-Identifier: Apache-2.0
// The meaning of every function here is that of core/scalar/scalar.cpp.  In the texts $T is the
// type, $U the unsigned type of the same width, $N the number of bits.
#include "codegen/clike/helpers.h"

#include <fmt/format.h>

#include "codegen/clike/thread_helpers.h"

namespace skald::clike {

namespace {

constexpr std::string_view kSignedDivide = R"(
SK_FN $T sk_quot_$T($T a, $T b) {
  if (b == 0) return 0;
  if (b == -1) return ($T)(0 - ($U)a);
  return ($T)(a / b);
}
SK_FN $T sk_rem_$T($T a, $T b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  return ($T)(a % b);
}
SK_FN $T sk_div_$T($T a, $T b) {
  $T q = sk_quot_$T(a, b);
  return b != 0 && sk_rem_$T(a, b) != 0 && (a < 0) != (b < 0) ? ($T)(q - 1) : q;
}
SK_FN $T sk_mod_$T($T a, $T b) {
  $T r = sk_rem_$T(a, b);
  return b != 0 && r != 0 && (r < 0) != (b < 0) ? ($T)(r + b) : r;
}
)";

constexpr std::string_view kUnsignedDivide = R"(
SK_FN $T sk_quot_$T($T a, $T b) { return b == 0 ? 0 : ($T)(a / b); }
SK_FN $T sk_rem_$T($T a, $T b) { return b == 0 ? a : ($T)(a % b); }
SK_FN $T sk_div_$T($T a, $T b) { return sk_quot_$T(a, b); }
SK_FN $T sk_mod_$T($T a, $T b) { return sk_rem_$T(a, b); }
)";

constexpr std::string_view kShift = R"(
SK_FN $T sk_shl_$T($T a, $T b) { return ($U)b >= $N ? 0 : ($T)($U)(($U)a << ($U)b); }
SK_FN $T sk_lshr_$T($T a, $T b) { return ($U)b >= $N ? 0 : ($T)(($U)a >> ($U)b); }
SK_FN $T sk_ashr_$T($T a, $T b) { return ($T)(($S)a >> (($U)b >= $N ? $N - 1 : ($U)b)); }
)";

constexpr std::string_view kPow = R"(
SK_FN $T sk_pow_$T($T base, $T exponent) {
  $NEGATIVE
  u64 result = 1, square = (u64)base;
  for ($U rest = ($U)exponent; rest != 0; rest = ($U)(rest >> 1)) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return ($T)result;
}
)";
constexpr std::string_view kPowNegative =
    "if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;";

constexpr std::string_view kMulHiNarrow =
    "SK_FN $T sk_mul_hi_$T($T a, $T b) { return ($T)((($W)a * ($W)b) >> $N); }\n";
constexpr std::string_view kMulHiWide =
    "SK_FN $T sk_mul_hi_$T($T a, $T b) { return SK_MULHI_$B(a, b); }\n";

constexpr std::string_view kCountNarrow = R"(
SK_FN i32 sk_popc_$T($T a) { return (i32)SK_POPC32((u32)($U)a); }
SK_FN i32 sk_clz_$T($T a) { return (i32)SK_CLZ32((u32)($U)a) - (32 - $N); }
SK_FN i32 sk_ctz_$T($T a) {
  u32 x = ($U)a;
  return x == 0 ? $N : (i32)SK_POPC32((x & (0u - x)) - 1u);
}
)";
constexpr std::string_view kCountWide = R"(
SK_FN i32 sk_popc_$T($T a) { return (i32)SK_POPC64((u64)a); }
SK_FN i32 sk_clz_$T($T a) { return (i32)SK_CLZ64((u64)a); }
SK_FN i32 sk_ctz_$T($T a) {
  u64 x = (u64)a;
  return x == 0 ? 64 : (i32)SK_POPC64((x & (0 - x)) - 1);
}
)";

// A NaN loses, and -0 is smaller than +0.
constexpr std::string_view kMinMax = R"(
SK_FN $T sk_min_$T($T a, $T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return SK_BITS_OF_$B(a) >> ($N - 1) != 0 ? a : b;
  return a < b ? a : b;
}
SK_FN $T sk_max_$T($T a, $T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return SK_BITS_OF_$B(a) >> ($N - 1) != 0 ? b : a;
  return a < b ? b : a;
}
)";

constexpr std::string_view kSgn =
    "SK_FN $T sk_sgn_$T($T a) { return a != a ? a : ($T)((a > 0) - (a < 0)); }\n";

constexpr std::string_view kSignedFromFloat = R"(
#ifdef SK_SATURATED_$T
SK_FN $T sk_$F_to_$T($F v) { return v - v == 0 ? SK_SATURATED_$T(v) : 0; }
#else
SK_FN $T sk_$F_to_$T($F v) {
  if (!(v - v == 0)) return 0;
  $F whole = trunc(v);
  if (whole >= ($F)$ABOVE) return $MAX;
  if (whole < -($F)$ABOVE) return $MIN;
  return ($T)whole;
}
#endif
)";
// Negative values become an i64 first and wrap.
constexpr std::string_view kUnsignedFromFloat = R"(
SK_FN $T sk_$F_to_$T($F v) {
  if (!(v - v == 0)) return 0;
  if (v < 0) return ($T)(u64)sk_$F_to_i64(v);
  $F whole = trunc(v);
  if (whole >= ($F)$ABOVE) return ($T)~($T)0;
  return ($T)whole;
}
)";

// An f16 is held as the f32 of the same value.
constexpr std::string_view kHalf = R"(
SK_FN f32 sk_from_f16(u16 bits) {
  u32 sign = (u32)(bits & 0x8000) << 16;
  u32 exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 31) return SK_F32_OF(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    f32 magnitude = (f32)fraction * 5.9604644775390625e-8f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return SK_F32_OF(sign | ((exponent + 112) << 23) | (fraction << 13));
}
SK_FN u16 sk_to_f16(f32 value) {
  u32 bits = SK_BITS_OF_F32(value);
  u32 sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return (u16)(sign | 0x7e00);
  if (magnitude >= 0x477ff000) return (u16)(sign | 0x7c00);
  u32 exponent = magnitude >> 23;
  if (exponent < 102) return (u16)sign;
  u32 fraction = (magnitude & 0x7fffff) | 0x800000;
  // How many bits are lost: 13 from normal numbers, more from those that become subnormal.
  u32 lost = exponent < 113 ? 126 - exponent : 13;
  u32 kept = fraction >> lost, rest = fraction & ((1u << lost) - 1), half_way = 1u << (lost - 1);
  if (rest > half_way || (rest == half_way && (kept & 1) != 0)) ++kept;
  if (exponent < 113) return (u16)(sign | kept);
  return (u16)(sign | (((exponent - 112) << 10) + (kept - 1024)));
}
SK_FN f32 sk_round_f16(f32 value) { return sk_from_f16(sk_to_f16(value)); }
)";

// One rounding: the last bit of the f32 collects what the first rounding lost.
constexpr std::string_view kHalfFromF64 = R"(
SK_FN f32 sk_f64_to_f16(f64 value) {
  f32 near = (f32)value;
  u32 bits = SK_BITS_OF_F32(near);
  if (value == value && near - near == 0 && (f64)near != value) {
    // Toward zero, with an odd last bit.
    if (fabs((f64)near) > fabs(value)) bits -= 1;
    bits |= 1;
  }
  return sk_round_f16(SK_F32_OF(bits));
}
)";

constexpr std::string_view kNextHalf = R"(
SK_FN f32 sk_next_f16(f32 x, f32 y) {
  u16 from = sk_to_f16(x);
  if (x != x || y != y) return sk_from_f16(0x7e00);
  if (x == y) return y;
  if (x == 0) return sk_from_f16(y > 0 ? 0x0001 : 0x8001);
  return sk_from_f16((u16)((y > x) == (x > 0) ? from + 1 : from - 1));
}
)";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string for_type(std::string_view pattern, Prim type) {
  std::string text(pattern);
  const bool wide = prim_size(type) == 8;
  const std::string name(prim_name(type));
  const std::string number = fmt::format("{}", 8 * prim_size(type));
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  const int digits = 8 * prim_size(type) - (is_signed_int(type) ? 1 : 0);
  // The bound is a power of two, exact in every float type.
  replace_all(text, "$ABOVE",
              fmt::format("{}.0f", digits == 64   ? "18446744073709551616"
                                   : digits == 63 ? "9223372036854775808"
                                   : digits == 32 ? "4294967296"
                                   : digits == 31 ? "2147483648"
                                   : digits == 16 ? "65536"
                                   : digits == 15 ? "32768"
                                   : digits == 8  ? "256"
                                                  : "128"));
  replace_all(text, "$MAX", fmt::format("($T)((($U)1 << {}) - 1)", digits));
  replace_all(text, "$MIN", fmt::format("($T)(($U)1 << {})", digits));
  replace_all(text, "$NEGATIVE", is_signed_int(type) ? kPowNegative : std::string_view());
  replace_all(text, "$U", fmt::format("u{}", number));
  replace_all(text, "$S", fmt::format("i{}", number));
  replace_all(text, "$W", is_signed_int(type) ? "i64" : "u64");
  replace_all(text, "$N", number);
  replace_all(text, "$B", upper);
  replace_all(text, "$T", name);
  (void)wide;
  return text;
}

std::string text_of(Helper helper, Prim type) {
  const bool wide = prim_size(type) == 8;
  const auto from_float = [&](std::string_view from) {
    std::string text = for_type(is_signed_int(type) ? kSignedFromFloat : kUnsignedFromFloat, type);
    replace_all(text, "$F", from);
    return text;
  };
  switch (helper) {
    case Helper::kFail: return std::string(kFail);
    case Helper::kFrame: return std::string(kFrame);
    case Helper::kHeap: return std::string(kHeap);
    case Helper::kStack: return std::string(kStack);
    case Helper::kDivide:
      return for_type(is_signed_int(type) ? kSignedDivide : kUnsignedDivide, type);
    case Helper::kShift: return for_type(kShift, type);
    case Helper::kPow: return for_type(kPow, type);
    case Helper::kMulHi: return for_type(wide ? kMulHiWide : kMulHiNarrow, type);
    case Helper::kCount: return for_type(wide ? kCountWide : kCountNarrow, type);
    case Helper::kMinMax: return for_type(kMinMax, type);
    case Helper::kSgn: return for_type(kSgn, type);
    case Helper::kF32ToInt: return from_float("f32");
    case Helper::kF64ToInt: return from_float("f64");
    case Helper::kHalf: return std::string(kHalf);
    case Helper::kHalfFromF64: return std::string(kHalfFromF64);
    case Helper::kNextHalf: return std::string(kNextHalf);
    case Helper::kCopy: return std::string(kCopy);
    case Helper::kGroupHeap: return std::string(kGroupHeap);
  }
  return {};
}

}  // namespace

void HelperSet::need(Helper helper, Prim type) {
  const bool typeless = helper <= Helper::kStack || helper >= Helper::kHalf;
  if (!needed_.emplace(helper, typeless ? Prim::kI32 : type).second) return;
  if (helper == Helper::kFrame || helper == Helper::kHeap || helper == Helper::kStack)
    need(Helper::kFail);
  if (helper == Helper::kGroupHeap) need(Helper::kHeap);
  if (helper == Helper::kHalfFromF64 || helper == Helper::kNextHalf) need(Helper::kHalf);
  // Negative values go through i64, which is written before the unsigned types.
  if ((helper == Helper::kF32ToInt || helper == Helper::kF64ToInt) && is_unsigned_int(type))
    need(helper, Prim::kI64);
}

void HelperSet::add(const HelperSet& other) {
  needed_.insert(other.needed_.begin(), other.needed_.end());
}

std::string_view HelperSet::common() {
  return kThread;
}

std::vector<std::string> HelperSet::texts() const {
  std::vector<std::string> texts;
  for (const auto& [helper, type] : needed_) texts.push_back(text_of(helper, type));
  return texts;
}

std::vector<int32_t> HelperSet::places(const HelperSet& part) const {
  std::vector<int32_t> places;
  int32_t number = 0;
  for (const auto& needed : needed_) {
    if (part.needed_.contains(needed)) places.push_back(number);
    ++number;
  }
  return places;
}

}  // namespace skald::clike
