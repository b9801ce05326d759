// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/check/types.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "support/bug.h"

namespace skald::nesl {

ClassSet class_from_name(std::string_view name) {
  if (name == "any") return kAnyClass;
  if (name == "number") return kNumberClass;
  if (name == "ordinal") return kOrdinalClass;
  if (name == "logical") return kLogicalClass;
  return 0;
}

std::string class_name(ClassSet set) {
  if (set == kAnyClass) return "any";
  if (set == kNumberClass) return "number";
  if (set == kOrdinalClass) return "ordinal";
  if (set == kLogicalClass) return "logical";
  std::string names;
  for (const std::string_view each : {"int", "float", "bool", "char"})
    if ((set & base_bit(each)) != 0) names += (names.empty() ? "" : " or ") + std::string(each);
  return names;
}

ClassSet base_bit(std::string_view name) {
  if (name == "int") return kIntBit;
  if (name == "float") return kFloatBit;
  if (name == "bool") return kBoolBit;
  if (name == "char") return kCharBit;
  return 0;
}

TypeRef Types::variable(ClassSet members) {
  all_.push_back({});
  all_.back().members = members;
  return &all_.back();
}

TypeRef Types::make(std::string name, std::vector<TypeRef> args) {
  all_.push_back({std::move(name), std::move(args)});
  return &all_.back();
}

TypeRef resolved(TypeRef type) {
  // Chains become shorter on the way.
  for (; type->link != nullptr; type = type->link)
    if (type->link->link != nullptr) type->link = type->link->link;
  return type;
}

namespace {

// `seen` has no `variable` inside.
bool occurs(TypeRef variable, TypeRef type, std::unordered_set<TypeRef>& seen) {
  type = resolved(type);
  if (type == variable) return true;
  if (type->args.empty() || !seen.insert(type).second) return false;
  return std::ranges::any_of(type->args, [&](TypeRef arg) { return occurs(variable, arg, seen); });
}

// Takes as many from `left` as the type has parts.
void count_parts(TypeRef type, int& left) {
  type = resolved(type);
  --left;
  for (const TypeRef arg : type->args)
    if (left >= 0) count_parts(arg, left);
}

}  // namespace

bool is_larger(TypeRef type, int limit) {
  count_parts(type, limit);
  return limit < 0;
}

TypeRef Types::instantiate(TypeRef type) {
  std::map<TypeRef, TypeRef> fresh;
  return instantiate(type, fresh);
}

TypeRef Types::instantiate(TypeRef type, std::map<TypeRef, TypeRef>& fresh) {
  type = resolved(type);
  if (type->is_variable()) {
    TypeRef& copy = fresh[type];
    if (copy == nullptr) copy = variable(type->members);
    return copy;
  }
  if (type->args.empty()) return type;
  if (const auto known = fresh.find(type); known != fresh.end()) return known->second;
  std::vector<TypeRef> args;
  bool is_same = true;
  for (const TypeRef arg : type->args) {
    args.push_back(instantiate(arg, fresh));
    is_same = is_same && args.back() == resolved(arg);
  }
  return fresh[type] = is_same ? type : make(type->name, std::move(args));
}

bool Types::bind(TypeRef variable, TypeRef to) {
  if (to->is_variable()) {
    const ClassSet both = variable->members & to->members;
    if (both == 0) return false;
    variable->link = to;
    to->members = both;
    if (both != kAnyClass && std::has_single_bit(both)) to->link = base(class_name(both));
    return true;
  }
  if (variable->members != kAnyClass && (variable->members & base_bit(to->name)) == 0) return false;
  std::unordered_set<TypeRef> seen;
  if (occurs(variable, to, seen)) return false;
  variable->link = to;
  return true;
}

bool Types::unify(TypeRef a, TypeRef b) {
  a = resolved(a);
  b = resolved(b);
  if (a == b) return true;
  if (a->is_variable()) return bind(a, b);
  if (b->is_variable()) return bind(b, a);
  if (a->name != b->name || a->args.size() != b->args.size()) return false;
  for (size_t k = 0; k < a->args.size(); ++k)
    if (!unify(a->args[k], b->args[k])) return false;
  if (!a->args.empty() && a != b) a->link = b;
  return true;
}

namespace {

std::string variable_name(size_t number) {
  std::string name(1, static_cast<char>('a' + number % 26));
  return number < 26 ? name : name + std::to_string(number / 26);
}

// `left` is how many parts more may be shown.
std::string limited_text(TypeRef type, std::map<TypeRef, std::string>& names, int& left) {
  type = resolved(type);
  if (--left < 0) return "…";
  const auto text_of = [&](TypeRef part) { return limited_text(part, names, left); };
  if (type->is_variable()) {
    std::string& name = names[type];
    if (name.empty()) name = variable_name(names.size() - 1);
    return name;
  }
  if (type->name == "[]") return "[" + text_of(type->args[0]) + "]";
  if (type->name == "->") {
    // Not both in one expression: names are given from left to right.
    const std::string from = text_of(type->args[0]);
    return from + " -> " + text_of(type->args[1]);
  }
  if (type->name == ",") {
    std::string text = "(";
    while (type->name == "," && left > 0) {
      const bool is_function = resolved(type->args[0])->name == "->";
      const std::string first = text_of(type->args[0]);
      text += (is_function ? "(" + first + ")" : first) + ", ";
      type = resolved(type->args[1]);
    }
    return text + text_of(type) + ")";
  }
  std::string text = type->name;
  for (size_t k = 0; k < type->args.size(); ++k)
    text += (k == 0 ? "(" : ", ") + text_of(type->args[k]);
  return type->args.empty() ? text : text + ")";
}

// What is longer helps nobody.
constexpr int kShownParts = 2000;

}  // namespace

std::string type_text(TypeRef type, std::map<TypeRef, std::string>& names) {
  int left = kShownParts;
  return limited_text(type, names, left);
}

std::string type_text(TypeRef type) {
  std::map<TypeRef, std::string> names;
  std::string text = type_text(type, names);
  std::map<std::string, std::string> classes;
  for (const auto& [variable, name] : names)
    if (variable->members != kAnyClass) classes[name] = class_name(variable->members);
  std::string context;
  for (const auto& [name, members] : classes)
    context += (context.empty() ? "" : "; ") + name + " in " + members;
  return context.empty() ? text : text + " :: (" + context + ")";
}

}  // namespace skald::nesl
