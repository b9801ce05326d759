// SPDX-License-Identifier: Apache-2.0
#include "core/interp/compile/liveness.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::core::interp {

namespace {

bool is_array_type(const Type& type) {
  return type.kind == Type::kArray && !type.shape.empty();
}

}  // namespace

ArrayMentions::ArrayMentions(const Function& fn) {
  for (const Param& param : fn.params) declare(param);
  declare_all(fn.body);
  Mentions all;
  body(fn.body, all);
}

void ArrayMentions::declare(const Param& param) {
  if (is_array_type(param.type)) arrays_.insert(param.name);
}

void ArrayMentions::declare_all(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& param : stmt.pat) declare(param);
    for_each_param(stmt.exp, [&](const Param& param) { declare(param); });
    for_each_body(stmt.exp, [&](const Body& inner) { declare_all(inner); });
  }
}

void ArrayMentions::use(const Operand& operand, Mentions& out) const {
  const Name* name = as_name(operand);
  if (name != nullptr && is_array(*name)) ++out[*name];
}

void ArrayMentions::body(const Body& body, Mentions& out) {
  for (const Stmt& stmt : body.stmts) {
    Mentions inside;
    for_each_operand(stmt.exp, [&](const Operand& operand) { use(operand, inside); });
    bool has_bodies = false;
    for_each_body(stmt.exp, [&](const Body& inner) {
      has_bodies = true;
      this->body(inner, inside);
    });
    for (const auto& [name, count] : inside) out[name] += count;
    if (has_bodies) nested_.emplace(&stmt, std::move(inside));
  }
  for (const Operand& result : body.result) use(result, out);
  // Nobody outside knows these.
  for (const Stmt& stmt : body.stmts)
    for (const Param& param : stmt.pat) out.erase(param.name);
}

Mentions ArrayMentions::of(const Stmt& stmt) const {
  if (const auto nested = nested_.find(&stmt); nested != nested_.end()) return nested->second;
  Mentions out;
  for_each_operand(stmt.exp, [&](const Operand& operand) { use(operand, out); });
  return out;
}

Deaths find_deaths(const Body& body, std::unordered_set<Name> owned,
                   const ArrayMentions& mentions) {
  Deaths deaths;
  deaths.stmts.resize(body.stmts.size());
  for (const Stmt& stmt : body.stmts)
    for (const Param& param : stmt.pat)
      if (mentions.is_array(param.name)) owned.insert(param.name);

  std::unordered_set<Name> alive;
  deaths.results.resize(body.result.size());
  for (size_t k = body.result.size(); k-- > 0;) {
    const Name* name = as_name(body.result[k]);
    if (name == nullptr || !mentions.is_array(*name)) continue;
    deaths.results[k] = alive.insert(*name).second && owned.contains(*name);
  }
  for (size_t k = body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = body.stmts[k];
    Deaths::AtStmt& at = deaths.stmts[k];
    at.mentions = mentions.of(stmt);
    for (const Param& param : stmt.pat)
      if (mentions.is_array(param.name) && !alive.contains(param.name))
        at.names.push_back(param.name);
    for (const auto& [name, count] : at.mentions)
      if (alive.insert(name).second && owned.contains(name)) at.names.push_back(name);
    std::sort(at.names.begin(), at.names.end());
  }
  return deaths;
}

}  // namespace skald::core::interp
