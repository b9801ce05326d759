// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/ast/ast.h"

namespace skald::futhark {

namespace {

// The part of an expression that makes chains long.
Ptr<Exp> take_rest(Exp& e) {
  if (auto* n = std::get_if<ELet>(&e.node)) return std::move(n->body);
  if (auto* n = std::get_if<ELetFun>(&e.node)) return std::move(n->body);
  if (auto* n = std::get_if<ELetWith>(&e.node)) return std::move(n->body);
  if (auto* n = std::get_if<EIf>(&e.node)) return std::move(n->else_branch);
  if (auto* n = std::get_if<EBinary>(&e.node)) return std::move(n->lhs);
  if (auto* n = std::get_if<EApply>(&e.node)) return std::move(n->fn);
  if (auto* n = std::get_if<EIndex>(&e.node)) return std::move(n->array);
  if (auto* n = std::get_if<EProject>(&e.node)) return std::move(n->record);
  if (auto* n = std::get_if<EUpdate>(&e.node)) return std::move(n->src);
  if (auto* n = std::get_if<EAscript>(&e.node)) return std::move(n->inner);
  if (auto* n = std::get_if<ECoerce>(&e.node)) return std::move(n->inner);
  if (auto* n = std::get_if<ERange>(&e.node)) return std::move(n->start);
  return nullptr;
}

}  // namespace

void delete_exp(Exp* e) {
  while (e) {
    Ptr<Exp> rest = take_rest(*e);
    delete e;
    e = rest.release();
  }
}

}  // namespace skald::futhark
