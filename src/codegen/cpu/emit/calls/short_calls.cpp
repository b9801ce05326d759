// SPDX-License-Identifier: Apache-2.0
// Calls that end at once are done where they stand.
//
// Half of the calls of a function that calls itself twice, and more if it does so more often, are
// the last ones: they ask one question and give what they have.  So there is a second version of
// `self` (recursion.h), which becomes part of the code that calls it:
//
//   at_once(environment, others…)   the statements up to the question; if the answer is that
//                                   nothing more is called, the results, else a call of `self`
#include <optional>
#include <unordered_map>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/emit/statements.h"
#include "core/scalar/operator_class.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// What is done up to the last question is done again in a call that goes on: no more than what a
// call costs (registers saved, arguments handed on, the end of the stack compared).
constexpr int kMostAgain = 40;
// The code stands at every call.
constexpr int kMostStatements = 96;

// The statements on the way: what has no effect but on variables of the function, the sides of
// branches without calls, and the first round of a loop (a function that ends by calling itself).
class WayFinder {
 public:
  bool find(const imp::Function& fn) { return body(fn.body) && leaves_ && again_ <= kMostAgain; }
  const std::unordered_map<const imp::If*, bool>& sides() const { return sides_; }

 private:
  bool body(const imp::Body& body) {
    for (const imp::Stmt& stmt : body.stmts)
      if (++statements_ > kMostStatements || !statement(stmt)) return false;
    return true;
  }

  // From here the call may go on in `self`, which begins anew; references taken would be lost.
  bool may_leave() {
    again_ = cost_;
    return !has_references_;
  }

  bool statement(const imp::Stmt& stmt) {
    const auto* let = imp::as<imp::Let>(stmt);
    cost_ += let == nullptr ? 1 : cost(let->exp);
    if (let != nullptr) return true;
    if (const auto* n = imp::as<imp::BlockVar>(stmt)) return !n->init;
    if (imp::as<imp::BlockAssign>(stmt) != nullptr) return has_references_ = true;
    if (imp::as<imp::Check>(stmt) != nullptr) return may_leave();
    if (const auto* n = imp::as<imp::While>(stmt)) {
      leaves_ = true;
      return may_leave() && body(n->body) && may_leave();
    }
    if (const auto* n = imp::as<imp::If>(stmt)) return branch(*n);
    return imp::as<imp::Var>(stmt) != nullptr || imp::as<imp::Assign>(stmt) != nullptr ||
           imp::as<imp::Load>(stmt) != nullptr;
  }

  // One side only: where both are short it is not the question that we look for.
  bool branch(const imp::If& n) {
    if (!may_leave()) return false;
    leaves_ = true;
    std::optional<WayFinder> found;
    for (const bool then : {true, false}) {
      WayFinder side = *this;
      if (!side.body(then ? n.then_body : n.else_body)) continue;
      if (found) return false;
      side.sides_[&n] = then;
      found = std::move(side);
    }
    if (found) *this = std::move(*found);
    return found.has_value();
  }

  static int cost(const imp::Exp& exp) {
    if (const auto* e = std::get_if<core::UnOp>(&exp))
      return machine::cost_of(core::operator_class(*e)).scalar;
    if (const auto* e = std::get_if<core::BinOp>(&exp))
      return machine::cost_of(core::operator_class(*e)).scalar;
    return 1;
  }

  std::unordered_map<const imp::If*, bool> sides_;
  int statements_ = 0, cost_ = 0, again_ = 0;
  bool leaves_ = false, has_references_ = false;
};

class ShortCallEmitter {
 public:
  ShortCallEmitter(FunctionEmitter& f, const WayFinder& way)
      : f_(f), way_(way), goes_on_(f.new_block("goes_on")) {
    f.on_failure = goes_on_;
  }

  void body(const imp::Body& body) {
    f_.open_scope();
    statements(body);
    f_.close_scope();
  }

  void statements(const imp::Body& body) {
    for (const imp::Stmt& stmt : body.stmts) {
      if (const auto* n = imp::as<imp::If>(stmt))
        branch(*n);
      else if (const auto* n = imp::as<imp::While>(stmt))
        one_round(*n);
      else
        imp::visit(stmt.node, [&](const auto& node) { emit_stmt(f_, node); });
    }
  }

  void go_on(llvm::Function* self) {
    f_.b.SetInsertPoint(goes_on_);
    std::vector<Value*> args;
    for (llvm::Argument& arg : f_.fn->args()) args.push_back(&arg);
    f_.b.CreateRet(f_.b.CreateCall(self, args));
  }

 private:
  void only_if(Value* cond, bool expected) {
    llvm::BasicBlock* here = f_.new_block("short");
    f_.b.CreateCondBr(cond, expected ? here : goes_on_, expected ? goes_on_ : here);
    f_.b.SetInsertPoint(here);
  }

  void branch(const imp::If& n) {
    const bool side = way_.sides().at(&n);
    only_if(f_.value(n.cond), side);
    body(side ? n.then_body : n.else_body);
  }

  void one_round(const imp::While& n) {
    only_if(f_.value(n.cond), true);
    body(n.body);
    only_if(f_.value(n.cond), false);
  }

  FunctionEmitter& f_;
  const WayFinder& way_;
  llvm::BasicBlock* goes_on_;
};

}  // namespace

bool has_short_way(const imp::Function& fn) {
  return WayFinder().find(fn);
}

void emit_short_call(ModuleEmitter& module, const imp::Function& fn, const Recursion& recursion) {
  WayFinder way;
  way.find(fn);
  const imp::SameBlocks same(fn);
  AliasClasses aliases(imp::BlockClasses(fn, same), module.context());
  FunctionEmitter f(module, recursion.at_once, fn, aliases);
  f.recursion = &recursion;
  const std::vector<Value*> results = begin_self(f, StackCheck::kNone);
  ShortCallEmitter emitter(f, way);
  emitter.statements(fn.body);
  f.end_function(results);
  emitter.go_on(recursion.self);
}

}  // namespace skald::cpu
