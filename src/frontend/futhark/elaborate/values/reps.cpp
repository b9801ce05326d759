// SPDX-License-Identifier: Apache-2.0
// Pairs of shapes are walked along the first; where the second differs it says nothing.
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

RepPtr zip_dims(const RepPtr& a, const RepPtr& b, const DimMerge& f) {
  switch (a->kind) {
    case Rep::kArray: {
      bool same = b && b->kind == Rep::kArray;
      Dim dim = f(a->dim, same ? &b->dim : nullptr);
      return array_rep(std::move(dim), zip_dims(a->elem, same ? b->elem : nullptr, f));
    }
    case Rep::kRecord: {
      auto fields = a->fields;
      bool same = b && b->kind == Rep::kRecord && b->fields.size() == fields.size();
      for (size_t i = 0; i < fields.size(); ++i)
        fields[i].second = zip_dims(fields[i].second, same ? b->fields[i].second : nullptr, f);
      return record_rep(std::move(fields));
    }
    case Rep::kSum: {
      Rep out = *a;
      bool same = b && b->kind == Rep::kSum && b->constrs.size() == out.constrs.size();
      for (size_t i = 0; i < out.constrs.size(); ++i)
        for (size_t j = 0; j < out.constrs[i].second.size(); ++j) {
          bool has = same && j < b->constrs[i].second.size();
          out.constrs[i].second[j] =
              zip_dims(out.constrs[i].second[j], has ? b->constrs[i].second[j] : nullptr, f);
        }
      return std::make_shared<const Rep>(std::move(out));
    }
    default: return a;
  }
}

static void collect_unique(const Type* type, const Rep& rep, bool inherited,
                           std::vector<bool>& out) {
  bool unique = inherited || (type && type->unique);
  if (rep.kind == Rep::kRecord) {
    for (const auto& [name, r] : rep.fields) {
      const Type* t = nullptr;
      if (type && type->kind == Type::kRecord)
        for (const auto& field : type->fields)
          if (field.first == name) t = field.second;
      collect_unique(t, *r, unique, out);
    }
    return;
  }
  out.insert(out.end(), static_cast<size_t>(leaf_count(rep)), unique);
}

std::vector<bool> unique_leaves(const Type* type, const RepPtr& rep) {
  std::vector<bool> out;
  collect_unique(type, *rep, false, out);
  return out;
}

bool contains_arrow(const Type& type) {
  switch (type.kind) {
    case Type::kArrow: return true;
    case Type::kArray: return contains_arrow(*type.elem);
    case Type::kRecord:
      for (const auto& field : type.fields)
        if (contains_arrow(*field.second)) return true;
      return false;
    case Type::kSum:
      for (const auto& constr : type.constrs)
        for (const Type* t : constr.second)
          if (contains_arrow(*t)) return true;
      return false;
    default: return false;
  }
}

size_t constr_index(const Rep& sum, std::string_view name) {
  SKALD_CHECK(sum.kind == Rep::kSum, "a constructor pattern on something that is no sum");
  for (size_t i = 0; i < sum.constrs.size(); ++i)
    if (sum.constrs[i].first == name) return i;
  SKALD_BUG("no constructor {}", name);
}

ValuePtr payload(const Value& sum, size_t constr, size_t index) {
  SumLayout layout = sum_layout(*sum.rep);
  const auto& parts = sum.rep->constrs.at(constr).second;
  size_t first = 0;
  for (size_t i = 0; i < index; ++i) first += static_cast<size_t>(leaf_count(*parts[i]));
  auto count = static_cast<size_t>(leaf_count(*parts.at(index)));
  std::vector<Operand> leaves;
  for (size_t i = 0; i < count; ++i)
    leaves.push_back(sum.leaves.at(1 + static_cast<size_t>(layout.leaves[constr].at(first + i))));
  return make_value(parts[index], leaves);
}

ValuePtr project(const ValuePtr& v, const std::string& field) {
  const ValuePtr* found = v->kind == Value::kRecord ? find_field(*v, field) : nullptr;
  SKALD_CHECK(found, "no field {}", field);
  return *found;
}

}  // namespace skald::futhark::elab
