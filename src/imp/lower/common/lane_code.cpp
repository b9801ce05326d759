// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/common/lane_code.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "imp/ir/imp.h"

namespace skald::imp {

bool only_chooses(const core::Stmt& stmt) {
  const auto* branch = core::as<core::If>(stmt.exp);
  if (branch == nullptr || !branch->then_body.stmts.empty() || !branch->else_body.stmts.empty())
    return false;
  return std::ranges::all_of(stmt.pat, [](const core::Param& p) { return p.type.is_scalar(); });
}

bool is_straight_line(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    if (only_chooses(stmt)) continue;
    bool simple = core::as<core::Alloc>(stmt.exp) == nullptr &&
                  core::as<core::Assert>(stmt.exp) == nullptr &&
                  core::as<core::Call>(stmt.exp) == nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body&) { simple = false; });
    if (!simple) return false;
  }
  return true;
}

bool has_loop(const core::Body& body) {
  return std::ranges::any_of(body.stmts, [](const core::Stmt& stmt) {
    bool found = as<core::Loop>(stmt.exp) != nullptr;
    core::for_each_body(stmt.exp,
                        [&](const core::Body& inner) { found = found || has_loop(inner); });
    return found;
  });
}

bool count_scalar_code(const core::Body& body, size_t& loads, size_t& others) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Alloc>(stmt.exp) != nullptr || core::as<core::Assert>(stmt.exp) != nullptr ||
        core::as<core::Call>(stmt.exp) != nullptr || core::as<core::Loop>(stmt.exp) != nullptr)
      return false;
    for (const core::Param& p : stmt.pat)
      if (!p.type.is_scalar()) return false;
    ++(core::as<core::Index>(stmt.exp) != nullptr ? loads : others);
    bool simple = true;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      simple = simple && count_scalar_code(inner, loads, others);
    });
    if (!simple) return false;
  }
  return true;
}

bool is_slow_operation(const core::Stmt& stmt) {
  return core::is_slow(stmt.exp);
}

bool has_slow_operation(const core::Body& body) {
  return std::ranges::any_of(body.stmts, is_slow_operation);
}

bool fits_lanes(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Call>(stmt.exp) != nullptr) return false;
    const core::Alloc* alloc = core::as<core::Alloc>(stmt.exp);
    if (alloc != nullptr && core::as_const(alloc->bytes) == nullptr) return false;
    bool fits = true;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      fits = fits && fits_lanes(inner);
      for (const core::Param& p : stmt.pat) fits = fits && p.type.is_scalar();
    });
    if (!fits) return false;
  }
  return true;
}

bool fits_pieces_of_points(const core::Body& body, const core::NameSet& outside) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Alloc>(stmt.exp) != nullptr || core::as<core::Call>(stmt.exp) != nullptr)
      return false;
    if (const auto* loop = core::as<core::Loop>(stmt.exp)) {
      const Name* bound = core::as_name(loop->bound);
      if (loop->form != core::Loop::kFor || (bound != nullptr && !outside.contains(*bound)))
        return false;
    }
    bool fits = true;
    for (const core::Param& p : stmt.pat)
      fits = fits && (p.type.is_scalar() || core::as<core::Assert>(stmt.exp) != nullptr);
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      fits = fits && fits_pieces_of_points(inner, outside);
    });
    if (!fits) return false;
  }
  return true;
}

bool fits_pieces(const core::Body& body, int64_t& budget) {
  for (const core::Stmt& stmt : body.stmts) {
    if (--budget < 0 || core::as<core::Alloc>(stmt.exp) != nullptr ||
        core::as<core::Call>(stmt.exp) != nullptr || core::as<core::Loop>(stmt.exp) != nullptr)
      return false;
    bool fits = true;
    for (const core::Param& p : stmt.pat)
      fits = fits && (p.type.is_scalar() || core::as<core::Assert>(stmt.exp) != nullptr);
    core::for_each_body(
        stmt.exp, [&](const core::Body& inner) { fits = fits && fits_pieces(inner, budget); });
    if (!fits) return false;
  }
  return true;
}

bool is_simple_commutative(const core::Operator& op) {
  const size_t n = op.neutral.size();
  if (op.fn.body.stmts.size() != n || op.fn.body.result.size() != n) return false;
  for (size_t k = 0; k < n; ++k) {
    const core::Stmt& stmt = op.fn.body.stmts[k];
    const core::BinOp* node = core::as<core::BinOp>(stmt.exp);
    if (node == nullptr || !core::is_commutative(node->op) ||
        !(op.fn.body.result[k] == Operand{stmt.pat[0].name}))
      return false;
    const Operand a = op.fn.params[k].name, b = op.fn.params[n + k].name;
    if (!((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a))) return false;
  }
  return true;
}

}  // namespace skald::imp
