// SPDX-License-Identifier: Apache-2.0
// What follows from the facts: chains of bounds, sums, windows, flat indices, multiples.
#include <algorithm>

#include "analysis/facts.h"
#include "analysis/facts_limits.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;
using namespace limits;

bool Facts::proves(const Term& a, const Term& b, int64_t k) const {
  return proves_plain(a, b, k) || proves_sum(a, b, k) || proves_multiple(a, b, k);
}

bool Facts::proves_plain(const Term& a, const Term& b, int64_t k) const {
  if (a.name == UINT32_MAX || b.name == UINT32_MAX) return false;
  const int64_t need = k + b.add - a.add;
  if (a.name == b.name) return 0 <= need;
  if (need < -kLimit) return false;
  int budget = kMaxSteps;
  return search(a.name, b.name, std::min(need, kLimit), 0, budget);
}

const BinOp* Facts::i64_operation(uint32_t name) const {
  const Exp* exp = name == 0 || name == UINT32_MAX ? nullptr : definitions_(Name{name});
  const BinOp* op = exp == nullptr ? nullptr : as<BinOp>(*exp);
  return op == nullptr || op->type != Prim::kI64 ? nullptr : op;
}

// Not negative, and the sum of two such terms does not wrap.
bool Facts::is_small(const Term& t) const {
  if (proves_plain({}, t, 0) && proves_plain(t, {}, 2 * kHuge)) return true;
  if (t.name == 0 || t.name == UINT32_MAX) return false;
  const Interval all = interval(Name{t.name});
  return all.least + t.add >= 0 && all.greatest + t.add <= 2 * kHuge;
}

// About a sum of two names that are not negative.
bool Facts::proves_sum(const Term& a, const Term& b, int64_t k) const {
  const uint32_t sum = a.name != 0 ? a.name : b.name;
  if (a.name != 0 && b.name == UINT32_MAX) return false;
  const BinOp* op = i64_operation(sum);
  if (op == nullptr || op->op != BinOpKind::kAdd) return false;
  if (as_name(op->lhs) == nullptr || as_name(op->rhs) == nullptr) return false;
  const Term x = term(op->lhs), y = term(op->rhs);
  // The sum itself must not wrap.
  if (!is_small(x) || !is_small(y)) return false;
  if (a.name == 0) return a.add <= b.add + k;
  return proves_window(x, y, b, k - a.add) || proves_window(y, x, b, k - a.add) ||
         proves_flat(*op, b, k - a.add);
}

// Sliding windows: base + step ≤ limit + k if base ≤ (p - q) + less and step ≤ q, p + less ≤ limit
// + k.
bool Facts::proves_window(const Term& base, const Term& step, const Term& limit, int64_t k) const {
  const auto by_difference = [&](const Bound& bound) {
    // The bound is p - q, or that and a constant.
    int64_t more = bound.k;
    const BinOp* difference = i64_operation(bound.other);
    if (difference != nullptr && as_name(difference->lhs) != nullptr) {
      const Const* c = as_const(difference->rhs);
      if (c != nullptr && difference->op == BinOpKind::kAdd && int_value(*c) >= -kSmall &&
          int_value(*c) <= kSmall) {
        more += int_value(*c);
        difference = i64_operation(as_name(difference->lhs)->id);
      }
    }
    if (difference == nullptr || difference->op != BinOpKind::kSub ||
        as_name(difference->rhs) == nullptr)
      return false;
    const Term p = term(difference->lhs), q = term(difference->rhs);
    if (!is_small(p) || !is_small(q)) return false;
    for (const int64_t less : {-1, 0})
      if (proves_plain(step, q, less) &&
          proves_plain({p.name, p.add + more + base.add + less}, limit, k))
        return true;
    return false;
  };
  const auto found = bounds_.find(Name{base.name});
  if (found == bounds_.end()) return false;
  for (const Bound& bound : found->second) {
    if (by_difference(bound)) return true;
    // One step further: j < min(size, n - begin).
    const auto next = bound.other == 0 ? bounds_.end() : bounds_.find(Name{bound.other});
    if (next == bounds_.end()) continue;
    for (const Bound& further : next->second)
      if (further.other != base.name && std::abs(further.k) < kHuge && std::abs(bound.k) < kHuge &&
          by_difference({further.other, further.k + bound.k}))
        return true;
  }
  return false;
}

