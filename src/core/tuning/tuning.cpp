// SPDX-License-Identifier: Apache-2.0
#include "core/tuning/tuning.h"

#include "core/ir/visit.h"

namespace skald::core {

namespace {

void collect(const Body& body, std::map<std::string, std::string>& found) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* node = as<Tunable>(stmt.exp)) found.emplace(node->param, node->param_class);
    for_each_body(stmt.exp, [&](const Body& inner) { collect(inner, found); });
  }
}

}  // namespace

const int64_t* find_choice(const Tuning& tuning, std::string_view param) {
  const auto found = tuning.find(param);
  return found == tuning.end() || found->second == 0 ? nullptr : &found->second;
}

std::vector<TuningParam> tuning_params(const Program& prog) {
  std::map<std::string, std::string> found;
  for (const Function& fn : prog.functions) collect(fn.body, found);
  std::vector<TuningParam> params;
  for (const auto& [name, param_class] : found) params.push_back({name, param_class});
  return params;
}

}  // namespace skald::core
