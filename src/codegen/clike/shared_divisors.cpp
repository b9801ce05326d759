// SPDX-License-Identifier: Apache-2.0
#include "codegen/clike/shared_divisors.h"

#include "imp/ir/visit.h"

namespace skald::clike {

const core::Name* shared_divisor(const imp::Exp& exp) {
  const auto* quotient = std::get_if<core::BinOp>(&exp);
  if (quotient == nullptr || quotient->op != core::BinOpKind::kDiv || quotient->type != Prim::kF64)
    return nullptr;
  return core::as_const(quotient->lhs) != nullptr ? nullptr : core::as_name(quotient->rhs);
}

void SharedDivisors::look(const imp::Body& body, int depth) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* let = imp::as<imp::Let>(stmt)) {
      depth_.emplace(let->name, depth);
      if (const core::Name* divisor = shared_divisor(let->exp)) divides_by(*divisor, depth);
    } else if (const auto* quotient = imp::as<imp::QuickQuotient>(stmt)) {
      depth_.emplace(quotient->name, depth);
      const core::Name* divisor = quotient->usual ? core::as_name(quotient->rhs) : nullptr;
      if (divisor != nullptr) divides_by(*divisor, depth);
    } else if (const auto* load = imp::as<imp::Load>(stmt)) {
      depth_.emplace(load->name, depth);
    }
    const bool is_loop = imp::as<imp::For>(stmt) != nullptr || imp::as<imp::While>(stmt) != nullptr;
    imp::for_each_body(stmt,
                       [&](const imp::Body& inner) { look(inner, is_loop ? depth + 1 : depth); });
  }
}

void SharedDivisors::divides_by(core::Name divisor, int depth) {
  const auto bound = depth_.find(divisor);
  // Neither is it known where others are bound, nor may they be the same at the next quotient.
  if (bound == depth_.end()) return;
  if (!seen_.insert(divisor).second || bound->second < depth) shared_.insert(divisor);
}

}  // namespace skald::clike
