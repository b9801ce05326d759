// SPDX-License-Identifier: Apache-2.0
#include "core/interp/liveness.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::core::interp {

namespace {

class Counter {
 public:
  Counter(const std::function<bool(Name)>& is_array, Mentions& mentions)
      : is_array_(is_array), mentions_(mentions) {}

  void stmt(const Stmt& stmt) {
    for_each_operand(stmt.exp, [&](const Operand& operand) { use(operand); });
    for_each_body(stmt.exp, [&](const Body& inner) { body(inner); });
  }

 private:
  void body(const Body& body) {
    for (const Stmt& inner : body.stmts) stmt(inner);
    for (const Operand& result : body.result) use(result);
  }
  void use(const Operand& operand) {
    const Name* name = as_name(operand);
    if (name != nullptr && is_array_(*name)) ++mentions_[*name];
  }

  const std::function<bool(Name)>& is_array_;
  Mentions& mentions_;
};

}  // namespace

Deaths find_deaths(const Body& body, std::unordered_set<Name> owned,
                   const std::function<bool(Name)>& is_array) {
  Deaths deaths;
  deaths.stmts.resize(body.stmts.size());
  for (const Stmt& stmt : body.stmts)
    for (const Param& param : stmt.pat)
      if (is_array(param.name)) owned.insert(param.name);

  std::unordered_set<Name> alive;
  deaths.results.resize(body.result.size());
  for (size_t k = body.result.size(); k-- > 0;) {
    const Name* name = as_name(body.result[k]);
    if (name == nullptr || !is_array(*name)) continue;
    deaths.results[k] = alive.insert(*name).second && owned.contains(*name);
  }
  for (size_t k = body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = body.stmts[k];
    Deaths::AtStmt& at = deaths.stmts[k];
    Counter(is_array, at.mentions).stmt(stmt);
    for (const Param& param : stmt.pat)
      if (is_array(param.name) && !alive.contains(param.name)) at.names.push_back(param.name);
    for (const auto& [name, count] : at.mentions)
      if (alive.insert(name).second && owned.contains(name)) at.names.push_back(name);
    std::sort(at.names.begin(), at.names.end());
  }
  return deaths;
}

}  // namespace skald::core::interp
