// SPDX-License-Identifier: Apache-2.0
// Plans that are loops: the nodes of one round become the body.
#include "frontend/lazy/lower/loops.h"

#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

using namespace core;

std::vector<Type> LoopShell::table_types(const Operand& rounds) const {
  std::vector<Type> types(plan_.changing_symbols.size(), {Type::kArray, Prim::kI64, {rounds}});
  for (const int scalar : plan_.changing_scalars) {
    const Prim type = prim_of(plan_.scalars[static_cast<size_t>(scalar)]);
    types.push_back({Type::kArray, type, {rounds}});
  }
  return types;
}

void LoopShell::read_tables(Builder& body, const std::vector<Name>& tables,
                            std::vector<Name>& symbols, std::vector<Name>& scalars) const {
  const auto at = [&](Name table, Prim type) {
    const DimSlice here{.is_index = true, .start = round_};
    return body.let1(scalar_type(type), Index{table, {here}}, "n");
  };
  size_t next = 0;
  for (const int symbol : plan_.changing_symbols)
    symbols[static_cast<size_t>(symbol)] = at(tables[next++], Prim::kI64);
  for (const int scalar : plan_.changing_scalars) {
    const auto number = static_cast<size_t>(scalar);
    scalars[number] = at(tables[next++], prim_of(plan_.scalars[number]));
  }
}

void LoopShell::carry(size_t external, const Type& type, Operand& value) {
  const int output = plan_.carried[external];
  if (output < 0) return;
  const auto number = static_cast<size_t>(output);
  if (params_.size() <= number) params_.resize(number + 1);
  const Name name = prog_.names.fresh("state");
  const bool is_array = !plan_.externals[external].shape.empty();
  params_[number] = {.param = {.name = name, .type = type, .unique = is_array}, .init = value};
  value = name;
}

Body LoopShell::close(Body body, const Operand& rounds) {
  std::vector<Type> types;
  for (const LoopParam& each : params_) types.push_back(each.param.type);
  Loop loop{.form = Loop::kFor,
            .params = std::move(params_),
            .var = {.name = round_, .type = scalar_type(Prim::kI64)},
            .bound = rounds,
            .body = std::move(body)};
  Builder whole(prog_);
  const std::vector<Name> last = whole.let(std::move(types), std::move(loop), "last");
  return whole.finish({last.begin(), last.end()});
}

}  // namespace skald::lazy
