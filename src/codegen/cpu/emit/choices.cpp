// SPDX-License-Identifier: Apache-2.0
// Scalar code without branches that no processor can foresee: a wrong guess costs as much as forty
// operations.
//
//   maybe if (c) { xs[i] = v }    *(c ? &xs[i] : spare) = v, unless a branch has chosen i: if that
//                                 was guessed right, this one is too
//   choose if (x < y) { r = a }   r = x < y ? a : b
//   else { r = b }
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/statements.h"
#include "imp/ir/visit.h"
#include "imp/simd/plan_parts.h"

namespace skald::cpu {

using llvm::Value;

namespace {

constexpr size_t kMostStores = 12;

}  // namespace

void remember_left_out(FunctionEmitter& f, const imp::Body& side) {
  for (const imp::Stmt& s : side.stmts) {
    const auto* n = imp::as<imp::Assign>(s);
    const core::Const* c = n == nullptr ? nullptr : core::as_const(n->value);
    if (c != nullptr && is_signed_int(c->type) && core::int_value(*c) < 0)
      f.left_out.insert(n->var.id);
  }
}

bool stores_without_branch(FunctionEmitter& f, const imp::If& n) {
  if (!n.maybe || !n.else_body.stmts.empty() || n.then_body.stmts.size() > kMostStores)
    return false;
  for (const imp::Stmt& s : n.then_body.stmts) {
    const auto* write = imp::as<imp::Store>(s);
    if (write == nullptr && imp::as<imp::Let>(s) == nullptr) return false;
    const core::Name* place = write == nullptr ? nullptr : core::as_name(write->index);
    if (place != nullptr && f.left_out.contains(place->id)) return false;
  }
  Value* cond = f.value(n.cond);
  for (const imp::Stmt& s : n.then_body.stmts) {
    if (const auto* let = imp::as<imp::Let>(s)) emit_stmt(f, *let);
    if (const auto* write = imp::as<imp::Store>(s)) {
      Value* address =
          f.unforeseen(cond, f.element(write->block, write->type, write->index), f.spare());
      f.store(write->type, address, f.value(write->value), write->block);
    }
  }
  return true;
}

void both_sides(FunctionEmitter& f, const imp::If& n) {
  const std::vector<core::Name> assigned = imp::assigned_outside(n.then_body, n.else_body);
  Value* cond = f.value(n.cond);
  std::vector<Value*> before, yes;
  for (const core::Name name : assigned) before.push_back(f.value(name));
  f.body(n.then_body);
  for (size_t k = 0; k < assigned.size(); ++k) {
    yes.push_back(f.value(assigned[k]));
    f.b.CreateStore(before[k], f.slots.at(assigned[k].id).variable);
  }
  f.body(n.else_body);
  for (size_t k = 0; k < assigned.size(); ++k)
    f.b.CreateStore(f.unforeseen(cond, yes[k], f.value(assigned[k])),
                    f.slots.at(assigned[k].id).variable);
}

}  // namespace skald::cpu
