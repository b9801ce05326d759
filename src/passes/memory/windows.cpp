// SPDX-License-Identifier: Apache-2.0
#include "passes/memory/windows.h"

#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_outer_slice(const Index& index, const Type& type) {
  for (size_t k = 0; k < index.slice.size(); ++k) {
    const DimSlice& dim = index.slice[k];
    if (dim.is_index || !(dim.stride == Operand{const_i64(1)})) return false;
    if (k > 0 && !(dim.start == Operand{const_i64(0)} && dim.count == type.shape[k])) return false;
  }
  return !index.slice.empty();
}

}  // namespace

bool is_window_step(const Stmt& stmt, const Windows& windows, WindowStep& step) {
  if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_array()) return false;
  if (const Index* index = as<Index>(stmt.exp)) {
    if (!is_outer_slice(*index, windows.type(index->array))) return false;
    step = {index->array, index->slice[0].start};
    return true;
  }
  if (const Value* value = as<Value>(stmt.exp)) {
    step = {*as_name(value->arg), const_i64(0)};
    return true;
  }
  return false;
}

Windows::Windows(const Function& fn) {
  for (const Param& p : fn.params) bind(p);
  body(fn.body);
}

void Windows::bind(const Param& param) {
  level_[param.name] = here_;
  if (param.type.is_array()) types_[param.name] = param.type;
}

void Windows::body(const Body& body) {
  ++here_;
  for (const Stmt& each : body.stmts) stmt(each);
  --here_;
}

// An array that is where `source` is.
void Windows::join(Name array, const Operand& source) {
  base_[array] = base(*as_name(source));
}

void Windows::stmt(const Stmt& stmt) {
  for (const Param& p : stmt.pat) {
    bind(p);
    base_.erase(p.name);
  }
  WindowStep step;
  if (is_window_step(stmt, *this, step)) return join(stmt.pat[0].name, step.array);
  if (const If* node = as<If>(stmt.exp)) return branch(stmt, *node);
  if (const Loop* node = as<Loop>(stmt.exp)) return loop(stmt, *node);
  ++here_;
  for_each_param(stmt.exp, [&](const Param& p) { bind(p); });
  --here_;
  for_each_body(stmt.exp, [&](const Body& inner) { body(inner); });
}

void Windows::branch(const Stmt& stmt, const If& branch) {
  body(branch.then_body);
  body(branch.else_body);
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (!stmt.pat[k].type.is_array()) continue;
    const Name one = base(*as_name(branch.then_body.result[k]));
    const Name other = base(*as_name(branch.else_body.result[k]));
    if (one == other && level_.at(one) <= here_) base_[stmt.pat[k].name] = one;
  }
}

void Windows::loop(const Stmt& stmt, const Loop& loop) {
  ++here_;
  for_each_param(stmt.exp, [&](const Param& p) { bind(p); });
  --here_;
  bool again = true;
  while (again) {
    again = false;
    for (const LoopParam& p : loop.params) {
      base_.erase(p.param.name);
      if (p.param.type.is_array() && !p.param.unique && !apart_.contains(p.param.name))
        join(p.param.name, p.init);
    }
    body(loop.body);
    for (size_t k = 0; k < loop.params.size(); ++k) {
      const LoopParam& p = loop.params[k];
      if (!base_.contains(p.param.name)) continue;
      if (base(*as_name(loop.body.result[k])) == base(*as_name(p.init))) continue;
      again = apart_.insert(p.param.name).second || again;
    }
  }
  for (size_t k = 0; k < loop.params.size(); ++k)
    if (base_.contains(loop.params[k].param.name)) join(stmt.pat[k].name, loop.params[k].init);
}

}  // namespace skald::passes
