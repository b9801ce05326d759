// SPDX-License-Identifier: Apache-2.0
// Accumulators inside records.
#include "frontend/futhark/elaborate/values/accs.h"

#include <algorithm>

namespace skald::futhark::elab {

RepPtr map_acc_sizes(const RepPtr& rep, const std::function<Operand(const Operand&)>& f) {
  if (rep->kind == Rep::kRecord) {
    auto fields = rep->fields;
    for (auto& field : fields) field.second = map_acc_sizes(field.second, f);
    return record_rep(std::move(fields));
  }
  if (rep->kind != Rep::kAcc) return rep;
  Rep out = *rep;
  for (Operand& dim : out.acc.shape) dim = f(dim);
  for (core::Type& elem : out.acc.acc_elems)
    for (Operand& dim : elem.shape) dim = f(dim);
  return std::make_shared<const Rep>(std::move(out));
}

void add_accs(const Value& v, std::vector<RepPtr>& out) {
  if (v.kind == Value::kRecord)
    for (const auto& field : v.fields) add_accs(*field.second, out);
  if (v.kind == Value::kDyn && v.rep->kind == Rep::kAcc) out.push_back(v.rep);
}

RepPtr with_accs(const RepPtr& rep, const std::vector<RepPtr>& accs, size_t& next) {
  if (rep->kind == Rep::kRecord) {
    auto fields = rep->fields;
    for (auto& field : fields) field.second = with_accs(field.second, accs, next);
    return record_rep(std::move(fields));
  }
  if (rep->kind != Rep::kUnknown || accs.empty()) return rep;
  return accs[std::min(next++, accs.size() - 1)];
}

bool contains_acc(const Value& v) {
  if (v.kind == Value::kRecord) {
    for (const auto& field : v.fields)
      if (contains_acc(*field.second)) return true;
    return false;
  }
  return v.kind == Value::kDyn && v.rep->kind == Rep::kAcc;
}

}  // namespace skald::futhark::elab
