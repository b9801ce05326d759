// SPDX-License-Identifier: Apache-2.0
// Random writes to accumulators: several in one iteration, under branches, in loops and in maps
// inside, as often as a value that the program computes says.
#include "core/random/statements.h"
#include "core/random/values.h"

namespace skald::core::random {

// Some writes to the accumulator; gives what it is afterwards.  `written`: the only value that is
// written, if there is no operator.
static Name writes(Scope& scope, Name acc, const Type& type, const std::optional<Const>& written,
                   int depth);

static Name accumulating_map(Scope& scope, Name acc, const Type& type, Rows input,
                             const std::optional<Const>& written, int depth) {
  const Param inner = {.name = scope.prog.names.fresh("acc"), .type = type};
  Soac map{.width = input.width, .inputs = {acc}};
  map.inputs.insert(map.inputs.end(), input.inputs.begin(), input.inputs.end());
  map.fn.params = {inner};
  map.fn.params.insert(map.fn.params.end(), input.params.begin(), input.params.end());
  map.fn.results = {{.type = type}};
  const int64_t outer_work = std::exchange(scope.work, scope.work * scope.bound(input.width));
  map.fn.body = scope.body([&]() -> std::vector<Operand> {
    for (const Param& p : input.params) scope.vars.push_back({p.name, p.type, false});
    statements(scope, scope.random.between(0, 3));
    return {writes(scope, inner.name, type, written, depth)};
  });
  scope.work = outer_work;
  return scope.out->let1(type, std::move(map), "acc");
}

static Name writes(Scope& scope, Name acc, const Type& type, const std::optional<Const>& written,
                   int depth) {
  const int kind = depth >= 3 ? 0 : scope.random.below(10);
  if (kind < 4) {
    const Operand at = some_index(scope);
    const Operand value = written ? Operand{*written} : some_scalar(scope, type.acc_elems[0].elem);
    return scope.out->let1(type, UpdateAcc{acc, {at}, {value}}, "acc");
  }
  if (kind < 6) {
    const Name first = writes(scope, acc, type, written, depth + 1);
    return writes(scope, first, type, written, depth + 1);
  }
  const auto side = [&](bool may_skip) {
    return scope.body([&]() -> std::vector<Operand> {
      if (may_skip && scope.random.chance(50)) return {acc};
      statements(scope, scope.random.below(3));
      return {writes(scope, acc, type, written, depth + 1)};
    });
  };
  if (kind < 8) {
    const Operand cond = some_scalar(scope, Prim::kBool);
    Body then_body = side(false);
    Body else_body = side(true);
    return scope.out->let1(type, If{cond, std::move(then_body), std::move(else_body)}, "acc");
  }
  if (kind == 8) {
    if (auto input = some_rows(scope, 2))
      return accumulating_map(scope, acc, type, std::move(*input), written, depth + 1);
  }
  // As many rounds as some value says.
  if (!scope.affordable(Operand{const_i64(4)})) return writes(scope, acc, type, written, 3);
  const Operand some = some_index(scope);
  Loop e;
  e.bound = scope.binop(BinOpKind::kAnd, Prim::kI64, some, const_i64(3), "rounds");
  const Param carried = {.name = scope.prog.names.fresh("acc"), .type = type};
  e.params = {{carried, acc}};
  e.var = {.name = scope.prog.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const int64_t outer_work = std::exchange(scope.work, scope.work * 4);
  const bool more = scope.random.chance(20);
  const Param other = {.name = scope.prog.names.fresh("x"), .type = scalar_type(Prim::kI64)};
  if (more) e.params.push_back({other, some});
  e.body = scope.body([&]() -> std::vector<Operand> {
    scope.vars.push_back({e.var.name, e.var.type, false});
    if (more) scope.vars.push_back({other.name, other.type, false});
    statements(scope, scope.random.below(3));
    std::vector<Operand> results = {writes(scope, carried.name, type, written, depth + 1)};
    if (more) results.push_back(some_index(scope));
    return results;
  });
  scope.work = outer_work;
  std::vector<Type> types = {type};
  if (more) types.push_back(other.type);
  return scope.out->let(types, std::move(e), "acc")[0];
}

void with_acc_stmt(Scope& scope) {
  const auto dest = scope.consumable();
  if (!dest || dest->type.rank() != 1 || is_float(dest->type.elem)) {
    if (dest) scope.vars.push_back(*dest);
    return;
  }
  const Prim elem = dest->type.elem;
  const Operand length = dest->type.shape[0];
  AccInput acc{.shape = {length}, .arrays = {dest->name}, .op = {}};
  // Without an operator some write survives: all write the same.
  std::optional<Const> written;
  if (scope.random.chance(25))
    written = some_constant(scope, elem);
  else
    acc.op.push_back(simple_operator(scope, elem, true).op);
  auto input = some_rows(scope, 2);
  if (!input) {
    scope.vars.push_back(*dest);
    return;
  }
  Type type{Type::kAcc};
  type.shape = {length};
  type.acc_elems = {scalar_type(elem)};
  const Param outer = {.name = scope.prog.names.fresh("acc"), .type = type};
  WithAcc e;
  e.inputs.push_back(std::move(acc));
  e.fn.params = {outer};
  e.fn.results = {{.type = type}};
  e.fn.body = scope.body([&]() -> std::vector<Operand> {
    return {accumulating_map(scope, outer.name, type, std::move(*input), written, 0)};
  });
  scope.lets({{.name = scope.prog.names.fresh("accd"), .type = dest->type}}, std::move(e));
}

}  // namespace skald::core::random
