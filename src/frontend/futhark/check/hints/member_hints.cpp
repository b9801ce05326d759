// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/hints/member_hints.h"

#include "frontend/futhark/check/hints/suggest.h"

namespace skald::futhark {

namespace {

std::vector<std::string> field_names(const Type& record) {
  std::vector<std::string> out;
  for (const auto& [name, field] : record.fields) out.push_back(name);
  return out;
}

}  // namespace

std::string missing_field_text(const std::string& name, const Type& record) {
  if (record.fields.empty()) return "The empty tuple has no field " + quote(name);
  if (is_tuple(record))
    return "This tuple has no field " + quote(name) + ": its fields are numbered 0 to " +
           std::to_string(record.fields.size() - 1);
  return "This record has no field " + quote(name) +
         fmt::format(": it has {}", fmt::join(field_names(record), ", "));
}

std::string field_hint(const std::string& name, const Type& record) {
  if (is_tuple(record) && !record.fields.empty())
    return "`let (a, b) = …` takes a tuple apart; `.0` is its first part";
  return did_you_mean(nearest(name, field_names(record)));
}

std::string no_record_hint(const std::string& name, const Type& type) {
  // Shorter names are those of fields.
  if (type.kind == Type::kPrim && name.size() > 2)
    return "a function stands in front of its argument, as in `" +
           std::string(prim_name(type.prim)) + ".abs x`";
  if (type.kind != Type::kArray) return {};
  // People who know objects ask an array for it.
  for (const char* word : {"length", "len", "size", "count"})
    if (name == word) return "the number of elements is `length xs`";
  return {};
}

std::string constr_hint(const std::string& name, const Type& sum) {
  std::vector<std::string> have;
  for (const auto& [constr, payload] : sum.constrs) have.push_back(constr);
  std::vector<std::string> near = nearest(name, have);
  for (std::string& n : near) n = "#" + n;
  return did_you_mean(near);
}

}  // namespace skald::futhark
