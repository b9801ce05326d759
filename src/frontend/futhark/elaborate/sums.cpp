// SPDX-License-Identifier: Apache-2.0
// Sum values: an i8 tag and slots for the payloads (values.h: SumLayout).
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

size_t Elaborator::constr_index(const Rep& sum, std::string_view name) {
  SKALD_CHECK(sum.kind == Rep::kSum, "a constructor pattern on something that is no sum");
  for (size_t i = 0; i < sum.constrs.size(); ++i)
    if (sum.constrs[i].first == name) return i;
  SKALD_BUG("no constructor {}", name);
}

ValuePtr Elaborator::constr_exp(const Exp& e, const EConstr& c, const Env& env) {
  std::vector<ValuePtr> args;
  for (const auto& arg : c.args) args.push_back(exp(*arg, env));
  RepPtr rep = resolve(e.type, env);
  size_t constr = constr_index(*rep, c.name.name);
  // The payload at hand tells its own sizes.
  Rep known = *rep;
  known.constrs[constr].second.clear();
  for (const auto& arg : args) known.constrs[constr].second.push_back(rep_of(*arg));
  rep = std::make_shared<const Rep>(std::move(known));
  if (!is_first_order(*rep)) {
    Value v;
    v.kind = Value::kSum;
    v.rep = rep;
    v.constr = c.name.name;
    for (auto& arg : args) v.fields.emplace_back("", arg);
    return std::make_shared<const Value>(std::move(v));
  }
  rep = force(rep);
  SumLayout layout = sum_layout(*rep);
  std::vector<Operand> payload;
  for (const auto& arg : args) append_leaves(*arg, payload);
  std::vector<Operand> leaves = {core::const_int(Prim::kI8, static_cast<int64_t>(constr))};
  for (size_t slot = 0; slot < layout.slots.size(); ++slot) {
    const std::vector<int>& used = layout.leaves[constr];
    size_t i = 0;
    while (i < used.size() && used[i] != static_cast<int>(slot)) ++i;
    if (i < used.size()) {
      leaves.push_back(payload.at(i));
    } else if (layout.slots[slot].is_scalar()) {
      leaves.emplace_back(core::Const{layout.slots[slot].elem, 0});
    } else {
      const core::Type& type = layout.slots[slot];
      leaves.push_back(emit1(type, core::Scratch{type.elem, type.shape}, "blank"));
    }
  }
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::payload(const Value& sum, size_t constr, size_t index) {
  SumLayout layout = sum_layout(*sum.rep);
  const auto& parts = sum.rep->constrs.at(constr).second;
  size_t first = 0;
  for (size_t i = 0; i < index; ++i) first += static_cast<size_t>(leaf_count(*parts[i]));
  auto count = static_cast<size_t>(leaf_count(*parts.at(index)));
  std::vector<Operand> leaves;
  for (size_t i = 0; i < count; ++i)
    leaves.push_back(sum.leaves.at(1 + static_cast<size_t>(layout.leaves[constr].at(first + i))));
  return make_value(parts[index], std::move(leaves));
}

}  // namespace skald::futhark::elab
