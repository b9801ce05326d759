// SPDX-License-Identifier: Apache-2.0
// Plans that are loops: the nodes of one round become the body.
#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using namespace core;

void Lowering::read_tables(Name round, const std::vector<Name>& tables) {
  const auto at = [&](Name table, Prim type) {
    const DimSlice here{.is_index = true, .start = round};
    return top_.b.let1(scalar_type(type), Index{table, {here}}, "n");
  };
  size_t next = 0;
  for (const int symbol : plan_.changing_symbols)
    symbols_[static_cast<size_t>(symbol)] = at(tables[next++], Prim::kI64);
  for (const int scalar : plan_.changing_scalars) {
    const auto number = static_cast<size_t>(scalar);
    scalars_[number] = at(tables[next++], prim_of(plan_.scalars[number]));
  }
}

std::vector<LoopParam> Lowering::loop_params(Builder& before) {
  std::vector<LoopParam> params;
  for (const PlanNode& node : plan_.nodes) {
    if (!node.is_output) continue;
    const auto output = static_cast<int>(params.size());
    const Type type{Type::kArray, prim_of(node.type), sizes(node.shape)};
    const bool is_scalar = type.shape.empty();
    // What only the last round is asked for begins as anything.
    Operand init = Const{type.elem, 0};
    Stored* carried = nullptr;
    for (size_t e = 0; e < plan_.externals.size(); ++e) {
      if (plan_.carried[e] == output) carried = &externals_[e];
    }
    if (carried) {
      init = carried->value;
    } else if (!is_scalar) {
      init = before.let1(type, Scratch{type.elem, type.shape}, "none");
    }
    const Name name = prog_.names.fresh("state");
    params.push_back({.param = {.name = name, .type = type, .unique = !is_scalar}, .init = init});
    if (carried) carried->value = name;
  }
  return params;
}

Body Lowering::loop_around(Builder& before, std::vector<LoopParam> params, Name round,
                           Operand rounds, std::vector<Operand> results) {
  std::vector<Type> types;
  for (const LoopParam& each : params) types.push_back(each.param.type);
  Loop loop{.form = Loop::kFor,
            .params = std::move(params),
            .var = {.name = round, .type = scalar_type(Prim::kI64)},
            .bound = std::move(rounds),
            .body = top_.b.finish(std::move(results))};
  const std::vector<Name> last = before.let(std::move(types), std::move(loop), "last");
  return before.finish({last.begin(), last.end()});
}

}  // namespace skald::lazy
