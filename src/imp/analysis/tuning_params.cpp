// SPDX-License-Identifier: Apache-2.0
#include "imp/analysis/tuning_params.h"

#include <algorithm>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

void collect_tunables(const Body& body, std::vector<core::TuningParam>& params) {
  for (const Stmt& stmt : body.stmts) {
    if (const Tunable* node = as<Tunable>(stmt)) params.push_back({node->param, node->param_class});
    for_each_body(stmt, [&](const Body& inner) { collect_tunables(inner, params); });
  }
}

}  // namespace

std::vector<core::TuningParam> with_tunables(std::vector<core::TuningParam> params,
                                             const Program& prog) {
  for (const Function& fn : prog.functions) collect_tunables(fn.body, params);
  std::ranges::stable_sort(params, {}, &core::TuningParam::name);
  const auto twice = std::ranges::unique(params, {}, &core::TuningParam::name);
  params.erase(twice.begin(), twice.end());
  return params;
}

}  // namespace skald::imp
