// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/strides.h"

#include "core/visit.h"

namespace skald::imp {

using core::as;

namespace {

// How much a value changes when the variable grows by one.
enum class Step { kZero, kOne, kOther };

class Steps {
 public:
  Steps(Name var, const std::function<const ArrayPlace&(Name)>& outer) : outer_(outer) {
    steps_[var] = Step::kOne;
  }

  void stmt(const core::Stmt& stmt) {
    for (const core::Param& p : stmt.pat)
      if (p.type.is_array() && !p.mem.empty()) local_[p.name] = {p.type, p.mem[0]};
    if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_scalar()) return;
    steps_[stmt.pat[0].name] = result(stmt.exp);
  }
  const AccessCount& count() const { return count_; }

 private:
  Step of(const Operand& o) const {
    const Name* name = core::as_name(o);
    if (name == nullptr) return Step::kZero;
    const auto found = steps_.find(*name);
    return found == steps_.end() ? Step::kZero : found->second;
  }
  static Step sum(Step a, Step b) {
    if (a == Step::kZero) return b;
    return b == Step::kZero ? a : Step::kOther;
  }
  static Step product(Step index, const Operand& stride) {
    if (index == Step::kZero || stride == Operand{const_i64(1)}) return index;
    return Step::kOther;
  }

  Step result(const core::Exp& exp) {
    if (const auto* node = as<core::Index>(exp)) return load(*node);
    if (const auto* node = as<core::Value>(exp)) return of(node->arg);
    if (const auto* node = as<core::BinOp>(exp)) {
      const Step a = of(node->lhs), b = of(node->rhs);
      if (node->op == BinOpKind::kAdd) return sum(a, b);
      if (node->op == BinOpKind::kSub && b == Step::kZero) return a;
      return a == Step::kZero && b == Step::kZero ? Step::kZero : Step::kOther;
    }
    Step all = Step::kZero;
    core::for_each_operand(exp, [&](const Operand& o) {
      if (of(o) != Step::kZero) all = Step::kOther;
    });
    return all;
  }

  Step load(const core::Index& node) {
    const auto found = local_.find(node.array);
    const ArrayPlace& array = found == local_.end() ? outer_(node.array) : found->second;
    const size_t rank = array.type.shape.size();
    Step step = of(array.loc.offset);
    for (size_t k = 0; k < node.slice.size(); ++k) {
      // Of a dense array only the last dimension has the stride 1.
      const Operand stride =
          !array.loc.strides.empty() ? array.loc.strides[k] : const_i64(k + 1 == rank ? 1 : 2);
      step = sum(step, product(of(node.slice[k].start), stride));
    }
    if (step == Step::kZero) return Step::kZero;
    ++(step == Step::kOne ? count_.contiguous : count_.scattered);
    return Step::kOther;
  }

  const std::function<const ArrayPlace&(Name)>& outer_;
  std::unordered_map<Name, Step> steps_;
  std::unordered_map<Name, ArrayPlace> local_;
  AccessCount count_;
};

}  // namespace

AccessCount count_accesses(const core::Lambda& pull, Name var,
                           const std::function<const ArrayPlace&(Name)>& outer) {
  Steps steps(var, outer);
  for (const core::Stmt& stmt : pull.body.stmts) steps.stmt(stmt);
  return steps.count();
}

AccessCount count_accesses(const std::vector<const core::Stmt*>& stmts, Name var,
                           const std::function<const ArrayPlace&(Name)>& outer) {
  Steps steps(var, outer);
  for (const core::Stmt* stmt : stmts) steps.stmt(*stmt);
  return steps.count();
}

}  // namespace skald::imp
