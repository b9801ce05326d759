// SPDX-License-Identifier: Apache-2.0
// The overloaded operators of the language, on whatever primitive type their operands have.
#include "frontend/futhark/elaborate/scalars/operators.h"

#include "frontend/futhark/elaborate/code/notes.h"

namespace skald::futhark::elab {

// What a check of `operand` says.
static std::vector<MessagePart> operand_message(const char* what, const Operand& operand,
                                                const Exp* written) {
  std::vector<MessagePart> message = {std::string(what)};
  CheckNotes notes;
  if (written != nullptr) notes.value(*written, operand);
  notes.add_to(message);
  return message;
}

Operand Operators::division(BinOpKind op, Prim p, const Operand& lhs, const Operand& rhs,
                            const Exp* written) {
  Tokens tokens;
  if (is_int(p)) {
    Operand ok = code_.b().cmpop(CmpOpKind::kNe, p, rhs, core::const_int(p, 0));
    tokens = code_.check(ok, operand_message("division by zero", core::const_int(p, 0), written));
  }
  return code_.b().binop(op, p, lhs, rhs, "quot", std::move(tokens));
}

Operand Operators::power(Prim p, const Operand& lhs, const Operand& rhs, const Exp* written) {
  Tokens tokens;
  if (is_signed_int(p)) {
    Operand ok = code_.b().cmpop(CmpOpKind::kLe, p, core::const_int(p, 0), rhs);
    tokens = code_.check(ok, operand_message("negative exponent", rhs, written));
  }
  return code_.b().binop(BinOpKind::kPow, p, lhs, rhs, "pow", std::move(tokens));
}

ValuePtr Operators::binary(const std::string& op, const ValuePtr& lhs, const ValuePtr& rhs,
                           const Exp* written) {
  if (op == "==") return scalar_value(Prim::kBool, equal(lhs, rhs));
  if (op == "!=") return scalar_value(Prim::kBool, code_.b().logical_not(equal(lhs, rhs)));
  SKALD_CHECK(lhs->kind == Value::kDyn && lhs->rep->kind == Rep::kPrim,
              "operator {} on something that is no scalar", op);
  Prim p = lhs->rep->prim;
  Operand x = scalar_of(*lhs), y = scalar_of(*rhs);
  auto arith = [&](BinOpKind kind) { return scalar_value(p, code_.b().binop(kind, p, x, y)); };
  auto compare = [&](CmpOpKind kind, const Operand& l, const Operand& r) {
    return scalar_value(Prim::kBool, code_.b().cmpop(kind, p, l, r));
  };
  if (op == "+") return arith(BinOpKind::kAdd);
  if (op == "-") return arith(BinOpKind::kSub);
  if (op == "*") return arith(BinOpKind::kMul);
  if (op == "/") return scalar_value(p, division(BinOpKind::kDiv, p, x, y, written));
  if (op == "%") return scalar_value(p, division(BinOpKind::kMod, p, x, y, written));
  if (op == "//") return scalar_value(p, division(BinOpKind::kQuot, p, x, y, written));
  if (op == "%%") return scalar_value(p, division(BinOpKind::kRem, p, x, y, written));
  if (op == "**") return scalar_value(p, power(p, x, y, written));
  if (op == "&") return arith(BinOpKind::kAnd);
  if (op == "|") return arith(BinOpKind::kOr);
  if (op == "^") return arith(BinOpKind::kXor);
  if (op == "<<") return arith(BinOpKind::kShl);
  if (op == ">>") return arith(BinOpKind::kShr);
  if (op == ">>>") return arith(BinOpKind::kLshr);
  if (op == "<") return compare(CmpOpKind::kLt, x, y);
  if (op == "<=") return compare(CmpOpKind::kLe, x, y);
  if (op == ">") return compare(CmpOpKind::kLt, y, x);
  if (op == ">=") return compare(CmpOpKind::kLe, y, x);
  if (op == "&&") return scalar_value(p, code_.b().logical_and(x, y));
  if (op == "||") return scalar_value(p, code_.b().logical_or(x, y));
  SKALD_BUG("unknown operator {}", op);
}

ValuePtr Operators::negate(const ValuePtr& v) {
  Prim p = v->rep->prim;
  return scalar_value(p, code_.b().unop(UnOpKind::kNeg, p, scalar_of(*v)));
}

ValuePtr Operators::complement(const ValuePtr& v) {
  Prim p = v->rep->prim;
  if (p == Prim::kBool) return scalar_value(p, code_.b().logical_not(scalar_of(*v)));
  return scalar_value(p, code_.b().unop(UnOpKind::kNot, p, scalar_of(*v)));
}

}  // namespace skald::futhark::elab
