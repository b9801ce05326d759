// SPDX-License-Identifier: Apache-2.0
// The choice of statements.
#include "core/random/statements.h"

#include "core/random/values.h"

namespace skald::core::random {

Lambda some_lambda(Scope& scope, std::vector<Param> params, int results,
                   const std::vector<Type>& first) {
  Lambda fn;
  const uint32_t start = scope.prog.names.size() - static_cast<uint32_t>(params.size());
  fn.body = scope.body([&] {
    for (const Param& p : params)
      if (p.type.kind == Type::kArray) scope.vars.push_back({p.name, p.type, false});
    statements(scope, scope.random.between(1, 4));
    std::vector<Operand> values;
    for (const Type& type : first) {
      values.push_back(some_value(scope, type));
      fn.results.push_back({.type = type});
    }
    for (auto& [operand, type] : choose(scope, results, start)) {
      values.push_back(operand);
      fn.results.push_back({.type = type});
    }
    return values;
  });
  fn.params = std::move(params);
  return fn;
}

void statements(Scope& scope, int count) {
  for (int i = 0; i < count && scope.budget > 0; ++i) statement(scope);
}

void statement(Scope& scope) {
  --scope.budget;
  struct Choice {
    int weight;
    void (*make)(Scope&);
  };
  static constexpr Choice kSimple[] = {
      {40, &scalar_stmt}, {12, &index_stmt}, {10, &new_array_stmt}, {8, &view_stmt},
      {6, &update_stmt},  {4, &slice_stmt},  {4, &concat_stmt},     {2, &flat_stmt},
      {2, &check_stmt},   {6, &call_stmt},
  };
  static constexpr Choice kNested[] = {
      {24, &map_stmt},    {14, &soac_stmt},    {6, &if_stmt},           {5, &for_stmt},
      {3, &while_stmt},   {5, &hist_stmt},     {5, &scatter_stmt},      {5, &partition_stmt},
      {3, &flatmap_stmt}, {4, &with_acc_stmt}, {2, &growing_loop_stmt},
  };
  const auto choose_from = [&](const auto& choices) {
    int total = 0;
    for (const Choice& c : choices) total += c.weight;
    int at = scope.random.below(total);
    for (const Choice& c : choices) {
      at -= c.weight;
      if (at < 0) return c.make(scope);
    }
  };
  if (scope.depth < kMaxDepth && scope.random.chance(scope.depth <= 1 ? 45 : 25))
    choose_from(kNested);
  else
    choose_from(kSimple);
}

}  // namespace skald::core::random
