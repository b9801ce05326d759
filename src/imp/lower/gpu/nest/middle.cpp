// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/nest/middle.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"

namespace skald::imp {

Middle::Middle(FunctionLowering& fn, const core::Lambda& pull, const std::vector<Operand>& dims)
    : fn_(fn), dims_(dims), middle_(core::copy_with_fresh_names(pull, fn.prog.names)) {
  for (size_t d = 0; d < middle_.params.size(); ++d) {
    bound_[middle_.params[d].name] = true;
    if (core::as_const(dims[d]) == nullptr) forms_.emplace(middle_.params[d].name, Form{d, 0});
  }
  collect_bound(middle_.body);
  simplify(middle_.body);
  if (borders_.empty()) return;
  for (Operand& result : middle_.body.result) core::substitute(result, known_);
  drop_unused(middle_.body);
}

void Middle::collect_bound(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    for (const core::Param& param : stmt.pat) bound_[param.name] = true;
    core::for_each_param(stmt.exp, [&](const core::Param& param) { bound_[param.name] = true; });
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { collect_bound(inner); });
  }
}

bool Middle::is_outside(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  return name == nullptr || !bound_.contains(*name);
}

std::optional<Middle::Form> Middle::form_of(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  const auto found = name == nullptr ? forms_.end() : forms_.find(*name);
  if (found == forms_.end()) return std::nullopt;
  return found->second;
}

// Is it an index and a constant?
void Middle::note_index(const core::Stmt& stmt) {
  if (stmt.pat.size() != 1) return;
  const auto note = [&](const Operand& base, int64_t away) {
    if (const std::optional<Form> form = form_of(base))
      forms_.emplace(stmt.pat[0].name, Form{form->dim, form->away + away});
  };
  if (const auto* copy = core::as<core::Value>(stmt.exp)) return note(copy->arg, 0);
  const auto* sum = core::as<core::BinOp>(stmt.exp);
  if (sum == nullptr || sum->type != Prim::kI64) return;
  const Const *left = core::as_const(sum->lhs), *right = core::as_const(sum->rhs);
  if (sum->op == BinOpKind::kAdd && right != nullptr) note(sum->lhs, int_value(*right));
  if (sum->op == BinOpKind::kAdd && left != nullptr) note(sum->rhs, int_value(*left));
  if (sum->op == BinOpKind::kSub && right != nullptr) note(sum->lhs, -int_value(*right));
}

void Middle::add_border(Border border) {
  const auto same = [&](const Border& other) {
    return other.dim == border.dim && other.is_before == border.is_before &&
           other.number == border.number;
  };
  const auto found = std::ranges::find_if(borders_, same);
  if (found == borders_.end()) {
    borders_.push_back(border);
    return;
  }
  // The stricter one of both.
  const auto strict = [](const Border& b) {
    const int64_t step = b.may_touch ? 0 : 1;
    return b.is_before ? b.away + step : -b.away + step;
  };
  if (strict(border) > strict(*found)) *found = border;
}

// Small constants lie before the middle, other numbers after it.
std::optional<bool> Middle::known_in_middle(const core::CmpOp& cmp) {
  if (cmp.type != Prim::kI64) return std::nullopt;
  for (const bool on_left : {true, false}) {
    const std::optional<Form> form = form_of(on_left ? cmp.lhs : cmp.rhs);
    const Operand& number = on_left ? cmp.rhs : cmp.lhs;
    if (!form || !is_outside(number)) continue;
    const bool is_before = core::as_const(number) == nullptr;
    Border border{form->dim, form->away, is_before, false, number};
    const bool is_equality = cmp.op == CmpOpKind::kEq || cmp.op == CmpOpKind::kNe;
    if (is_equality) {
      add_border(border);
      return cmp.op == CmpOpKind::kNe;
    }
    // index < number, or number < index; or both may be equal.
    const bool value = on_left == is_before;
    border.may_touch = (cmp.op == CmpOpKind::kLe) == value;
    add_border(border);
    return value;
  }
  return std::nullopt;
}