// Flat indices: i * q + j ≤ m * q + k if i < m, j < q and -1 ≤ k.
bool Facts::proves_flat(const BinOp& sum, const Term& limit, int64_t k) const {
  const BinOp* whole = i64_operation(limit.name);
  if (whole == nullptr || whole->op != BinOpKind::kMul || limit.add + k < -1) return false;
  const auto is_part = [&](const Operand& row, const Operand& j) {
    const Name* name = as_name(row);
    const BinOp* begin = name == nullptr ? nullptr : i64_operation(name->id);
    if (begin == nullptr || begin->op != BinOpKind::kMul) return false;
    for (const auto& [i, q] :
         {std::pair(begin->lhs, begin->rhs), std::pair(begin->rhs, begin->lhs)})
      for (const auto& [m, size] :
           {std::pair(whole->lhs, whole->rhs), std::pair(whole->rhs, whole->lhs)})
        if (size == q && proves_plain(term(i), term(m), -1) && proves_plain(term(j), term(q), -1) &&
            is_small(term(i)))
          return is_small({limit.name, 0});
    return false;
  };
  return is_part(sum.lhs, sum.rhs) || is_part(sum.rhs, sum.lhs);
}

// Every second element and the like: c * x ≤ n + c * less if x ≤ n / c + less.
bool Facts::proves_multiple(const Term& a, const Term& b, int64_t k) const {
  constexpr int64_t kMostTimes = 1 << 16;
  const BinOp* product = i64_operation(a.name);
  if (product == nullptr || product->op != BinOpKind::kMul) return false;
  const bool right = as_const(product->rhs) != nullptr;
  const Const* times = as_const(right ? product->rhs : product->lhs);
  const Operand& factor = right ? product->lhs : product->rhs;
  if (times == nullptr || as_name(factor) == nullptr) return false;
  const int64_t c = int_value(*times);
  if (c < 2 || c > kMostTimes) return false;
  const Term x = term(factor);
  const auto found =
      x.name == 0 || x.name == UINT32_MAX ? bounds_.end() : bounds_.find(Name{x.name});
  if (found == bounds_.end() || !is_small(x)) return false;
  for (const Bound& bound : found->second) {
    const BinOp* quotient = i64_operation(bound.other);
    if (quotient == nullptr ||
        (quotient->op != BinOpKind::kDiv && quotient->op != BinOpKind::kQuot))
      continue;
    const Const* by = as_const(quotient->rhs);
    const int64_t less = bound.k + x.add;
    if (by == nullptr || int_value(*by) != c || less > kSmall || less < -kSmall) continue;
    const Term n = term(quotient->lhs);
    if (is_small(n) && proves_plain({n.name, n.add + c * less + a.add}, b, k)) return true;
  }
  return false;
}

bool Facts::search(uint32_t from, uint32_t to, int64_t k, int depth, int& budget) const {
  if (from == 0)
    if (const auto floors = floors_.find(Name{to}); floors != floors_.end())
      for (const int64_t floor : floors->second)
        if (floor <= k) return true;
  const auto found = bounds_.find(Name{from});
  if (found == bounds_.end()) return false;
  if (from == 0) {
    // The floors were all there is to find.
    if (found->second.size() > static_cast<size_t>(budget)) {
      budget = -1;
      return false;
    }
    budget -= static_cast<int>(found->second.size());
  } else {
    for (const Bound& bound : found->second) {
      if (--budget < 0) return false;
      if (bound.other == to && bound.k <= k) return true;
    }
  }
  if (depth + 1 >= kMaxChain) return false;
  for (const Bound& bound : found->second) {
    if (budget < 0) return false;
    const int64_t rest = std::min(k - bound.k, kLimit);
    if (bound.other != to && rest >= -kLimit && search(bound.other, to, rest, depth + 1, budget))
      return true;
  }
  return false;
}

}  // namespace skald::analysis
