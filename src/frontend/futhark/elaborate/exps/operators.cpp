// SPDX-License-Identifier: Apache-2.0
// The overloaded operators of the language, on whatever primitive type their operands have.
#include "frontend/futhark/elaborate/elab.h"
#include "frontend/futhark/elaborate/notes.h"

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

Operand Elaborator::checked_division(BinOpKind op, Prim p, const Operand& lhs, const Operand& rhs,
                                     const Exp* written) {
  Tokens tokens;
  if (is_int(p)) {
    Operand ok = b().cmpop(CmpOpKind::kNe, p, rhs, core::const_int(p, 0));
    tokens = check(ok, operand_message("division by zero", core::const_int(p, 0), written));
  }
  return b().binop(op, p, lhs, rhs, "quot", std::move(tokens));
}

Operand Elaborator::power(Prim p, const Operand& lhs, const Operand& rhs, const Exp* written) {
  Tokens tokens;
  if (is_signed_int(p)) {
    Operand ok = b().cmpop(CmpOpKind::kLe, p, core::const_int(p, 0), rhs);
    tokens = check(ok, operand_message("negative exponent", rhs, written));
  }
  return b().binop(BinOpKind::kPow, p, lhs, rhs, "pow", std::move(tokens));
}

ValuePtr Elaborator::builtin_binary(const std::string& op, const ValuePtr& lhs, const ValuePtr& rhs,
                                    const Exp* written) {
  if (op == "==") return scalar_value(Prim::kBool, equal(lhs, rhs));
  if (op == "!=") return scalar_value(Prim::kBool, b().logical_not(equal(lhs, rhs)));
  SKALD_CHECK(lhs->kind == Value::kDyn && lhs->rep->kind == Rep::kPrim,
              "operator {} on something that is no scalar", op);
  Prim p = lhs->rep->prim;
  Operand x = scalar_of(*lhs), y = scalar_of(*rhs);
  auto arith = [&](BinOpKind kind) { return scalar_value(p, b().binop(kind, p, x, y)); };
  auto compare = [&](CmpOpKind kind, const Operand& l, const Operand& r) {
    return scalar_value(Prim::kBool, b().cmpop(kind, p, l, r));
  };
  if (op == "+") return arith(BinOpKind::kAdd);
  if (op == "-") return arith(BinOpKind::kSub);
  if (op == "*") return arith(BinOpKind::kMul);
  if (op == "/") return scalar_value(p, checked_division(BinOpKind::kDiv, p, x, y, written));
  if (op == "%") return scalar_value(p, checked_division(BinOpKind::kMod, p, x, y, written));
  if (op == "//") return scalar_value(p, checked_division(BinOpKind::kQuot, p, x, y, written));
  if (op == "%%") return scalar_value(p, checked_division(BinOpKind::kRem, p, x, y, written));
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
  if (op == "&&") return scalar_value(p, b().logical_and(x, y));
  if (op == "||") return scalar_value(p, b().logical_or(x, y));
  SKALD_BUG("unknown operator {}", op);
}

ValuePtr Elaborator::negate(const ValuePtr& v) {
  Prim p = v->rep->prim;
  return scalar_value(p, b().unop(UnOpKind::kNeg, p, scalar_of(*v)));
}

ValuePtr Elaborator::complement(const ValuePtr& v) {
  Prim p = v->rep->prim;
  if (p == Prim::kBool) return scalar_value(p, b().logical_not(scalar_of(*v)));
  return scalar_value(p, b().unop(UnOpKind::kNot, p, scalar_of(*v)));
}

bool Elaborator::is_builtin(const QualName& op, uint32_t id, const Env& env) {
  if (id == 0) return true;
  if (!op.quals.empty()) {
    size_t arity = 0;
    return op.quals[0] == "intrinsics" && !is_intrinsic(op.name, &arity);
  }
  return !lookup_size(env, id) && !lookup_term(env, op.name);
}

// The type of an operator, from where it stands.
const Type* Elaborator::operator_type(const void* node, const Type* lhs, const Type* rhs,
                                      const Type* result) {
  if (!lhs || !rhs || !result) return nullptr;
  const Type*& known = operator_types_[node];
  if (known) return known;
  Type second, first;
  second.kind = first.kind = Type::kArrow;
  second.from = rhs;
  second.to = result;
  first.from = lhs;
  first.to = made_types_.make(std::move(second));
  return known = made_types_.make(std::move(first));
}

ValuePtr Elaborator::binary_exp(const Exp& e, const EBinary& bin, const Env& env) {
  bool builtin = is_builtin(bin.op, bin.id, env) && !bin.backquoted;
  if (builtin && (bin.op.name == "&&" || bin.op.name == "||"))
    return short_circuit(scalar_exp(*bin.lhs, env), bin.op.name == "&&",
                         [&] { return exp(*bin.rhs, env); });
  if (builtin) {
    ValuePtr lhs = exp(*bin.lhs, env), rhs = exp(*bin.rhs, env);
    return builtin_binary(bin.op.name, lhs, rhs, bin.rhs.get());
  }
  // Unlike for applications, sizes flow from left to right.
  ValuePtr lhs = exp(*bin.lhs, env), rhs = exp(*bin.rhs, env);
  const Type* type = operator_type(&e, bin.lhs->type, bin.rhs->type, e.type);
  ValuePtr op = op_value(bin.op, bin.id, bin.inst, type, env, e.span);
  return apply(op, {lhs, rhs}, {e.span, e.type, env});
}

}  // namespace skald::futhark::elab
