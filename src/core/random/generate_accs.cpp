// SPDX-License-Identifier: Apache-2.0
// Random writes to accumulators: several in one iteration, under branches, in loops and in maps
// inside, as often as a value that the program computes says.
#include "core/random/generator.h"

namespace skald::core::detail {

void Generator::with_acc_stmt() {
  const auto dest = consumable();
  if (!dest || dest->type.rank() != 1 || is_float(dest->type.elem)) {
    if (dest) env_.push_back(*dest);
    return;
  }
  const Prim elem = dest->type.elem;
  const Operand length = dest->type.shape[0];
  AccInput acc{.shape = {length}, .arrays = {dest->name}, .op = {}};
  // Without an operator some write survives: all write the same.
  std::optional<Const> written;
  if (random_.chance(25))
    written = constant(elem);
  else
    acc.op.push_back(simple_operator(elem, true).op);
  auto input = rows(2);
  if (!input) {
    env_.push_back(*dest);
    return;
  }
  Type type{Type::kAcc};
  type.shape = {length};
  type.acc_elems = {scalar_type(elem)};
  const Param outer = {.name = prog_.names.fresh("acc"), .type = type};
  WithAcc e;
  e.inputs.push_back(std::move(acc));
  e.fn.params = {outer};
  e.fn.results = {{.type = type}};
  e.fn.body = body([&]() -> std::vector<Operand> {
    return {accumulating_map(outer.name, type, std::move(*input), written, 0)};
  });
  lets({{.name = prog_.names.fresh("accd"), .type = dest->type}}, std::move(e));
}

Name Generator::accumulating_map(Name acc, const Type& type, Rows input,
                                 const std::optional<Const>& written, int depth) {
  const Param inner = {.name = prog_.names.fresh("acc"), .type = type};
  Soac map{.width = input.width, .inputs = {acc}};
  map.inputs.insert(map.inputs.end(), input.inputs.begin(), input.inputs.end());
  map.fn.params = {inner};
  map.fn.params.insert(map.fn.params.end(), input.params.begin(), input.params.end());
  map.fn.results = {{.type = type}};
  const int64_t outer_work = std::exchange(work_, work_ * bound(input.width));
  map.fn.body = body([&]() -> std::vector<Operand> {
    for (const Param& p : input.params) env_.push_back({p.name, p.type, false});
    statements(random_.between(0, 3));
    return {writes(inner.name, type, written, depth)};
  });
  work_ = outer_work;
  return out_->let1(type, std::move(map), "acc");
}

// Some writes to the accumulator; gives what it is afterwards.
Name Generator::writes(Name acc, const Type& type, const std::optional<Const>& written, int depth) {
  const int kind = depth >= 3 ? 0 : random_.below(10);
  if (kind < 4) {
    const Operand at = index();
    const Operand value = written ? Operand{*written} : scalar(type.acc_elems[0].elem);
    return out_->let1(type, UpdateAcc{acc, {at}, {value}}, "acc");
  }
  if (kind < 6) {
    const Name first = writes(acc, type, written, depth + 1);
    return writes(first, type, written, depth + 1);
  }
  const auto side = [&](bool may_skip) {
    return body([&]() -> std::vector<Operand> {
      if (may_skip && random_.chance(50)) return {acc};
      statements(random_.below(3));
      return {writes(acc, type, written, depth + 1)};
    });
  };
  if (kind < 8) {
    const Operand cond = scalar(Prim::kBool);
    Body then_body = side(false);
    Body else_body = side(true);
    return out_->let1(type, If{cond, std::move(then_body), std::move(else_body)}, "acc");
  }
  if (kind == 8) {
    if (auto input = rows(2))
      return accumulating_map(acc, type, std::move(*input), written, depth + 1);
  }
  // As many rounds as some value says.
  if (!affordable(Operand{const_i64(4)})) return writes(acc, type, written, 3);
  const Operand some = index();
  Loop e;
  e.bound = binop(BinOpKind::kAnd, Prim::kI64, some, const_i64(3), "rounds");
  const Param carried = {.name = prog_.names.fresh("acc"), .type = type};
  e.params = {{carried, acc}};
  e.var = {.name = prog_.names.fresh("i"), .type = scalar_type(Prim::kI64)};
  const int64_t outer_work = std::exchange(work_, work_ * 4);
  const bool more = random_.chance(20);
  const Param other = {.name = prog_.names.fresh("x"), .type = scalar_type(Prim::kI64)};
  if (more) e.params.push_back({other, some});
  e.body = body([&]() -> std::vector<Operand> {
    env_.push_back({e.var.name, e.var.type, false});
    if (more) env_.push_back({other.name, other.type, false});
    statements(random_.below(3));
    std::vector<Operand> results = {writes(carried.name, type, written, depth + 1)};
    if (more) results.push_back(index());
    return results;
  });
  work_ = outer_work;
  std::vector<Type> types = {type};
  if (more) types.push_back(other.type);
  return out_->let(types, std::move(e), "acc")[0];
}

}  // namespace skald::core::detail
