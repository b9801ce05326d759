// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/keep_alive.h"

#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

// Calls f(name) for every array that the expression itself consumes; f may change the name.
template <class F>
void for_each_consumed(Session& session, Exp& exp, const F& f) {
  const auto operand = [&](Operand& o) {
    if (Name* name = std::get_if<Name>(&o)) f(*name);
  };
  if (auto* e = as<Update>(exp)) {
    f(e->array);
  } else if (auto* e = as<FlatUpdate>(exp)) {
    f(e->array);
  } else if (auto* e = as<Hist>(exp)) {
    for (HistOp& op : e->ops)
      for (Name& dest : op.dests) f(dest);
  } else if (auto* e = as<Scatter>(exp)) {
    for (ScatterDest& dest : e->dests) f(dest.dest);
  } else if (auto* e = as<WithAcc>(exp)) {
    for (AccInput& input : e->inputs)
      for (Name& array : input.arrays) f(array);
  } else if (auto* e = as<Loop>(exp)) {
    for (LoopParam& p : e->params)
      if (p.param.unique && p.param.type.is_array()) operand(p.init);
  } else if (auto* e = as<Call>(exp)) {
    const Function* fn = session.find(e->fn);
    for (size_t k = 0; k < e->args.size(); ++k)
      if (fn == nullptr || (fn->params[k].unique && fn->params[k].type.is_array()))
        operand(e->args[k]);
  }
}

void copy_consumed(Stmt& stmt, Emit& out, const NameSet& own) {
  for_each_consumed(out.session(), stmt.exp, [&](Name& array) {
    if (!own.contains(array))
      array = out.let1(out.session().type_of(array), Copy{array}, "kept", stmt.tokens);
  });
}

// `own`: arrays made inside of the statement that is kept alive.
void inside(Session& session, Body& body, NameSet& own) {
  std::vector<Stmt> old = std::move(body.stmts);
  Emit out(session);
  for (Stmt& stmt : old) {
    out.set_loc(stmt.loc);
    copy_consumed(stmt, out, own);
    if (auto* e = as<Loop>(stmt.exp))
      for (const LoopParam& p : e->params)
        if (p.param.unique) own.insert(p.param.name);
    for_each_body(stmt.exp, [&](Body& inner) { inside(session, inner, own); });
    const auto* e = as<Loop>(stmt.exp);
    const std::optional<Operand> source = view_of(stmt.exp);
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      bool fresh = as<If>(stmt.exp) == nullptr && as<Call>(stmt.exp) == nullptr;
      if (e != nullptr) fresh = e->params[k].param.unique;
      if (source) fresh = as_name(*source) != nullptr && own.contains(*as_name(*source));
      if (fresh) own.insert(stmt.pat[k].name);
    }
    out.append(std::move(stmt));
  }
  body.stmts = out.b().finish({}).stmts;
}

template <class T>
void erase_at(std::vector<T>& list, size_t at) {
  list.erase(list.begin() + static_cast<ptrdiff_t>(at));
}

bool is_acc(const Type& type) {
  return type.kind == Type::kAcc;
}

void strip(Session& session, Body& body);

void strip_results(Body& body, const std::vector<Param>& pat) {
  for (size_t k = pat.size(); k-- > 0;)
    if (is_acc(pat[k].type)) erase_at(body.result, k);
}

void strip(Session& session, Stmt& stmt) {
  if (auto* e = as<If>(stmt.exp)) {
    for (Body* side : {&e->then_body, &e->else_body}) {
      strip(session, *side);
      strip_results(*side, stmt.pat);
    }
  } else if (auto* e = as<Loop>(stmt.exp)) {
    strip(session, e->body);
    strip_results(e->body, stmt.pat);
    std::erase_if(e->params, [](const LoopParam& p) { return is_acc(p.param.type); });
  } else if (auto* e = as<Soac>(stmt.exp)) {
    strip(session, e->fn.body);
    for (size_t k = e->fn.results.size(); k-- > 0;) {
      if (!is_acc(e->fn.results[k].type)) continue;
      erase_at(e->fn.results, k);
      erase_at(e->fn.body.result, k);
    }
    for (size_t k = e->inputs.size(); k-- > 0;) {
      if (!is_acc(session.type_of(e->inputs[k]))) continue;
      erase_at(e->inputs, k);
      erase_at(e->fn.params, k);
    }
  } else {
    return;
  }
  std::erase_if(stmt.pat, [](const Param& p) { return is_acc(p.type); });
}

void strip(Session& session, Body& body) {
  std::erase_if(body.stmts, [](const Stmt& s) { return as<UpdateAcc>(s.exp) != nullptr; });
  for (Stmt& stmt : body.stmts) strip(session, stmt);
}

}  // namespace

void keep_alive(Stmt& stmt, Emit& out) {
  copy_consumed(stmt, out, {});
  NameSet own;
  if (auto* e = as<Loop>(stmt.exp))
    for (const LoopParam& p : e->params)
      if (p.param.unique) own.insert(p.param.name);
  for_each_body(stmt.exp, [&](Body& body) { inside(out.session(), body, own); });
}

void keep_alive_inside(Session& session, Body& body) {
  NameSet own;
  inside(session, body, own);
}

void strip_accumulators(Session& session, Stmt& stmt) {
  strip(session, stmt);
}

}  // namespace skald::passes::ad
