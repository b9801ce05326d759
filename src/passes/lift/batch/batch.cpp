// SPDX-License-Identifier: Apache-2.0
// Where the local values of a batch are.
#include "passes/lift/batch/batch.h"

#include "core/ir/visit.h"

namespace skald::passes::lift {

using namespace core;

Lifted in_rows(Name rows) {
  Lifted value;
  value.kind = Lifted::kRows;
  value.rows = rows;
  return value;
}

Batch same_instances(const Batch& b) {
  Batch same;
  same.width = b.width;
  same.parent = &b;
  same.depth = b.depth;
  return same;
}

void Batch::bind_rows(const std::vector<Param>& params, const std::vector<Name>& arrays) {
  for (size_t k = 0; k < params.size(); ++k) bind(params[k].name, in_rows(arrays[k]));
}

Found Batch::find(Name name) const {
  for (const Batch* at = this; at != nullptr; at = at->parent)
    if (const auto found = at->values.find(name); found != at->values.end())
      return {at, &found->second};
  return {};
}

std::optional<Operand> Batch::host_operand(const Operand& operand) const {
  const Name* name = as_name(operand);
  if (name == nullptr) return operand;
  const Found found = find(*name);
  if (found.value == nullptr) return operand;
  if (found.value->kind == Lifted::kHost) return found.value->host;
  return std::nullopt;
}

Type Batch::host_type(Type type) const {
  for (Operand& dim : type.shape)
    if (const auto host = host_operand(dim)) dim = *host;
  return type;
}

Form Batch::form_of(const Type& type) const {
  if (type.kind == Type::kAcc) return Form::kHost;
  bool inner = true, all = true;
  for (size_t k = 0; k < type.shape.size(); ++k) {
    const bool host = host_operand(type.shape[k]).has_value();
    all = all && host;
    if (k > 0) inner = inner && host;
  }
  if (all) return Form::kRegular;
  return inner ? Form::kSegments : Form::kFlatSegments;
}

Form Batch::form_of(const Param& p) const {
  if (p.type.kind == Type::kAcc) return Form::kHost;
  if (p.type.is_scalar())
    if (const auto own = values.find(p.name);
        own != values.end() && own->second.kind == Lifted::kHost)
      return Form::kHost;
  return form_of(p.type);
}

}  // namespace skald::passes::lift
