// SPDX-License-Identifier: Apache-2.0
// Types and values, mostly such as are at hand.
#include "core/random/values.h"

#include <limits>

namespace skald::core::random {

Prim some_prim(Scope& scope) {
  // Mostly the common ones, so that values meet.
  constexpr Prim kCommon[] = {Prim::kI32, Prim::kI64, Prim::kF32, Prim::kBool};
  return scope.random.chance(70) ? kCommon[scope.random.below(4)]
                                 : kAllPrims[static_cast<size_t>(scope.random.below(12))];
}

Prim some_int_prim(Scope& scope) {
  return scope.random.chance(60) ? Prim::kI32
                                 : kAllPrims[static_cast<size_t>(scope.random.between(1, 8))];
}

Const some_constant(Scope& scope, Prim type) {
  if (type == Prim::kBool) return const_bool(scope.random.chance(50));
  if (is_float(type)) {
    if (scope.random.chance(85)) return const_float(type, scope.random.between(-8, 16) * 0.5);
    constexpr double kSpecial[] = {-0.0,
                                   1e-7,
                                   65504,
                                   3e38,
                                   1e300,
                                   0.1,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
    return const_float(type, kSpecial[scope.random.below(9)]);
  }
  if (scope.random.chance(85)) return const_int(type, scope.random.between(-3, 9));
  return const_int(type, static_cast<int64_t>(scope.random.next() >> scope.random.below(64)));
}

Operand some_scalar(Scope& scope, Prim type) {
  std::vector<Name> found;
  for (const Var& var : scope.vars)
    if (var.type == scalar_type(type)) found.push_back(var.name);
  if (found.empty() || scope.random.chance(20)) return some_constant(scope, type);
  // Prefer what was computed last, so that less is dead.
  const size_t last = found.size() > 4 && scope.random.chance(60) ? found.size() - 4 : 0;
  return found[last +
               static_cast<size_t>(scope.random.below(static_cast<int>(found.size() - last)))];
}

Operand some_value(Scope& scope, const Type& type) {
  if (type.is_scalar()) return some_scalar(scope, type.elem);
  if (const Var* var = scope.find_array([&](const Var& v) { return v.type == type; })) {
    // It may come to be shared.
    const Name name = var->name;
    scope.not_fresh(name);
    return name;
  }
  return scope.let(type, Replicate{type.shape, some_scalar(scope, type.elem)}, "rep");
}

Operand some_size(Scope& scope) {
  std::vector<Operand> found = {const_i64(scope.random.below(6))};
  for (const Var& var : scope.vars) {
    if (var.type.kind != Type::kArray) continue;
    for (const Operand& dim : var.type.shape) found.push_back(dim);
    if (scope.bounds.contains(var.name)) found.push_back(var.name);
  }
  const Operand size = scope.random.pick(found);
  return scope.bound(size) <= 64 ? size : Operand{const_i64(scope.random.below(6))};
}

Operand some_index(Scope& scope) {
  if (scope.random.chance(50)) return const_i64(scope.random.between(-1, 4));
  return some_scalar(scope, Prim::kI64);
}

Type some_type(Scope& scope) {
  Type type = scalar_type(some_prim(scope));
  if (scope.random.chance(25)) {
    type.shape.push_back(some_size(scope));
    if (scope.elements(type) * scope.work > kMaxElements) type.shape.clear();
  }
  return type;
}

Name some_array(Scope& scope, Prim elem, const Operand& width) {
  const Type type = array_of(width, scalar_type(elem));
  if (const Var* var = scope.find_array([&](const Var& v) { return v.type == type; }))
    return var->name;
  if (is_int(elem) && scope.random.chance(80))
    return scope.let(type, Iota{elem, width, some_scalar(scope, elem), some_constant(scope, elem)},
                     "iota", true);
  return scope.let(type, Replicate{{width}, some_scalar(scope, elem)}, "rep", true);
}

std::vector<std::pair<Operand, Type>> choose(Scope& scope, int count, uint32_t start) {
  const auto is_outer = [&](const Type& type) {
    for (const Operand& dim : type.shape)
      if (const Name* name = as_name(dim); name && name->id >= start) return false;
    return type.kind == Type::kArray;
  };
  std::vector<const Var*> inner;
  for (size_t i = scope.body_begin; i < scope.vars.size(); ++i)
    if (is_outer(scope.vars[i].type)) inner.push_back(&scope.vars[i]);
  std::vector<std::pair<Operand, Type>> chosen;
  for (int i = 0; i < count; ++i) {
    if (inner.empty() || scope.random.chance(10)) {
      const Prim type = some_prim(scope);
      chosen.emplace_back(some_scalar(scope, type), scalar_type(type));
      continue;
    }
    const size_t late = inner.size() > 3 && scope.random.chance(70) ? inner.size() - 3 : 0;
    const Var* var = inner[late + static_cast<size_t>(
                                      scope.random.below(static_cast<int>(inner.size() - late)))];
    chosen.emplace_back(var->name, var->type);
  }
  return chosen;
}

}  // namespace skald::core::random
