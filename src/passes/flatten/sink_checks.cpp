// SPDX-License-Identifier: Apache-2.0
// Checks between the levels of a nest go to its last level.
//
//   before   map(n, {ks, xss}, \{k, xs} ->              after   map(n, {ks, xss}, \{k, xs} ->
//              ok = k != 0 || m <= 0                             map(m, {xs}, \{x} ->
//              check = assert(ok)                                  ok = k != 0 || m <= 0
//              map(m, {xs}, \{x} -> after {check} x / k))          check = assert(ok)
//                                                                  after {check} x / k))
//
// Simplification takes checks out of loops, and adds what holds if the loop does nothing.  On a cpu
// that is one check for each row; on a gpu it would keep the rows sequential, for a nest is perfect
// only if there is nothing between its levels that can fail.  A check moves if it holds wherever
// the levels below have no points: then it is made whenever it can fail.
#include "passes/flatten/sink_checks.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/nest.h"

namespace skald::passes {

using namespace core;

void Emptiness::note(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    note(stmt);
    for_each_body(stmt.exp, [&](const Body& inner) { note(inner); });
  }
}

void Emptiness::note(const Stmt& stmt) {
  if (const auto* e = as<CmpOp>(stmt.exp);
      e != nullptr && e->op == CmpOpKind::kLe && e->rhs == Operand{const_i64(0)})
    empty_.insert_or_assign(stmt.pat[0].name, e->lhs);
  if (const auto* e = as<BinOp>(stmt.exp);
      e != nullptr && e->op == BinOpKind::kOr && e->type == Prim::kBool)
    ors_.insert_or_assign(stmt.pat[0].name, std::pair(e->lhs, e->rhs));
}

bool Emptiness::holds_without(const Operand& condition, const Operand& width) const {
  const Name* name = as_name(condition);
  if (name == nullptr) return false;
  if (const auto found = empty_.find(*name); found != empty_.end() && found->second == width)
    return true;
  const auto found = ors_.find(*name);
  return found != ors_.end() &&
         (holds_without(found->second.first, width) || holds_without(found->second.second, width));
}

void sink_checks(Soac& map, const Emptiness& outside) {
  std::vector<Stmt>& stmts = map.fn.body.stmts;
  if (stmts.empty() || as<Soac>(stmts.back().exp) == nullptr) return;
  const std::vector<Operand> dims = nest_shape(*as<Soac>(stmts.back().exp)).dims;
  Emptiness known = outside;
  known.note(map.fn.body);
  const auto can_sink = [&](size_t at) {
    const auto* check = as<Assert>(stmts[at].exp);
    if (check == nullptr) return false;
    for (size_t k = at + 1; k + 1 < stmts.size(); ++k)
      if (free_names(stmts[k]).contains(stmts[at].pat[0].name)) return false;
    return std::ranges::all_of(
        dims, [&](const Operand& dim) { return known.holds_without(check->cond, dim); });
  };
  std::vector<Stmt> sunk;
  for (size_t at = stmts.size() - 1; at-- > 0;) {
    if (!can_sink(at)) continue;
    sunk.push_back(std::move(stmts[at]));
    stmts.erase(stmts.begin() + static_cast<ptrdiff_t>(at));
  }
  Soac* leaf = as<Soac>(stmts.back().exp);
  for (size_t k = 1; k < dims.size(); ++k) leaf = as<Soac>(leaf->fn.body.stmts.back().exp);
  for (Stmt& stmt : sunk) leaf->fn.body.stmts.insert(leaf->fn.body.stmts.begin(), std::move(stmt));
}

}  // namespace skald::passes
