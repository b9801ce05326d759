// SPDX-License-Identifier: Apache-2.0
// Scalar loops with checks: a few iterations side by side, statement by statement, so that a check
// is one branch for all of them.
//
//   x = is[i]                     x0 = is[i]; x1 = is[i+1]; x2 = …
//   check(x < n)                  if (!(x0 < n && x1 < n && …)) goto repeat
//   ys[i] = xs[x]                 ys[i] = xs[x0]; ys[i+1] = xs[x1]; …
//
// After a failing check plain code repeats the group, as in vector code (vector/loop.cpp).  Of a
// `simd for` without branches whole iterations run side by side.  Of any other loop only what the
// checks need, ahead of the rest, if that depends on nothing that the loop changes:
//
//   x = is[i]                     x0 = is[i]; x1 = is[i+1]; …
//   check(x < n)                  if (!(x0 < n && x1 < n && …)) goto repeat
//   t = xs[x]; acc = acc + t      acc = acc + xs[x0]; acc = acc + xs[x1]; …
#include <fmt/format.h>
#include <llvm/IR/MDBuilder.h>

#include <unordered_set>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/optimise/optimise.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Larger bodies gain nothing: the branches are the smaller part of them.
constexpr int kMostStatementsBeside = 64, kFewStatementsBeside = 16;

bool is_straight(const imp::Body& body) {
  for (const imp::Stmt& s : body.stmts)
    if (imp::as<imp::Let>(s) == nullptr && imp::as<imp::Load>(s) == nullptr &&
        imp::as<imp::Store>(s) == nullptr && imp::as<imp::Check>(s) == nullptr &&
        imp::as<imp::Collect>(s) == nullptr)
      return false;
  return true;
}

// What the body of a plain loop does, as far as its checks may run ahead of the rest.
struct Survey {
  bool fit = true;
  int statements = 0;
  std::vector<core::Name> written;
  std::unordered_set<core::Name> assigned;

  void look(const imp::Body& body, bool top) {
    for (const imp::Stmt& s : body.stmts) {
      ++statements;
      if (const auto* n = imp::as<imp::Store>(s)) {
        written.push_back(n->block);
      } else if (const auto* n = imp::as<imp::Assign>(s)) {
        assigned.insert(n->var);
      } else if (const auto* n = imp::as<imp::Var>(s)) {
        assigned.insert(n->name);
      } else if (imp::as<imp::Check>(s) != nullptr) {
        fit = fit && top;
      } else if (const auto* n = imp::as<imp::If>(s)) {
        look(n->then_body, false);
        look(n->else_body, false);
      } else if (imp::as<imp::Let>(s) == nullptr && imp::as<imp::Load>(s) == nullptr) {
        fit = false;
      }
    }
  }
};

}  // namespace

// Emits the groups and the plain loop; `inside` gets the first iteration of a group and where a
// failing check goes.
template <class Inside>
void FunctionEmitter::checked_groups(const imp::For& loop, unsigned beside, const Inside& inside) {
  Value* begin = value(loop.begin);
  Value* end = value(loop.end);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = new_block("groups");
  llvm::BasicBlock* group = new_block("group");
  llvm::BasicBlock* repeat = new_block("repeat");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* first = b_.CreatePHI(begin->getType(), 2);
  first->addIncoming(begin, before);
  Value* size = llvm::ConstantInt::get(begin->getType(), beside);
  // Never wraps: there is an iteration left before the difference is taken.
  Value* some = b_.CreateICmpSLT(first, end);
  Value* many = b_.CreateICmpUGE(b_.CreateSub(end, first), size);
  b_.CreateCondBr(b_.CreateAnd(some, many), group, repeat);
  b_.SetInsertPoint(group);
  inside(first, repeat);
  first->addIncoming(b_.CreateNSWAdd(first, size), b_.GetInsertBlock());
  b_.CreateBr(head);
  b_.SetInsertPoint(repeat);
  Value* one = llvm::ConstantInt::get(begin->getType(), 1);
  leave_scalar(counted_loop(first, end, one, loop.var, loop.type, loop.body));
}

