// SPDX-License-Identifier: Apache-2.0
// Wrap-around arithmetic goes through unsigned types, where it is defined.
#include "codegen/clike/scalar_text.h"

#include <cmath>

#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::clike {

using core::BinOpKind;
using core::CmpOpKind;
using core::TernOpKind;
using core::UnOpKind;

std::string_view value_type(Prim type) {
  return type == Prim::kF16 ? "f32" : prim_name(type);
}

std::string_view memory_type(Prim type) {
  if (type == Prim::kBool) return "u8";
  return type == Prim::kF16 ? "u16" : prim_name(type);
}

namespace {

std::string_view unsigned_name(Prim type) {
  return prim_name(unsigned_of_width(prim_size(type)));
}

std::string float_text(double value, Prim type) {
  if (std::isnan(value) || std::isinf(value)) {
    const std::string_view bits = std::isnan(value)     ? "0x7fc00000u"
                                  : std::signbit(value) ? "0xff800000u"
                                                        : "0x7f800000u";
    const std::string single = fmt::format("SK_F32_OF({})", bits);
    return type == Prim::kF64 ? fmt::format("(f64){}", single) : single;
  }
  std::string text =
      type == Prim::kF64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (type != Prim::kF64) text += 'f';
  return std::signbit(value) ? fmt::format("({})", text) : text;
}

}  // namespace

std::string constant_text(const core::Const& c) {
  if (c.type == Prim::kBool) return c.bits != 0 ? "true" : "false";
  if (is_float(c.type)) return float_text(core::float_value(c), c.type);
  const int64_t value = core::int_value(c);
  switch (c.type) {
    case Prim::kI64:
      if (value == INT64_MIN) return "(-9223372036854775807L - 1)";
      return value < 0 ? fmt::format("({}L)", value) : fmt::format("{}L", value);
    case Prim::kU64: return fmt::format("{}UL", c.bits);
    case Prim::kU32: return fmt::format("{}u", c.bits);
    case Prim::kI32:
      if (value == INT32_MIN) return "(-2147483647 - 1)";
      return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
    default: return fmt::format("({}){}", prim_name(c.type), value);
  }
}

// ---- operators

namespace {

class ExpressionText {
 public:
  explicit ExpressionText(HelperSet& helpers) : helpers_(helpers) {}

  std::string call(Helper helper, std::string_view name, Prim type,
                   std::initializer_list<std::string> args) {
    helpers_.need(helper, type);
    return fmt::format("sk_{}_{}({})", name, prim_name(type), fmt::join(args, ", "));
  }
  // f16 is computed as f32 and rounded once.
  std::string rounded(Prim type, std::string text) {
    if (type != Prim::kF16) return text;
    helpers_.need(Helper::kHalf);
    return fmt::format("sk_round_f16({})", text);
  }

  std::string binop(BinOpKind op, Prim type, const std::string& a, const std::string& b);
  std::string int_binop(BinOpKind op, Prim type, const std::string& a, const std::string& b);
  std::string float_binop(BinOpKind op, Prim type, const std::string& a, const std::string& b);
  std::string unop(UnOpKind op, Prim type, const std::string& a);
  std::string cmpop(CmpOpKind op, const std::string& a, const std::string& b) {
    constexpr std::string_view kSigns[] = {"==", "!=", "<", "<="};
    return fmt::format("({} {} {})", a, kSigns[static_cast<size_t>(op)], b);
  }
  std::string ternop(TernOpKind op, Prim type, const std::string& a, const std::string& b,
                     const std::string& c);
  std::string convert(Prim from, Prim to, const std::string& a);

