// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/base/activity.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "passes/differentiate/base/partials.h"

namespace skald::passes::ad {

bool Activity::any(const std::vector<Param>& params) const {
  return std::ranges::any_of(params, [&](const Param& p) { return has(p.name); });
}

void Activity::mark(Name name) {
  if (!carries(session_.type_of(name))) return;
  if (active_.insert(name).second) changed_ = true;
}

void Activity::mark(const std::vector<Param>& params) {
  for (const Param& p : params) mark(p.name);
}

void Activity::spread(const Body& body) {
  do {
    changed_ = false;
    visit(body);
  } while (changed_);
}

void Activity::visit(const Body& body) {
  for (const Stmt& stmt : body.stmts) visit(stmt);
}

void Activity::visit(const Stmt& stmt) {
  const Exp& exp = stmt.exp;
  if (const auto* e = as<If>(exp)) return visit(stmt, *e);
  if (const auto* e = as<Loop>(exp)) return visit(stmt, *e);
  if (const auto* e = as<Soac>(exp)) return visit(stmt, *e);
  if (const auto* e = as<Hist>(exp)) return visit(stmt, *e);
  if (const auto* e = as<Scatter>(exp)) return visit(stmt, *e);
  if (const auto* e = as<Partition>(exp)) return visit(stmt, *e);
  if (const auto* e = as<FlatMap>(exp)) return visit(stmt, *e);
  if (const auto* e = as<WithAcc>(exp)) return visit(stmt, *e);
  if (const auto* e = as<WithVjp>(exp)) return visit(stmt, *e);
  bool active = false;
  const auto look = [&](const Operand& o) { active = active || has(o); };
  // Indices and sizes do not count.
  if (const auto* e = as<Index>(exp)) {
    look(e->array);
  } else if (const auto* e = as<Update>(exp)) {
    look(e->array);
    look(e->value);
  } else if (const auto* e = as<FlatIndex>(exp)) {
    look(e->array);
  } else if (const auto* e = as<FlatUpdate>(exp)) {
    look(e->array);
    look(e->value);
  } else if (const auto* e = as<Replicate>(exp)) {
    look(e->value);
  } else if (const auto* e = as<Reshape>(exp)) {
    look(e->array);
  } else if (const auto* e = as<Concat>(exp)) {
    for (const Name array : e->arrays) look(array);
  } else if (const auto* e = as<ArrayLit>(exp)) {
    for (const Operand& elem : e->elems) look(elem);
  } else if (const auto* e = as<Iota>(exp)) {
    look(e->count);
    look(e->start);
    look(e->step);
  } else if (const auto* e = as<Select>(exp)) {
    look(e->then);
    look(e->otherwise);
  } else if (const auto* e = as<UpdateAcc>(exp)) {
    look(e->acc);
    for (const Operand& value : e->values) look(value);
  } else if (as<Scratch>(exp) || as<Assert>(exp) || as<Tunable>(exp) || is_flat(exp)) {
    return;
  } else {
    // Operators, views, copies, calls.
    for_each_operand(exp, look);
  }
  if (active) mark(stmt.pat);
}

void Activity::visit(const Stmt& stmt, const If& e) {
  visit(e.then_body);
  visit(e.else_body);
  for (size_t k = 0; k < stmt.pat.size(); ++k)
    mark_if(has(e.then_body.result[k]) || has(e.else_body.result[k]), stmt.pat[k].name);
}

void Activity::visit(const Stmt& stmt, const Loop& e) {
  for (const LoopParam& p : e.params) mark_if(has(p.init), p.param.name);
  visit(e.body);
  for (size_t k = 0; k < e.params.size(); ++k) {
    const Name name = e.params[k].param.name;
    mark_if(has(e.body.result[k]), name);
    mark_if(has(name), stmt.pat[k].name);
  }
}

void Activity::rows(const std::vector<Name>& inputs, const Lambda& fn) {
  for (size_t k = 0; k < inputs.size(); ++k) mark_if(has(inputs[k]), fn.params[k].name);
  visit(fn.body);
  // What is written to an accumulator inside is in it from the beginning.
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (session_.type_of(inputs[k]).kind != Type::kAcc) continue;
    size_t at = 0, wanted = 0;
    for (size_t j = 0; j < k; ++j)
      if (session_.type_of(inputs[j]).kind == Type::kAcc) ++wanted;
    for (; at < fn.results.size(); ++at)
      if (fn.results[at].type.kind == Type::kAcc && wanted-- == 0) break;
    if (at < fn.results.size() && has(fn.body.result[at])) {
      mark(fn.params[k].name);
      mark(inputs[k]);
    }
  }
}