// One statement for all iterations of a group; `own` says what names stand for in each.
void FunctionEmitter::beside(const imp::Stmt& s, std::vector<Slots>& own,
                             llvm::BasicBlock* repeat) {
  const auto enter = [&](const Slots& slots) {
    for (const auto& [id, slot] : slots) slots_[id] = slot;
  };
  if (const auto* check = imp::as<imp::Check>(s)) {
    Value* fine = b_.getTrue();
    for (const Slots& slots : own) {
      enter(slots);
      fine = b_.CreateAnd(fine, value(check->cond));
    }
    llvm::BasicBlock* go_on = new_block("checked");
    b_.CreateCondBr(fine, go_on, repeat, llvm::MDBuilder(m_.context()).createLikelyBranchWeights());
    b_.SetInsertPoint(go_on);
    return;
  }
  for (Slots& slots : own) {
    enter(slots);
    imp::visit(s.node, [&](const auto& n) { stmt(n); });
    imp::for_each_binder(s, [&](core::Name name, const imp::Type&, imp::BinderScope) {
      slots[name.id] = slots_.at(name.id);
    });
  }
}

std::vector<FunctionEmitter::Slots> FunctionEmitter::counters(const imp::For& loop, Value* first,
                                                              unsigned beside) {
  std::vector<Slots> own(beside);
  for (unsigned k = 0; k < beside; ++k) {
    Value* i = b_.CreateNSWAdd(first, llvm::ConstantInt::get(first->getType(), k));
    own[k][loop.var.id] = Slot{.type = imp::scalar(loop.type), .value = i};
  }
  return own;
}

bool FunctionEmitter::side_by_side(const imp::For& loop, const imp::LanesAnalysis& analysis) {
  const int statements = analysis.work().statements;
  if (!analysis.has_check() || statements > kMostStatementsBeside || !is_straight(loop.body))
    return false;
  const unsigned size = statements <= kFewStatementsBeside ? 8 : 4;
  m_.explain_simd(source_, loop,
                  fmt::format("stays scalar, {} iterations side by side for its checks", size));
  fn_->addFnAttr(kKeepScalars);
  checked_groups(loop, size, [&](Value* first, llvm::BasicBlock* repeat) {
    std::vector<Slots> own = counters(loop, first, size);
    for (const imp::Stmt& s : loop.body.stmts) beside(s, own, repeat);
  });
  return true;
}

bool FunctionEmitter::checks_ahead(const imp::For& loop) {
  const core::Const* step = core::as_const(loop.step);
  if (!m_.simd() || !is_signed_int(loop.type) || prim_size(loop.type) < 4 || step == nullptr ||
      core::int_value(*step) != 1)
    return false;
  Survey survey;
  survey.look(loop.body, true);
  if (!survey.fit || survey.statements > kMostStatementsBeside) return false;
  // What the checks need, found from the end.
  std::unordered_set<core::Name> needed;
  std::unordered_set<const imp::Stmt*> ahead;
  for (auto s = loop.body.stmts.rbegin(); s != loop.body.stmts.rend(); ++s) {
    if (const auto* n = imp::as<imp::Check>(*s)) {
      ahead.insert(&*s);
      if (const core::Name* name = core::as_name(n->cond)) needed.insert(*name);
      continue;
    }
    const auto* let = imp::as<imp::Let>(*s);
    const auto* load = imp::as<imp::Load>(*s);
    if (let == nullptr && load == nullptr) continue;
    if (!needed.contains(let != nullptr ? let->name : load->name)) continue;
    if (load != nullptr)
      for (const core::Name written : survey.written)
        if (aliases_.may_overlap(written, load->block)) return false;
    ahead.insert(&*s);
    imp::for_each_use(*s, [&](const core::Operand& operand) {
      if (const core::Name* name = core::as_name(operand)) needed.insert(*name);
    });
  }
  if (ahead.empty()) return false;
  for (const core::Name name : survey.assigned)
    if (needed.contains(name)) return false;
  fn_->addFnAttr(kKeepScalars);
  constexpr unsigned kAhead = 4;
  checked_groups(loop, kAhead, [&](Value* first, llvm::BasicBlock* repeat) {
    std::vector<Slots> own = counters(loop, first, kAhead);
    for (const imp::Stmt& s : loop.body.stmts)
      if (ahead.contains(&s)) beside(s, own, repeat);
    for (const Slots& slots : own) {
      for (const auto& [id, slot] : slots) slots_[id] = slot;
      open_scope();
      for (const imp::Stmt& s : loop.body.stmts)
        if (!ahead.contains(&s)) imp::visit(s.node, [&](const auto& n) { stmt(n); });
      close_scope();
    }
  });
  return true;
}

}  // namespace skald::cpu
