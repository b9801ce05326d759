// SPDX-License-Identifier: Apache-2.0
// Variables, and the statements that bind them.
#include "core/random/scope.h"

namespace skald::core::random {

Name Scope::bind(const Type& type, std::string_view base, bool fresh) {
  const Name name = prog.names.fresh(base);
  vars.push_back({name, type, fresh});
  return name;
}

Name Scope::let(Type type, Exp exp, std::string_view base, bool fresh, std::vector<Name> tokens) {
  const Name name = out->let1(type, std::move(exp), base, std::move(tokens));
  vars.push_back({name, std::move(type), fresh});
  return name;
}

std::vector<Name> Scope::lets(std::vector<Param> pat, Exp exp, bool fresh) {
  std::vector<Name> names;
  for (const Param& p : pat) {
    names.push_back(p.name);
    if (p.type.kind == Type::kArray) vars.push_back({p.name, p.type, fresh});
  }
  out->let_pat(std::move(pat), std::move(exp));
  return names;
}

Param Scope::param(const Type& type, std::string_view base, bool fresh) {
  return {.name = bind(type, base, fresh), .type = type};
}

void Scope::not_fresh(Name name) {
  for (Var& var : vars)
    if (var.name == name) var.fresh = false;
}

Name Scope::copy_of(const Var& var) {
  const Type type = var.type;
  const Name source = var.name;
  return let(type, Copy{source}, "copy", true);
}

std::optional<Var> Scope::consumable() {
  std::vector<size_t> found;
  for (size_t i = body_begin; i < vars.size(); ++i)
    if (vars[i].type.is_array() && vars[i].fresh) found.push_back(i);
  if (found.empty() || random.chance(30)) {
    const Var* var = find_array();
    if (!var) return std::nullopt;
    copy_of(*var);
    found = {vars.size() - 1};
  }
  const size_t at = random.pick(found);
  Var var = vars[at];
  vars.erase(vars.begin() + static_cast<ptrdiff_t>(at));
  return var;
}

int64_t Scope::bound(const Operand& size) const {
  if (const Const* c = as_const(size)) return std::max<int64_t>(1, int_value(*c));
  const auto found = bounds.find(*as_name(size));
  return found == bounds.end() ? kMaxElements : found->second;
}

int64_t Scope::elements(const Type& type) const {
  int64_t count = 1;
  for (const Operand& dim : type.shape) count = std::min(count * bound(dim), 10 * kMaxElements);
  return count;
}

Operand Scope::binop(BinOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base) {
  return let(scalar_type(type), BinOp{op, type, lhs, rhs}, base);
}

Operand Scope::cmpop(CmpOpKind op, Prim type, Operand lhs, Operand rhs) {
  return let(scalar_type(Prim::kBool), CmpOp{op, type, lhs, rhs}, "c");
}

}  // namespace skald::core::random
