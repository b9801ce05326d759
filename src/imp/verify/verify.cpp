// SPDX-License-Identifier: Apache-2.0
#include "imp/verify/verify.h"

#include <span>

#include "imp/ir/visit.h"
#include "imp/text/print.h"
#include "imp/verify/verifier.h"
#include "imp/verify/verify_lanes.h"
#include "support/bug.h"

namespace skald::imp {

void Verifier::complain(std::string what) {
  std::string where = fmt::format("in \"{}\"", fn_->name);
  if (stmt_ != nullptr) where += fmt::format(", at `{}`", print_head(*stmt_, prog_));
  problems_.push_back(fmt::format("{}: {}", where, what));
}

void Verifier::bind(Name name, Type type, bool assignable) {
  if (!name) complain("binds no name");
  if (!bound_.insert(name.id).second)
    complain(fmt::format("{} is bound twice", prog_.names.text(name)));
  scope_[name.id] = {type, assignable, parallel_depth_};
}

const Binding* Verifier::lookup(Name name) {
  auto found = scope_.find(name.id);
  if (found != scope_.end()) return &found->second;
  complain(fmt::format("{} is not in scope", prog_.names.text(name)));
  return nullptr;
}

void Verifier::want(const Operand& o, Prim type, std::string_view what) {
  if (const Const* c = core::as_const(o)) {
    if (c->type != type)
      complain(fmt::format("{} is {}, not {}", what, prim_name(c->type), prim_name(type)));
  } else if (const Binding* b = lookup(*core::as_name(o))) {
    if (b->type.is_block())
      complain(fmt::format("{} is a block", what));
    else if (b->type.prim != type)
      complain(fmt::format("{} is {}, not {}", what, prim_name(b->type.prim), prim_name(type)));
  }
}

const Binding* Verifier::want_block(Name name) {
  const Binding* b = lookup(name);
  if (b != nullptr && !b->type.is_block()) {
    complain(fmt::format("{} is not a block", prog_.names.text(name)));
    return nullptr;
  }
  if (b != nullptr && in_launch_ && b->parallel_depth < parallel_depth_ &&
      b->type.space != Space::kDevice)
    complain(fmt::format("{} is memory of the host", prog_.names.text(name)));
  return b;
}

void Verifier::want_heap(Name name) {
  const Binding* b = want_block(name);
  if (b != nullptr && !is_owning(b->type.space))
    complain(fmt::format("{} is not a heap block", prog_.names.text(name)));
}

void Verifier::want_heap(Name name, Space space) {
  want_heap(name);
  const auto found = scope_.find(name.id);
  const bool is_host =
      prog_.target == Target::kDevice && !in_launch_ && fn_->kind == FunctionKind::kHost;
  if (is_host && found != scope_.end() && found->second.type.is_block() &&
      found->second.type.space != space)
    complain(fmt::format("{} is in another memory", prog_.names.text(name)));
}

void Verifier::want_shared(Name name) {
  const Binding* b = want_block(name);
  if (b != nullptr && b->type.space != Space::kShared)
    complain(fmt::format("{} is not a shared block", prog_.names.text(name)));
}

void Verifier::want_assignable(Name name) {
  const Binding* b = lookup(name);
  if (b == nullptr) return;
  if (!b->assignable) complain(fmt::format("{} is not a variable", prog_.names.text(name)));
  if (b->parallel_depth != parallel_depth_)
    complain(fmt::format("{} is assigned inside a parallel loop", prog_.names.text(name)));
}

std::vector<Name> Verifier::statements(const Body& body) {
  std::vector<Name> here;
  for (const Stmt& stmt : body.stmts) {
    stmt_ = &stmt;
    check_node(stmt);
    stmt_ = &stmt;
    if (const auto* call = as<Call>(stmt); call != nullptr && call->may_fork())
      beside(*call, std::span(body.stmts).subspan(&stmt - body.stmts.data() + 1));
    const bool assignable = as<Var>(stmt) || as<BlockVar>(stmt);
    for_each_binder(stmt, [&](Name name, Type type, BinderScope scope) {
      if (scope != BinderScope::kOuter) return;
      bind(name, type, assignable);
      here.push_back(name);
    });
  }
  return here;
}

void Verifier::body(const Body& body) {
  for (Name name : statements(body)) scope_.erase(name.id);
}

void Verifier::beside(const Call& call, std::span<const Stmt> rest) {
  want(call.beside, Prim::kBool, "the condition");
  for (const Stmt& stmt : rest) {
    const auto* next = as<Call>(stmt);
    if (next == nullptr && as<Check>(stmt) == nullptr && !prepares_call(stmt)) break;
    bool needs = false;
    for_each_use(stmt, [&](const Operand& o) {
      for (const Decl& d : call.results) needs = needs || o == Operand{d.name};
    });
    if (needs) return complain("what runs beside a call needs its results");
    if (next == nullptr) continue;
    if (!next->may_fork()) return;
    if (next->beside != call.beside) return complain("calls in a row with different conditions");
  }
  complain("no call follows");
}

void Verifier::inner(const Stmt& stmt, const Body& inner_body, bool parallel) {
  parallel_depth_ += parallel ? 1 : 0;
  std::vector<Name> here;
  for_each_binder(stmt, [&](Name name, Type type, BinderScope scope) {
    if (scope != BinderScope::kInner) return;
    bind(name, type, false);
    here.push_back(name);
  });
  body(inner_body);
  if (const auto* update = as<AtomicUpdate>(stmt)) after_update(*update);
  if (const auto* locked = as<Locked>(stmt)) body(locked->meet_body);
  for (Name name : here) scope_.erase(name.id);
  parallel_depth_ -= parallel ? 1 : 0;
}

void Verifier::after_update(const AtomicUpdate& n) {
  std::vector<Name> here;
  for (const Stmt& s : n.body.stmts)
    for_each_binder(s, [&](Name name, Type type, BinderScope scope) {
      if (scope != BinderScope::kOuter) return;
      scope_[name.id] = {type, false, parallel_depth_};
      here.push_back(name);
    });
  want(n.result, n.type, "the new value");
  for (Name name : here) scope_.erase(name.id);
}

void Verifier::function(const Function& fn) {
  fn_ = &fn;
  stmt_ = nullptr;
  scope_.clear();
  for (const Decl& d : fn.params) {
    bind(d.name, d.type, false);
    if (d.type.is_block() && !is_owning(d.type.space) && d.type.space != Space::kView)
      complain("a parameter in a space of its own");
  }
  if (fn.once && !fn.params.empty()) complain("computed once, but with parameters");
  for (const Type& t : fn.results)
    if (t.is_block() && !is_owning(t.space)) complain("returns a block that is not heap");
  // The results are names of the outermost scope, so it must still be open.
  statements(fn.body);
  stmt_ = nullptr;
  if (fn.ret.size() != fn.results.size()) return complain("a wrong number of results");
  for (size_t i = 0; i < fn.ret.size(); ++i) {
    if (!fn.results[i].is_block())
      want(fn.ret[i], fn.results[i].prim, "a result");
    else if (const Name* name = core::as_name(fn.ret[i]))
      want_heap(*name, fn.results[i].space);
    else
      complain("a constant where a block is needed");
  }
}

std::vector<std::string> verify(const Program& prog) {
  std::vector<std::string> problems;
  Verifier verifier(prog, problems);
  std::unordered_set<std::string> names;
  for (const Function& fn : prog.functions) {
    if (!names.insert(fn.name).second)
      problems.push_back(fmt::format("two functions \"{}\"", fn.name));
    verifier.function(fn);
    verify_lanes(fn, prog, problems);
  }
  return problems;
}

void verify_or_bug(const Program& prog, std::string_view when) {
  const std::vector<std::string> problems = verify(prog);
  if (problems.empty()) return;
  std::string text;
  for (size_t i = 0; i < problems.size() && i < 5; ++i) text += "\n  " + problems[i];
  SKALD_BUG("imp is not well formed after {}:{}", when, text);
}

}  // namespace skald::imp
