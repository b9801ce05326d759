// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "frontend/nesl/elaborate/primitives.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

using core::BinOpKind;
using core::CmpOpKind;
using core::UnOpKind;

const std::map<std::string, BinOpKind>& binary_operators() {
  static const std::map<std::string, BinOpKind> table = {
      {"+", BinOpKind::kAdd},      {"-", BinOpKind::kSub},           {"*", BinOpKind::kMul},
      {"max", BinOpKind::kMax},    {"min", BinOpKind::kMin},         {"and", BinOpKind::kAnd},
      {"or", BinOpKind::kOr},      {"xor", BinOpKind::kXor},         {"lshift", BinOpKind::kShl},
      {"rshift", BinOpKind::kShr}, {"float_power", BinOpKind::kPow},
  };
  return table;
}

const std::map<std::string, UnOpKind>& unary_operators() {
  static const std::map<std::string, UnOpKind> table = {
      {"negate", UnOpKind::kNeg}, {"not", UnOpKind::kNot},   {"abs", UnOpKind::kAbs},
      {"exp", UnOpKind::kExp},    {"sin", UnOpKind::kSin},   {"cos", UnOpKind::kCos},
      {"tan", UnOpKind::kTan},    {"asin", UnOpKind::kAsin}, {"acos", UnOpKind::kAcos},
      {"atan", UnOpKind::kAtan},  {"sinh", UnOpKind::kSinh}, {"cosh", UnOpKind::kCosh},
      {"tanh", UnOpKind::kTanh},
  };
  return table;
}

// Which comparison, whether its operands change places, and whether the answer is turned around.
struct Comparison {
  CmpOpKind op;
  bool swaps = false;
};
const std::map<std::string, Comparison>& comparisons() {
  static const std::map<std::string, Comparison> table = {
      {"==", {CmpOpKind::kEq}},      {"/=", {CmpOpKind::kNe}}, {"<", {CmpOpKind::kLt}},
      {">", {CmpOpKind::kLt, true}}, {"<=", {CmpOpKind::kLe}}, {">=", {CmpOpKind::kLe, true}},
  };
  return table;
}

Prim prim_of_value(const Value& scalar) {
  return prim_of(scalar.shape->kind);
}

// a / b and rem(a, b): ints need a divisor that is not zero.
Value divided(Elaborator& elab, const std::string& name, const Value& a, const Value& b) {
  const Prim prim = prim_of_value(a);
  if (prim == Prim::kF64)
    return {a.shape, {elab.builder().binop(BinOpKind::kDiv, prim, a.parts[0], b.parts[0])}};
  const Operand is_zero = elab.code().equal(b.parts[0], core::const_i64(0));
  const std::vector<Name> tokens =
      elab.code().check(elab.builder().logical_not(is_zero), {std::string("division by zero")});
  const BinOpKind op = name == "/" ? BinOpKind::kQuot : BinOpKind::kRem;
  return {a.shape, {elab.builder().binop(op, prim, a.parts[0], b.parts[0], "q", tokens)}};
}

// sqrt and ln have no value for some numbers.
Value partial_function(Elaborator& elab, const std::string& name, const Value& x) {
  const Operand zero = core::const_float(Prim::kF64, 0);
  const bool is_root = name == "sqrt";
  const Operand fits =
      elab.builder().cmpop(is_root ? CmpOpKind::kLe : CmpOpKind::kLt, Prim::kF64, zero, x.parts[0]);
  const std::vector<Name> tokens =
      elab.code().check(fits, {fmt::format("{} of ", name), x.parts[0]});
  const Name result = elab.builder().let1(
      core::scalar_type(Prim::kF64),
      core::UnOp{is_root ? UnOpKind::kSqrt : UnOpKind::kLog, Prim::kF64, x.parts[0]}, "y", tokens);
  return {x.shape, {result}};
}