void Activity::combine(const Operator& op, const std::vector<Operand>& values) {
  const size_t n = op.neutral.size();
  for (size_t k = 0; k < n; ++k) {
    const bool active = has(values[k]) || has(op.fn.body.result[k]) || has(op.neutral[k]);
    mark_if(active, op.fn.params[k].name);
    mark_if(active, op.fn.params[k + n].name);
  }
  visit(op.fn.body);
}

void Activity::visit(const Stmt& stmt, const Soac& e) {
  rows(e.inputs, e.fn);
  size_t at = 0;
  std::vector<bool> outputs, reduced;
  const auto fold = [&](const Operator& op, std::vector<bool>& to) {
    std::vector<Operand> values(
        e.fn.body.result.begin() + static_cast<ptrdiff_t>(at),
        e.fn.body.result.begin() + static_cast<ptrdiff_t>(at + op.neutral.size()));
    at += op.neutral.size();
    combine(op, values);
    for (size_t k = 0; k < values.size(); ++k)
      to.push_back(has(op.fn.params[k].name) || has(op.fn.body.result[k]));
  };
  for (const Operator& op : e.scans) fold(op, outputs);
  for (const Operator& op : e.reduces) fold(op, reduced);
  for (; at < e.fn.body.result.size(); ++at) outputs.push_back(has(e.fn.body.result[at]));
  for (const Lambda& post : e.post) {
    for (size_t k = 0; k < outputs.size(); ++k) mark_if(outputs[k], post.params[k].name);
    visit(post.body);
    outputs.clear();
    for (const Operand& result : post.body.result) outputs.push_back(has(result));
  }
  reduced.insert(reduced.end(), outputs.begin(), outputs.end());
  for (size_t k = 0; k < stmt.pat.size(); ++k) mark_if(reduced[k], stmt.pat[k].name);
}

void Activity::visit(const Stmt& stmt, const Hist& e) {
  rows(e.inputs, e.fn);
  size_t at = 0, out = 0;
  for (const HistOp& op : e.ops) at += op.shape.size();
  for (const HistOp& op : e.ops) {
    std::vector<Operand> values;
    for (size_t k = 0; k < op.dests.size(); ++k) values.push_back(e.fn.body.result[at++]);
    combine(op.op, values);
    for (size_t k = 0; k < op.dests.size(); ++k, ++out) {
      const Name left = op.op.fn.params[k].name;
      mark_if(has(op.dests[k]), left);
      mark_if(has(op.dests[k]) || has(left) || has(op.op.fn.body.result[k]), stmt.pat[out].name);
    }
  }
}

void Activity::visit(const Stmt& stmt, const Scatter& e) {
  rows(e.inputs, e.fn);
  const size_t first = e.fn.body.result.size() - e.dests.size();
  for (size_t k = 0; k < e.dests.size(); ++k)
    mark_if(has(e.dests[k].dest) || has(e.fn.body.result[first + k]), stmt.pat[k].name);
}

void Activity::visit(const Stmt& stmt, const Partition& e) {
  rows(e.inputs, e.fn);
  const size_t values = e.fn.body.result.size() - 1;
  const auto classes = static_cast<size_t>(e.classes);
  for (size_t c = 0; c < classes; ++c)
    for (size_t k = 0; k < values; ++k)
      mark_if(has(e.fn.body.result[1 + k]), stmt.pat[classes + c * values + k].name);
}

void Activity::visit(const Stmt& stmt, const FlatMap& e) {
  rows(e.inputs, e.fn);
  for (size_t k = 1; k < e.fn.body.result.size(); ++k)
    mark_if(has(e.fn.body.result[k]), stmt.pat[3 + k].name);
}

void Activity::visit(const Stmt& stmt, const WithAcc& e) {
  size_t out = 0;
  for (size_t k = 0; k < e.inputs.size(); ++k) {
    const bool active =
        std::ranges::any_of(e.inputs[k].arrays, [&](Name array) { return has(array); });
    mark_if(active, e.fn.params[k].name);
    for (const Operator& op : e.inputs[k].op) {
      // All components may be written together.
      if (has(e.fn.params[k].name)) mark(op.fn.params);
      visit(op.fn.body);
    }
  }
  visit(e.fn.body);
  for (size_t k = 0; k < e.inputs.size(); ++k) {
    mark_if(has(e.fn.body.result[k]), e.fn.params[k].name);
    for (size_t j = 0; j < e.inputs[k].arrays.size(); ++j, ++out)
      mark_if(has(e.fn.params[k].name), stmt.pat[out].name);
  }
  for (size_t k = e.inputs.size(); k < e.fn.body.result.size(); ++k, ++out)
    mark_if(has(e.fn.body.result[k]), stmt.pat[out].name);
}

void Activity::visit(const Stmt& stmt, const WithVjp& e) {
  bool active = false;
  for (const Operand& arg : e.args) active = active || has(arg);
  if (active) mark(stmt.pat);
}

}  // namespace skald::passes::ad
