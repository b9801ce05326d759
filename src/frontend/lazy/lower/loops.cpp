// SPDX-License-Identifier: Apache-2.0
// Plans that are loops: the nodes of one round become the body.
#include <algorithm>

#include "frontend/lazy/lower/lowering.h"
#include "support/bug.h"

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

std::vector<LoopParam> Lowering::loop_params() {
  std::vector<LoopParam> params;
  for (const PlanNode& node : plan_.nodes) {
    if (!node.is_output) continue;
    const auto output = static_cast<int>(params.size());
    const Type type{Type::kArray, prim_of(node.type), sizes(node.shape)};
    const bool is_scalar = type.shape.empty();
    const auto carried = std::find(plan_.carried.begin(), plan_.carried.end(), output);
    SKALD_CHECK(carried != plan_.carried.end(), "a loop with a result that no round begins with");
    Stored& array = externals_[static_cast<size_t>(carried - plan_.carried.begin())];
    const Name name = prog_.names.fresh("state");
    params.push_back({.param = {.name = name, .type = type, .unique = !is_scalar}, .init = array.value});
    array.value = name;
  }
  return params;
}

Body Lowering::loop_around(std::vector<LoopParam> params, Name round, Operand rounds,
                           std::vector<Operand> results) {
  std::vector<Type> types;
  for (const LoopParam& each : params) types.push_back(each.param.type);
  Loop loop{.form = Loop::kFor,
            .params = std::move(params),
            .var = {.name = round, .type = scalar_type(Prim::kI64)},
            .bound = std::move(rounds),
            .body = top_.b.finish(std::move(results))};
  Builder whole(prog_);
  const std::vector<Name> last = whole.let(std::move(types), std::move(loop), "last");
  return whole.finish({last.begin(), last.end()});
}

}  // namespace skald::lazy