std::optional<Value> conversion(Elaborator& elab, const std::string& name, const Value& arg) {
  core::Builder& b = elab.builder();
  const auto to = [&](Shape::Kind kind, Operand operand) {
    return scalar_value(kind, b.convert(prim_of_value(arg), prim_of(kind), operand));
  };
  if (name == "float") return to(Shape::kFloat, arg.parts[0]);
  if (name == "trunc") return to(Shape::kInt, arg.parts[0]);
  if (name == "floor") return to(Shape::kInt, b.unop(UnOpKind::kFloor, Prim::kF64, arg.parts[0]));
  if (name == "ceil") return to(Shape::kInt, b.unop(UnOpKind::kCeil, Prim::kF64, arg.parts[0]));
  if (name == "round") return to(Shape::kInt, b.unop(UnOpKind::kRound, Prim::kF64, arg.parts[0]));
  if (name == "btoi" || name == "char_code") return to(Shape::kInt, arg.parts[0]);
  if (name == "code_char") return to(Shape::kChar, arg.parts[0]);
  return std::nullopt;
}

// A number from 0 up to `bound`, which it never reaches.
Value random_below(Elaborator& elab, const Value& bound) {
  core::Builder& b = elab.builder();
  const Prim prim = prim_of_value(bound);
  const Operand bits = elab.take_random();
  const Operand zero = prim == Prim::kF64 ? core::const_float(prim, 0) : core::const_i64(0);
  const std::vector<Name> tokens =
      elab.code().check(b.cmpop(CmpOpKind::kLt, prim, zero, bound.parts[0]),
                        {std::string("rand needs a positive bound, but got "), bound.parts[0]});
  if (prim == Prim::kI64)
    return {bound.shape, {b.binop(BinOpKind::kRem, prim, bits, bound.parts[0], "random", tokens)}};
  const Operand top = b.binop(BinOpKind::kLshr, Prim::kI64, bits, core::const_i64(10));
  const Operand unit = b.binop(BinOpKind::kMul, Prim::kF64, b.convert(Prim::kI64, Prim::kF64, top),
                               core::const_float(Prim::kF64, 0x1p-53));
  return {bound.shape,
          {b.binop(BinOpKind::kMul, Prim::kF64, unit, bound.parts[0], "random", tokens)}};
}

}  // namespace

std::optional<Value> scalar_primitive(Elaborator& elab, const std::string& name, const Value& arg) {
  core::Builder& b = elab.builder();
  if (const auto op = unary_operators().find(name); op != unary_operators().end())
    return Value{arg.shape, {b.unop(op->second, prim_of_value(arg), arg.parts[0])}};
  if (const auto op = binary_operators().find(name); op != binary_operators().end())
    return Value{first_of(arg).shape,
                 {b.binop(op->second, prim_of_value(first_of(arg)), arg.parts[0], arg.parts[1])}};
  if (const auto op = comparisons().find(name); op != comparisons().end()) {
    const size_t left = op->second.swaps ? 1 : 0;
    return scalar_value(Shape::kBool, b.cmpop(op->second.op, prim_of_value(first_of(arg)),
                                              arg.parts[left], arg.parts[1 - left]));
  }
  if (name == "/" || name == "rem") return divided(elab, name, first_of(arg), second_of(arg));
  if (name == "sqrt" || name == "ln") return partial_function(elab, name, arg);
  if (name == "rand") return random_below(elab, arg);
  if (name == "rand_seed") {
    elab.set_seed(arg.parts[0]);
    return scalar_value(Shape::kBool, core::const_bool(true));
  }
  return conversion(elab, name, arg);
}

Value call_primitive(Elaborator& elab, const std::string& name, const Value& arg, Span span) {
  if (std::optional<Value> value = scalar_primitive(elab, name, arg)) return *value;
  if (std::optional<Value> value = sequence_primitive(elab, name, arg, span)) return *value;
  if (std::optional<Value> value = shape_primitive(elab, name, arg, span)) return *value;
  SKALD_BUG("the library declares `{}`, which is no primitive", name);
}

}  // namespace skald::nesl
