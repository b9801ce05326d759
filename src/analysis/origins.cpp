// SPDX-License-Identifier: Apache-2.0
#include "analysis/origins.h"

#include "analysis/memory_sharing.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

Name Origins::of_operand(const Operand& operand) const {
  const Name* name = as_name(operand);
  return name == nullptr ? Name{} : of(*name);
}

void Origins::visit_body(const Body& body) {
  for (const Stmt& stmt : body.stmts) visit_stmt(stmt);
}

void Origins::visit_stmt(const Stmt& stmt) {
  // Loop parameters are their own origins while the body is visited.
  for_each_body(stmt.exp, [&](const Body& inner) { visit_body(inner); });
  if (const Update* update = as<Update>(stmt.exp)) {
    origin_[stmt.pat[0].name] = of(update->array);
  } else if (const FlatUpdate* flat = as<FlatUpdate>(stmt.exp)) {
    origin_[stmt.pat[0].name] = of(flat->array);
  } else if (const Value* value = as<Value>(stmt.exp)) {
    if (stmt.pat[0].type.is_array()) origin_[stmt.pat[0].name] = of_operand(value->arg);
  } else if (const Opaque* opaque = as<Opaque>(stmt.exp)) {
    if (stmt.pat[0].type.is_array()) origin_[stmt.pat[0].name] = of_operand(opaque->arg);
  } else if (const If* branch = as<If>(stmt.exp)) {
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (!stmt.pat[k].type.is_array()) continue;
      const Name then = of_operand(branch->then_body.result[k]);
      if (then == of_operand(branch->else_body.result[k])) origin_[stmt.pat[k].name] = then;
    }
  } else if (const Loop* loop = as<Loop>(stmt.exp)) {
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Param& param = loop->params[k].param;
      if (!param.type.is_array() || !(of_operand(loop->body.result[k]) == param.name)) continue;
      in_place_.insert(param.name);
      origin_[stmt.pat[k].name] = of_operand(loop->params[k].init);
    }
  } else if (const Kernel* kernel = as<Kernel>(stmt.exp)) {
    const std::vector<size_t> first = first_results(*kernel);
    for (size_t s = 0; s < kernel->sinks.size(); ++s)
      for (size_t k = 0; k < kernel->sinks[s].dests.size(); ++k)
        origin_[stmt.pat[first[s] + k].name] = of(kernel->sinks[s].dests[k]);
  }
}

}  // namespace skald::analysis