// True: the statement is not needed any more.
bool Middle::fold(core::Stmt& stmt, std::vector<core::Stmt>& kept) {
  const auto truth = [](const Operand& operand) -> std::optional<bool> {
    const Const* value = core::as_const(operand);
    if (value == nullptr || value->type != Prim::kBool) return std::nullopt;
    return value->bits != 0;
  };
  const auto is = [&](const Operand& value) {
    known_[stmt.pat[0].name] = value;
    return true;
  };
  if (const auto* cmp = core::as<core::CmpOp>(stmt.exp)) {
    const std::optional<bool> value = known_in_middle(*cmp);
    return value && is(core::const_bool(*value));
  }
  if (const auto* choice = core::as<core::Select>(stmt.exp)) {
    const std::optional<bool> value = truth(choice->cond);
    return value && is(*value ? choice->then : choice->otherwise);
  }
  if (const auto* node = core::as<core::UnOp>(stmt.exp); node && node->op == UnOpKind::kNot) {
    const std::optional<bool> value = truth(node->arg);
    return value && is(core::const_bool(!*value));
  }
  if (const auto* node = core::as<core::BinOp>(stmt.exp); node && node->type == Prim::kBool) {
    for (const bool left : {true, false}) {
      const std::optional<bool> value = truth(left ? node->lhs : node->rhs);
      if (!value) continue;
      const Operand& other = left ? node->rhs : node->lhs;
      if (node->op == BinOpKind::kAnd) return is(*value ? other : Operand(core::const_bool(false)));
      if (node->op == BinOpKind::kOr) return is(*value ? Operand(core::const_bool(true)) : other);
    }
    return false;
  }
  auto* branch = core::as<core::If>(stmt.exp);
  const std::optional<bool> value = branch == nullptr ? std::nullopt : truth(branch->cond);
  if (!value) return false;
  core::Body taken = std::move(*value ? branch->then_body : branch->else_body);
  simplify(taken);
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    core::substitute(taken.result[k], known_);
    known_[stmt.pat[k].name] = taken.result[k];
  }
  std::ranges::move(taken.stmts, std::back_inserter(kept));
  return true;
}

void Middle::simplify(core::Body& body) {
  std::vector<core::Stmt> kept;
  for (core::Stmt& stmt : body.stmts) {
    core::substitute(stmt, known_);
    note_index(stmt);
    if (fold(stmt, kept)) continue;
    core::for_each_body(stmt.exp, [&](core::Body& inner) {
      simplify(inner);
      for (Operand& result : inner.result) core::substitute(result, known_);
    });
    kept.push_back(std::move(stmt));
  }
  body.stmts = std::move(kept);
}

// Of code that has no effects.
void Middle::drop_unused(core::Body& body) {
  std::unordered_map<Name, bool> used;
  const auto use = [&](const Operand& operand) {
    if (const Name* name = core::as_name(operand)) used[*name] = true;
  };
  for (const Operand& result : body.result) use(result);
  std::vector<core::Stmt> kept;
  for (auto stmt = body.stmts.rbegin(); stmt != body.stmts.rend(); ++stmt) {
    const bool is_used = std::ranges::any_of(
        stmt->pat, [&](const core::Param& param) { return used.contains(param.name); });
    if (!is_used) continue;
    for (const Name name : core::free_names(*stmt)) used[name] = true;
    kept.push_back(std::move(*stmt));
  }
  std::ranges::reverse(kept);
  body.stmts = std::move(kept);
}

Operand Middle::holds(Code& code, const std::vector<Operand>& first,
                      const std::vector<Operand>& last) const {
  Operand all = core::const_bool(true);
  for (const Border& border : borders_) {
    const Operand number = fn_.value(border.number);
    const Operand& end = border.is_before ? last[border.dim] : first[border.dim];
    int64_t away = border.away;
    if (border.may_touch) away += border.is_before ? -1 : 1;
    const Operand index = code.add_i64(end, const_i64(away));
    const Operand fits =
        border.is_before ? code.less_i64(index, number) : code.less_i64(number, index);
    all = code.both(all, fits, "in_middle");
  }
  return all;
}

}  // namespace skald::imp