 private:
  HelperSet& helpers_;
};

std::string ExpressionText::int_binop(BinOpKind op, Prim type, const std::string& a,
                                      const std::string& b) {
  using enum BinOpKind;
  // Narrow operands must not become a signed int before they are multiplied.
  const std::string_view wide = prim_size(type) == 8 ? "u64" : "u32";
  const auto wrapping = [&](char sign) {
    return fmt::format("({})(({}){} {} ({}){})", prim_name(type), wide, a, sign, wide, b);
  };
  switch (op) {
    case kAdd: return wrapping('+');
    case kSub: return wrapping('-');
    case kMul: return wrapping('*');
    case kDiv: return call(Helper::kDivide, "div", type, {a, b});
    case kMod: return call(Helper::kDivide, "mod", type, {a, b});
    case kQuot: return call(Helper::kDivide, "quot", type, {a, b});
    case kRem: return call(Helper::kDivide, "rem", type, {a, b});
    case kPow: return call(Helper::kPow, "pow", type, {a, b});
    case kMin: return fmt::format("({0} < {1} ? {0} : {1})", a, b);
    case kMax: return fmt::format("({0} < {1} ? {1} : {0})", a, b);
    case kAnd: return fmt::format("({})({} & {})", prim_name(type), a, b);
    case kOr: return fmt::format("({})({} | {})", prim_name(type), a, b);
    case kXor: return fmt::format("({})({} ^ {})", prim_name(type), a, b);
    case kShl: return call(Helper::kShift, "shl", type, {a, b});
    case kShr: return call(Helper::kShift, is_signed_int(type) ? "ashr" : "lshr", type, {a, b});
    case kLshr: return call(Helper::kShift, "lshr", type, {a, b});
    case kAshr: return call(Helper::kShift, "ashr", type, {a, b});
    case kMulHi: return call(Helper::kMulHi, "mul_hi", type, {a, b});
    default: break;
  }
  SKALD_BUG("{} on integers", core::mnemonic(op));
}

std::string ExpressionText::float_binop(BinOpKind op, Prim type, const std::string& a,
                                        const std::string& b) {
  using enum BinOpKind;
  const Prim calc = type == Prim::kF64 ? Prim::kF64 : Prim::kF32;
  switch (op) {
    case kAdd: return rounded(type, fmt::format("({} + {})", a, b));
    case kSub: return rounded(type, fmt::format("({} - {})", a, b));
    case kMul: return rounded(type, fmt::format("({} * {})", a, b));
    case kDiv: return rounded(type, fmt::format("({} / {})", a, b));
    case kMin: return call(Helper::kMinMax, "min", calc, {a, b});
    case kMax: return call(Helper::kMinMax, "max", calc, {a, b});
    case kNextafter:
      if (type != Prim::kF16) break;
      helpers_.need(Helper::kNextHalf);
      return fmt::format("sk_next_f16({}, {})", a, b);
    case kMod: return rounded(type, fmt::format("fmod({}, {})", a, b));
    default: break;
  }
  return rounded(type, fmt::format("{}({}, {})", core::mnemonic(op), a, b));
}

std::string ExpressionText::binop(BinOpKind op, Prim type, const std::string& a,
                                  const std::string& b) {
  if (type == Prim::kBool) {
    const char sign = op == BinOpKind::kAnd ? '&' : op == BinOpKind::kOr ? '|' : '^';
    return fmt::format("(bool)({} {} {})", a, sign, b);
  }
  return is_float(type) ? float_binop(op, type, a, b) : int_binop(op, type, a, b);
}

std::string ExpressionText::unop(UnOpKind op, Prim type, const std::string& a) {
  using enum UnOpKind;
  if (type == Prim::kBool) return fmt::format("!{}", a);
  const std::string_view name = prim_name(type);
  if (is_int(type)) {
    const std::string_view wide = prim_size(type) == 8 ? "u64" : "u32";
    switch (op) {
      case kNeg: return fmt::format("({})(0 - ({}){})", name, wide, a);
      case kNot: return fmt::format("({})~({}){}", name, wide, a);
      case kAbs:
        if (!is_signed_int(type)) return a;
        return fmt::format("({1} < 0 ? ({0})(0 - ({2}){1}) : {1})", name, a, wide);
      case kSgn:
        if (!is_signed_int(type)) return fmt::format("({})({} != 0)", name, a);
        return fmt::format("({0})(({1} > 0) - ({1} < 0))", name, a);
      case kPopc: return call(Helper::kCount, "popc", type, {a});
      case kClz: return call(Helper::kCount, "clz", type, {a});
      case kCtz: return call(Helper::kCount, "ctz", type, {a});
      default: break;
    }
    SKALD_BUG("{} on integers", core::mnemonic(op));
  }
  switch (op) {
    case kNeg: return fmt::format("(-{})", a);
    case kAbs: return fmt::format("fabs({})", a);
    case kSgn: return call(Helper::kSgn, "sgn", type == Prim::kF64 ? type : Prim::kF32, {a});
    case kIsNan: return fmt::format("({0} != {0})", a);
    case kIsInf: return fmt::format("({0} == {0} && {0} - {0} != 0)", a);
    case kRsqrt:
      if (type == Prim::kF64) return fmt::format("(1.0 / sqrt({}))", a);
      return rounded(type, fmt::format("rsqrt({})", a));
    case kGamma: return rounded(type, fmt::format("tgamma({})", a));
    case kRound: return rounded(type, fmt::format("rint({})", a));
    default: break;
  }
  return rounded(type, fmt::format("{}({})", core::mnemonic(op), a));
}

std::string ExpressionText::ternop(TernOpKind op, Prim type, const std::string& a,
                                   const std::string& b, const std::string& c) {
  switch (op) {
    case TernOpKind::kMadHi:
      return int_binop(BinOpKind::kAdd, type, int_binop(BinOpKind::kMulHi, type, a, b), c);
    case TernOpKind::kMad: return rounded(type, fmt::format("({} * {} + {})", a, b, c));
    case TernOpKind::kLerp: return rounded(type, fmt::format("({0} + ({1} - {0}) * {2})", a, b, c));
    case TernOpKind::kFma: return rounded(type, fmt::format("fma({}, {}, {})", a, b, c));
  }
  SKALD_BUG("an unknown operator on three operands");
}

std::string ExpressionText::convert(Prim from, Prim to, const std::string& a) {
  if (from == to) return a;
  if (to == Prim::kBool) return fmt::format("({} != 0)", a);
  // A choice costs less than a conversion.
  if (from == Prim::kBool && is_float(to))
    return fmt::format("({0} ? ({1})1 : ({1})0)", a, value_type(to));
  if (is_float(from) && is_int(to)) {
    const bool wide = from == Prim::kF64;
    helpers_.need(wide ? Helper::kF64ToInt : Helper::kF32ToInt, to);
    return fmt::format("sk_{}_to_{}({})", wide ? "f64" : "f32", prim_name(to), a);
  }
  if (to == Prim::kF16) {
    if (from == Prim::kF64) {
      helpers_.need(Helper::kHalfFromF64);
      return fmt::format("sk_f64_to_f16({})", a);
    }
    // An integer that is not exact in f32 is an infinity in f16.
    return rounded(to, fmt::format("(f32){}", a));
  }
  return fmt::format("({}){}", value_type(to), a);
}

}  // namespace

