// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/elaborate/effects.h"

namespace skald::nesl {

bool is_operation(const std::string& primitive) {
  return primitive.starts_with("do_");
}

void Effects::add(const Effects& other) {
  values.insert(other.values.begin(), other.values.end());
  random = random || other.random;
  prints = prints || other.prints;
  acts = acts || other.acts;
}

void EffectTable::walk_global(int global, std::set<int>& functions, Effects& effects) {
  const Global& what = program_.globals[static_cast<size_t>(global)];
  if (what.kind == Global::kValue) {
    effects.values.insert(global);
    if (const auto held = held_.find(global); held != held_.end()) effects.add(held->second);
  }
  if (what.kind == Global::kPrimitive) {
    effects.random = effects.random || what.name == "rand" || what.name == "rand_seed";
    effects.prints = effects.prints || what.name == "print_string";
    effects.acts = effects.acts || is_operation(what.name);
  }
  if (what.kind == Global::kFunction && functions.insert(global).second)
    walk(*what.def->body, functions, effects);
}

void EffectTable::walk(const Exp& exp, std::set<int>& functions, Effects& effects) {
  if (const auto found = program_.references.find(&exp); found != program_.references.end())
    walk_global(found->second, functions, effects);
  effects.acts = effects.acts || std::holds_alternative<Time>(exp.node);
  if (const auto full = program_.full_arguments.find(&exp); full != program_.full_arguments.end())
    walk(*full->second, functions, effects);
  for_each_child(exp, [&](const Exp& child) { walk(child, functions, effects); });
}

Effects EffectTable::of(const Exp& exp) {
  Effects effects;
  std::set<int> functions;
  walk(exp, functions, effects);
  return effects;
}

Effects EffectTable::of_global(int global) {
  if (const auto found = known_.find(global); found != known_.end()) return found->second;
  Effects effects;
  std::set<int> functions;
  walk_global(global, functions, effects);
  return known_[global] = effects;
}

void EffectTable::value_has(int global, const Shape& shape) {
  held_[global] = of_shape(shape);
}

Effects EffectTable::of_shape(const Shape& shape) {
  std::vector<const Shape*> functions;
  collect_functions(shape, functions);
  Effects effects;
  for (const Shape* each : functions)
    effects.add(each->lambda != nullptr ? of(*each->lambda) : of_global(each->global));
  return effects;
}

}  // namespace skald::nesl
