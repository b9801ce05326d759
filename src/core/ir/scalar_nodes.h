// SPDX-License-Identifier: Apache-2.0
// Nodes of the core IR (exp.h) that compute scalars.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/ops.h"
#include "core/ir/type.h"

namespace skald::core {

// The operand itself: let {x} = y.  An array is not copied.
struct Value {
  static constexpr std::string_view kName = "value";
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.arg); }
};
// The operand itself, but nothing may be concluded about it (#[opaque]); with the statement
// attribute trace or trace(tag) the program prints it when it runs.
struct Opaque {
  static constexpr std::string_view kName = "opaque";
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.arg); }
};
// A number (i64) that can be chosen when the program is run: what the run's tuning says about
// `param`, or else `fallback`.  The same in the whole run.  `param_class` says what kind of choice
// it is: "user" for #[param(NAME)], "threshold(…)" where two versions of the code exist.
struct Tunable {
  static constexpr std::string_view kName = "tunable";
  std::string param;
  std::string param_class;
  Operand fallback;
  static auto fields(auto& self) { return std::tie(self.param, self.param_class, self.fallback); }
};
struct UnOp {
  static constexpr std::string_view kName = "unop";
  UnOpKind op;
  Prim type;
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.arg); }
};
struct BinOp {
  static constexpr std::string_view kName = "binop";
  BinOpKind op;
  Prim type;
  Operand lhs, rhs;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.lhs, self.rhs); }
};
struct CmpOp {
  static constexpr std::string_view kName = "cmpop";
  CmpOpKind op;
  Prim type;
  Operand lhs, rhs;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.lhs, self.rhs); }
};
struct TernOp {
  static constexpr std::string_view kName = "ternop";
  TernOpKind op;
  Prim type;
  Operand a, b, c;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.a, self.b, self.c); }
};
// Numeric conversion.  Integers narrow by truncation and widen by the sign of `from`; float → int
// truncates toward zero, NaN and infinities give 0, other values out of range saturate, except that
// a negative value becomes an i64 and wraps if `to` is unsigned; number → bool is "not zero"; bool
// → number is 0 or 1.
struct Convert {
  static constexpr std::string_view kName = "convert";
  Prim from, to;
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.from, self.to, self.arg); }
};
// The same bits read as another type of the same width.
struct Bitcast {
  static constexpr std::string_view kName = "bitcast";
  Prim from, to;
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.from, self.to, self.arg); }
};
// `cond ? then : otherwise` on scalars; both are already computed.
struct Select {
  static constexpr std::string_view kName = "select";
  Operand cond, then, otherwise;
  static auto fields(auto& self) { return std::tie(self.cond, self.then, self.otherwise); }
};

}  // namespace skald::core
