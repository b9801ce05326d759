// SPDX-License-Identifier: Apache-2.0
// Walking over expressions: the direct sub-expressions of a node, in the order they are written.
// Expressions inside type expressions are not visited.
#pragma once

#include "frontend/futhark/ast/ast.h"

namespace skald::futhark {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

template <class Dims, class F>
void for_each_in_dims(Dims& dims, F&& f) {
  for (auto& d : dims) {
    if (d.index) f(*d.index);
    if (d.start) f(*d.start);
    if (d.end) f(*d.end);
    if (d.stride) f(*d.stride);
  }
}

template <class Path, class F>
void for_each_in_path(Path& path, F&& f) {
  for (auto& step : path)
    if (auto* dims = std::get_if<std::vector<DimIndex>>(&step.step)) for_each_in_dims(*dims, f);
}

// The part of for_each_child for expressions that choose, bind or check.
template <class E, class F>
void for_each_child_of_control(E& exp, F&& f) {
  auto on = [&](auto& child) {
    if (child) f(*child);
  };
  if (auto* e = std::get_if<EIf>(&exp.node)) {
    on(e->cond);
    on(e->then_branch);
    return on(e->else_branch);
  }
  if (auto* e = std::get_if<ELet>(&exp.node)) {
    on(e->value);
    return on(e->body);
  }
  if (auto* e = std::get_if<ELetFun>(&exp.node)) {
    on(e->value);
    return on(e->body);
  }
  if (auto* e = std::get_if<ELetWith>(&exp.node)) {
    for_each_in_path(e->path, f);
    on(e->value);
    return on(e->body);
  }
  if (auto* e = std::get_if<EUpdate>(&exp.node)) {
    on(e->src);
    for_each_in_path(e->path, f);
    return on(e->value);
  }
  if (auto* e = std::get_if<ELambda>(&exp.node)) return on(e->body);
  if (auto* e = std::get_if<ELoop>(&exp.node)) {
    on(e->init);
    on(e->bound);
    return on(e->body);
  }
  if (auto* e = std::get_if<EMatch>(&exp.node)) {
    on(e->scrutinee);
    for (auto& c : e->cases) on(c.body);
    return;
  }
  if (auto* e = std::get_if<EAttr>(&exp.node)) return on(e->inner);
  if (auto* e = std::get_if<EAssert>(&exp.node)) {
    on(e->cond);
    return on(e->inner);
  }
  if (auto* e = std::get_if<ELeftSection>(&exp.node)) return on(e->lhs);
  if (auto* e = std::get_if<ERightSection>(&exp.node)) return on(e->rhs);
  if (auto* e = std::get_if<EPathSection>(&exp.node)) return for_each_in_path(e->path, f);
}

// Calls f(child) for each direct sub-expression; E is Exp or const Exp.
template <class E, class F>
void for_each_child(E& exp, F&& f) {
  auto on = [&](auto& child) {
    if (child) f(*child);
  };
  switch (exp.node.index()) {
    case 0:   // ELiteral
    case 1:   // EString
    case 2:   // EVar
    case 3:   // EHole
    case 29:  // EOpSection
      return;
    default: break;
  }
  if (auto* e = std::get_if<EParens>(&exp.node)) return on(e->inner);
  if (auto* e = std::get_if<ETuple>(&exp.node)) {
    for (auto& x : e->elems) on(x);
    return;
  }
  if (auto* e = std::get_if<ERecord>(&exp.node)) {
    for (auto& x : e->fields) on(x.value);
    return;
  }
  if (auto* e = std::get_if<EArray>(&exp.node)) {
    for (auto& x : e->elems) on(x);
    return;
  }
  if (auto* e = std::get_if<EIndex>(&exp.node)) {
    on(e->array);
    return for_each_in_dims(e->dims, f);
  }
  if (auto* e = std::get_if<EProject>(&exp.node)) return on(e->record);
  if (auto* e = std::get_if<ELocalOpen>(&exp.node)) return on(e->inner);
  if (auto* e = std::get_if<EApply>(&exp.node)) {
    on(e->fn);
    for (auto& x : e->args) on(x);
    return;
  }
  if (auto* e = std::get_if<EBinary>(&exp.node)) {
    on(e->lhs);
    return on(e->rhs);
  }
  if (auto* e = std::get_if<ENegate>(&exp.node)) return on(e->arg);
  if (auto* e = std::get_if<ENot>(&exp.node)) return on(e->arg);
  if (auto* e = std::get_if<EConstr>(&exp.node)) {
    for (auto& x : e->args) on(x);
    return;
  }
  if (auto* e = std::get_if<EAscript>(&exp.node)) return on(e->inner);
  if (auto* e = std::get_if<ECoerce>(&exp.node)) return on(e->inner);
  if (auto* e = std::get_if<ERange>(&exp.node)) {
    on(e->start);
    on(e->step);
    return on(e->end);
  }
  for_each_child_of_control(exp, f);
}

// The expression that gives the value of a body: what stands behind its `let`s.
inline const Exp& result_exp(const Exp& body) {
  const Exp* e = &body;
  while (true) {
    const Exp* inner = nullptr;
    if (auto* x = std::get_if<ELet>(&e->node)) inner = x->body.get();
    if (auto* x = std::get_if<ELetFun>(&e->node)) inner = x->body.get();
    if (auto* x = std::get_if<ELetWith>(&e->node)) inner = x->body.get();
    if (!inner) return *e;
    e = inner;
  }
}

// Calls f(pat) for a pattern and all patterns inside it, outermost first.
template <class P, class F>
void for_each_pat(P& pat, F&& f) {
  f(pat);
  auto on = [&](auto& child) {
    if (child) for_each_pat(*child, f);
  };
  if (auto* p = std::get_if<PParens>(&pat.node)) return on(p->inner);
  if (auto* p = std::get_if<PTuple>(&pat.node)) {
    for (auto& x : p->elems) on(x);
    return;
  }
  if (auto* p = std::get_if<PRecord>(&pat.node)) {
    for (auto& x : p->fields) on(x.pat);
    return;
  }
  if (auto* p = std::get_if<PConstr>(&pat.node)) {
    for (auto& x : p->args) on(x);
    return;
  }
  if (auto* p = std::get_if<PAscript>(&pat.node)) return on(p->inner);
  if (auto* p = std::get_if<PAttr>(&pat.node)) return on(p->inner);
}

// Calls f(ident, pat) for every name that a pattern binds, `{x}` of a record pattern included.
template <class P, class F>
void for_each_bound(P& pat, F&& f) {
  for_each_pat(pat, [&](auto& p) {
    if (auto* v = std::get_if<PVar>(&p.node)) f(v->name, p);
    if (auto* r = std::get_if<PRecord>(&p.node))
      for (auto& field : r->fields)
        if (!field.pat) f(field.name, p);
  });
}

}  // namespace skald::futhark
