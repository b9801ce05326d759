// SPDX-License-Identifier: Apache-2.0
// Scalar code without branches that no processor can foresee: a wrong guess costs as much as forty
// operations.
//
//   maybe if (c) { xs[i] = v }    *(c ? &xs[i] : spare) = v, unless a branch has chosen i: if that
//                                 was guessed right, this one is too
//   if (x < y) { r = a + b }      r = x < y ? a + b : c - d, if both sides are a few operators; in
//   else { r = c - d }            loops whose iterations do not wait for each other, where x comes
//                                 from memory
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "codegen/cpu/emit/function_emitter.h"
#include "core/scalar/slow_ops.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Operators of both sides together.
constexpr int kMostOperators = 24;
constexpr size_t kMostStores = 12;

bool is_slow(const imp::Exp& exp) {
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return core::is_division(e->op) || core::is_function(e->op);
  if (const auto* e = std::get_if<core::UnOp>(&exp))
    return e->op >= core::UnOpKind::kSqrt && is_float(e->type);
  return std::holds_alternative<core::TernOp>(exp);
}

// Nothing but a few operators?  Collects the variables that are assigned, but not declared, inside.
bool is_plain(const imp::Body& body, int& budget, std::vector<core::Name>& assigned) {
  std::vector<core::Name> own;
  for (const imp::Stmt& s : body.stmts) {
    if (const auto* n = imp::as<imp::Let>(s)) {
      if (is_slow(n->exp) || --budget < 0) return false;
    } else if (const auto* n = imp::as<imp::Var>(s)) {
      own.push_back(n->name);
    } else if (const auto* n = imp::as<imp::Assign>(s)) {
      assigned.push_back(n->var);
    } else if (const auto* n = imp::as<imp::If>(s)) {
      if (!is_plain(n->then_body, budget, assigned) || !is_plain(n->else_body, budget, assigned))
        return false;
    } else {
      return false;
    }
  }
  std::erase_if(assigned, [&](core::Name name) { return std::ranges::count(own, name) > 0; });
  return true;
}

}  // namespace

// LLVM must not know what it is, or it makes a branch of every choice between it and another place.
Value* FunctionEmitter::spare() {
  if (spare_ == nullptr) {
    llvm::AllocaInst* place = variable(b_.getInt64Ty());
    llvm::IRBuilder<> at_entry(entry_);
    at_entry.CreateStore(at_entry.getInt64(0), place);
    spare_ = at_entry.CreateCall(as_it_is_asm(place->getType()), {place});
  }
  return spare_;
}

Value* FunctionEmitter::unforeseen(Value* cond, Value* yes, Value* no) {
  Value* chosen = b_.CreateSelect(cond, yes, no);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(chosen))
    select->setMetadata(llvm::LLVMContext::MD_unpredictable,
                        llvm::MDBuilder(m_.context()).createUnpredictable());
  return chosen;
}

void FunctionEmitter::remember_left_out(const imp::Body& side) {
  for (const imp::Stmt& s : side.stmts) {
    const auto* n = imp::as<imp::Assign>(s);
    const core::Const* c = n == nullptr ? nullptr : core::as_const(n->value);
    if (c != nullptr && is_signed_int(c->type) && core::int_value(*c) < 0)
      left_out_.insert(n->var.id);
  }
}

bool FunctionEmitter::stores_without_branch(const imp::If& n) {
  if (!n.maybe || !n.else_body.stmts.empty() || n.then_body.stmts.size() > kMostStores)
    return false;
  for (const imp::Stmt& s : n.then_body.stmts) {
    const auto* write = imp::as<imp::Store>(s);
    if (write == nullptr && imp::as<imp::Let>(s) == nullptr) return false;
    const core::Name* place = write == nullptr ? nullptr : core::as_name(write->index);
    if (place != nullptr && left_out_.contains(place->id)) return false;
  }
  Value* cond = value(n.cond);
  for (const imp::Stmt& s : n.then_body.stmts) {
    if (const auto* let = imp::as<imp::Let>(s)) stmt(*let);
    if (const auto* write = imp::as<imp::Store>(s)) {
      Value* address = unforeseen(cond, element(write->block, write->type, write->index), spare());
      store(write->type, address, value(write->value), write->block);
    }
  }
  return true;
}

// A comparison of the counter, or of what is the same for all points, can be foreseen.
bool FunctionEmitter::depends_on_data(const core::Operand& cond) const {
  const core::Name* name = core::as_name(cond);
  if (name == nullptr || points_->shape(cond) != imp::Shape::kVarying) return false;
  const imp::Exp* exp = points_->definition(*name);
  const auto* compared = exp == nullptr ? nullptr : std::get_if<core::CmpOp>(exp);
  return compared == nullptr || points_->shape(compared->lhs) == imp::Shape::kVarying ||
         points_->shape(compared->rhs) == imp::Shape::kVarying;
}

bool FunctionEmitter::both_sides(const imp::If& n) {
  if (points_ == nullptr || !depends_on_data(n.cond)) return false;
  std::vector<core::Name> assigned;
  int budget = kMostOperators;
  if (!is_plain(n.then_body, budget, assigned) || !is_plain(n.else_body, budget, assigned))
    return false;
  std::ranges::sort(assigned, {}, &core::Name::id);
  assigned.erase(std::ranges::unique(assigned).begin(), assigned.end());
  Value* cond = value(n.cond);
  std::vector<Value*> before, yes;
  for (const core::Name name : assigned) before.push_back(value(name));
  body(n.then_body);
  for (size_t k = 0; k < assigned.size(); ++k) {
    yes.push_back(value(assigned[k]));
    b_.CreateStore(before[k], slots_.at(assigned[k].id).variable);
  }
  body(n.else_body);
  for (size_t k = 0; k < assigned.size(); ++k)
    b_.CreateStore(unforeseen(cond, yes[k], value(assigned[k])),
                   slots_.at(assigned[k].id).variable);
  return true;
}

// The iterations of a `simd for`, one after the other.
void FunctionEmitter::scalar_points(const imp::For& loop, const imp::LanesAnalysis& analysis) {
  points_ = &analysis;
  if (!checks_ahead(loop)) {
    llvm::Instruction* back = counted_loop(value(loop.begin), value(loop.end), value(loop.step),
                                           loop.var, loop.type, loop.body);
    // Without a constant number of iterations LLVM knows best whether to vectorise what we did not.
    if (core::as_const(loop.end) != nullptr) annotate(back, loop);
  }
  points_ = nullptr;
}

}  // namespace skald::cpu
