// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/shared_thunk.h"

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"

namespace skald::imp {

static int64_t operation_cost(const core::Exp& exp) {
  return core::is_scalar_operator(exp) ? machine::cost_of(core::operator_class(exp)).scalar : 1;
}

// a * b and b * a are one: the operand that was made first comes first.  Not so sums: of two
// products that go into one, the first is not rounded.
static void put_in_order(core::Exp& exp) {
  auto* node = std::get_if<core::BinOp>(&exp);
  if (node == nullptr || node->op != BinOpKind::kMul) return;
  const Name* left = core::as_name(node->lhs);
  const Name* right = core::as_name(node->rhs);
  if (left != nullptr && right != nullptr && right->id < left->id) std::swap(node->lhs, node->rhs);
}

bool SharedThunk::is_index(const core::Stmt& stmt) {
  if (const auto* copy = core::as<core::Value>(stmt.exp)) {
    const Name* from = core::as_name(copy->arg);
    const auto found = from == nullptr ? forms_.end() : forms_.find(*from);
    if (found == forms_.end()) return false;
    forms_.insert_or_assign(stmt.pat[0].name, Form(found->second));
    return true;
  }
  const auto* sum = core::as<core::BinOp>(stmt.exp);
  if (sum == nullptr || sum->type != Prim::kI64) return false;
  const bool minus = sum->op == BinOpKind::kSub;
  if (!minus && sum->op != BinOpKind::kAdd) return false;
  const auto add = [&](const Operand& base, const Operand& other, bool negative) {
    const Name* from = core::as_name(base);
    const Const* by = core::as_const(other);
    const auto found = from == nullptr ? forms_.end() : forms_.find(*from);
    if (by == nullptr || found == forms_.end()) return false;
    const int64_t distance = negative ? -int_value(*by) : int_value(*by);
    const Form form{found->second.dim, found->second.away + distance};
    forms_.insert_or_assign(stmt.pat[0].name, form);
    return true;
  };
  return add(sum->lhs, sum->rhs, minus) || (!minus && add(sum->rhs, sum->lhs, false));
}

void SharedThunk::give_index(Code& code, Name name, const std::vector<SharedIndex>& indices) {
  const auto found = forms_.find(name);
  if (found == forms_.end() || subst_.contains(name)) return;
  const SharedIndex& index = indices[found->second.dim];
  const std::pair place{found->second.dim, index.away + found->second.away};
  auto moved = moved_.find(place);
  if (moved == moved_.end())
    moved = moved_.emplace(place, code.add_i64(index.base, const_i64(place.second))).first;
  subst_[name] = moved->second;
}

// What two points compute alike has one name already; a copy is that of what it copies.
bool SharedThunk::is_copy(const core::Stmt& stmt) {
  const auto* copy = core::as<core::Value>(stmt.exp);
  if (copy == nullptr || !stmt.pat[0].type.is_scalar()) return false;
  Operand value = copy->arg;
  core::substitute(value, subst_);
  subst_[stmt.pat[0].name] = value;
  return true;
}

void SharedThunk::compute(Code& code, const core::Stmt& stmt) {
  core::Exp exp = core::copy_with_fresh_names(stmt.exp, fn_.prog.names, subst_);
  put_in_order(exp);
  const uint64_t hash = core::structural_hash(exp);
  const auto [first, last] = known_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (!core::equal(it->second.exp, exp)) continue;
    for (size_t k = 0; k < stmt.pat.size(); ++k) subst_[stmt.pat[k].name] = it->second.names[k];
    return;
  }
  cost_ += operation_cost(exp);
  const core::Stmt made = core::copy_with_fresh_names(stmt, fn_.prog.names, subst_);
  fn_.stmt(code, made);
  Known known{std::move(exp), {}};
  for (const core::Param& param : made.pat) known.names.push_back(param.name);
  known_.emplace(hash, std::move(known));
}

std::vector<Operand> SharedThunk::values(Code& code, const std::vector<SharedIndex>& indices) {
  forms_.clear();
  subst_.clear();
  for (size_t d = 0; d < indices.size(); ++d) forms_.emplace(pull_.params[d].name, Form{d, 0});
  for (const core::Stmt& stmt : pull_.body.stmts) {
    if (is_index(stmt)) continue;
    for (const Name name : core::free_names(stmt)) give_index(code, name, indices);
    if (!is_copy(stmt)) compute(code, stmt);
  }
  std::vector<Operand> values;
  for (Operand result : pull_.body.result) {
    if (const Name* name = core::as_name(result)) give_index(code, *name, indices);
    core::substitute(result, subst_);
    values.push_back(fn_.value(result));
  }
  return values;
}

}  // namespace skald::imp