std::string binop_text(BinOpKind op, Prim type, const std::string& a, const std::string& b,
                       HelperSet& helpers) {
  return ExpressionText(helpers).binop(op, type, a, b);
}

std::string expression_text(const imp::Exp& exp, Prim type,
                            const std::function<std::string(const core::Operand&)>& text,
                            HelperSet& helpers) {
  ExpressionText e(helpers);
  if (const auto* n = std::get_if<core::Value>(&exp)) return text(n->arg);
  if (const auto* n = std::get_if<core::UnOp>(&exp)) return e.unop(n->op, n->type, text(n->arg));
  if (const auto* n = std::get_if<core::BinOp>(&exp))
    return e.binop(n->op, n->type, text(n->lhs), text(n->rhs));
  if (const auto* n = std::get_if<core::CmpOp>(&exp))
    return e.cmpop(n->op, text(n->lhs), text(n->rhs));
  if (const auto* n = std::get_if<core::TernOp>(&exp))
    return e.ternop(n->op, n->type, text(n->a), text(n->b), text(n->c));
  if (const auto* n = std::get_if<core::Convert>(&exp))
    return e.convert(n->from, n->to, text(n->arg));
  if (const auto* n = std::get_if<core::Bitcast>(&exp))
    return from_bits(n->to, to_bits(n->from, text(n->arg), helpers), helpers);
  const auto& n = std::get<core::Select>(exp);
  (void)type;
  return fmt::format("({} ? {} : {})", text(n.cond), text(n.then), text(n.otherwise));
}

// ---- memory and bits

std::string to_memory(Prim type, const std::string& value, HelperSet& helpers) {
  if (type == Prim::kBool) return fmt::format("({} ? 1 : 0)", value);
  if (type != Prim::kF16) return value;
  helpers.need(Helper::kHalf);
  return fmt::format("sk_to_f16({})", value);
}

std::string from_memory(Prim type, const std::string& stored, HelperSet& helpers) {
  if (type == Prim::kBool) return fmt::format("({} != 0)", stored);
  if (type != Prim::kF16) return stored;
  helpers.need(Helper::kHalf);
  return fmt::format("sk_from_f16({})", stored);
}

std::string to_bits(Prim type, const std::string& value, HelperSet& helpers) {
  if (type == Prim::kF32) return fmt::format("SK_BITS_OF_F32({})", value);
  if (type == Prim::kF64) return fmt::format("SK_BITS_OF_F64({})", value);
  if (type == Prim::kBool || type == Prim::kF16) return to_memory(type, value, helpers);
  return fmt::format("({}){}", unsigned_name(type), value);
}

std::string from_bits(Prim type, const std::string& bits, HelperSet& helpers) {
  if (type == Prim::kF32) return fmt::format("SK_F32_OF((u32)({}))", bits);
  if (type == Prim::kF64) return fmt::format("SK_F64_OF((u64)({}))", bits);
  if (type == Prim::kF16) {
    helpers.need(Helper::kHalf);
    return fmt::format("sk_from_f16((u16)({}))", bits);
  }
  if (type == Prim::kBool) return fmt::format("(({}) != 0)", bits);
  return fmt::format("({})({})", prim_name(type), bits);
}

}  // namespace skald::clike
