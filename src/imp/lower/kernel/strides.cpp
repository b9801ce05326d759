// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/strides.h"

#include "core/ir/visit.h"

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

// The same for all parameters at once, with the steps themselves.
class SymbolicSteps {
 public:
  using Step = std::optional<Operand>;
  using StridesOf = std::function<std::optional<std::vector<Operand>>(Name)>;

  SymbolicSteps(const core::Lambda& pull, const StridesOf& strides_of) : strides_of_(strides_of) {
    const size_t rank = pull.params.size();
    none_.assign(rank, kZero);
    for (size_t k = 0; k < rank; ++k) {
      steps_[pull.params[k].name] = none_;
      steps_[pull.params[k].name][k] = Operand{const_i64(1)};
    }
  }

  void stmt(const core::Stmt& stmt, size_t number) {
    for (const core::Param& p : stmt.pat) {
      // What is made inside has no steps that are known, unless it turns out to have.
      steps_[p.name].assign(none_.size(), std::nullopt);
      if (p.type.is_array() && !p.mem.empty()) local_[p.name] = {p.type, p.mem[0]};
    }
    if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_scalar()) return;
    std::vector<Step>& result = steps_[stmt.pat[0].name];
    if (const auto* node = as<core::Value>(stmt.exp)) {
      result = of(node->arg);
    } else if (const auto* node = as<core::BinOp>(stmt.exp); node && node->type == Prim::kI64) {
      const std::vector<Step> a = of(node->lhs), b = of(node->rhs);
      for (size_t k = 0; k < result.size(); ++k) {
        if (a[k] == kZero && b[k] == kZero)
          result[k] = kZero;
        else if (node->op == BinOpKind::kAdd)
          result[k] = sum(a[k], b[k]);
        else if (node->op == BinOpKind::kSub && b[k] == kZero)
          result[k] = a[k];
        else if (node->op == BinOpKind::kMul && b[k] == kZero)
          result[k] = product(a[k], node->rhs);
        else if (node->op == BinOpKind::kMul && a[k] == kZero)
          result[k] = product(b[k], node->lhs);
      }
    } else if (const auto* node = as<core::Index>(stmt.exp)) {
      accesses_.push_back({number, load(*node)});
      for (size_t k = 0; k < result.size(); ++k)
        if (accesses_.back().steps[k] == kZero) result[k] = kZero;
    } else if (pure_scalar(stmt.exp)) {
      for (size_t k = 0; k < result.size(); ++k) {
        bool moves = false;
        core::for_each_operand(stmt.exp, [&](const Operand& o) { moves |= !(of(o)[k] == kZero); });
        if (!moves) result[k] = kZero;
      }
    }
  }
  std::vector<Access> take() { return std::move(accesses_); }

 private:
  static bool pure_scalar(const core::Exp& e) {
    return as<core::BinOp>(e) || as<core::UnOp>(e) || as<core::CmpOp>(e) || as<core::TernOp>(e) ||
           as<core::Convert>(e) || as<core::Bitcast>(e) || as<core::Select>(e);
  }
  std::vector<Step> of(const Operand& o) const {
    const Name* name = core::as_name(o);
    if (name == nullptr) return none_;
    const auto found = steps_.find(*name);
    return found == steps_.end() ? none_ : found->second;
  }
  static Step sum(const Step& a, const Step& b) {
    if (a == kZero) return b;
    return b == kZero ? a : std::nullopt;
  }
  // A factor that is computed inside is not known outside.
  Step product(const Step& step, const Operand& factor) const {
    const Name* name = core::as_name(factor);
    if (name != nullptr && steps_.contains(*name)) return std::nullopt;
    if (step == Operand{const_i64(1)}) return factor;
    if (step == kZero || factor == Operand{const_i64(1)}) return step;
    return std::nullopt;
  }

  std::vector<Step> load(const core::Index& node) const {
    std::vector<Step> all(none_.size(), std::nullopt);
    std::vector<Operand> strides;
    std::vector<Step> offset = none_;
    if (const auto found = local_.find(node.array); found != local_.end()) {
      const ArrayPlace& array = found->second;
      strides = array.loc.strides;
      // A dense view of more than one dimension: its rows' lengths may be made inside.
      if (strides.empty() && array.type.shape.size() == 1) strides = {const_i64(1)};
      offset = of(array.loc.offset);
    } else if (const auto outside = strides_of_(node.array)) {
      strides = *outside;
    }
    if (strides.size() != node.slice.size()) return all;
    all = offset;
    for (size_t d = 0; d < strides.size(); ++d) {
      const std::vector<Step> index = of(node.slice[d].start);
      for (size_t k = 0; k < all.size(); ++k) {
        if (index[k] == kZero) continue;
        if (!all[k] || !index[k])
          all[k] = std::nullopt;
        else
          all[k] = sum(all[k], product(index[k], strides[d]));
      }
    }
    return all;
  }

  inline static const Step kZero = Operand{const_i64(0)};
  const StridesOf& strides_of_;
  std::vector<Step> none_;
  std::unordered_map<Name, std::vector<Step>> steps_;
  std::unordered_map<Name, ArrayPlace> local_;
  std::vector<Access> accesses_;
};

}  // namespace

std::vector<Access> find_accesses(
    const core::Lambda& pull,
    const std::function<std::optional<std::vector<Operand>>(Name)>& strides_of) {
  SymbolicSteps steps(pull, strides_of);
  for (size_t k = 0; k < pull.body.stmts.size(); ++k) steps.stmt(pull.body.stmts[k], k);
  return steps.take();
}

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
