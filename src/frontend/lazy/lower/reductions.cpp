// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions over axes, for one element of the result.
#include <algorithm>
#include <utility>

#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using namespace core;

Parts Lowering::sum_over(Scope& scope, const Operand& width, std::string_view op, DType type,
                         const Body& body) {
  const Name positions = scope.b.let1({Type::kArray, Prim::kI64, {width}},
                                      Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "is");
  Scope inner(prog_, &scope);
  const Name i = prog_.names.fresh("k");
  const Parts element = body(inner, {Affine::name(i)});
  const std::vector<Type> types(element.size(), scalar_type(prim_of(type)));
  Soac soac{.width = width,
            .inputs = {positions},
            .fn = {.params = {{.name = i, .type = scalar_type(Prim::kI64)}},
                   .results = {},
                   .body = inner.b.finish(element)}};
  for (const Type& each : types) soac.fn.results.push_back({.type = each});
  soac.reduces = combining(prog_, op, type);
  return as_parts(scope.b.let(types, std::move(soac), "sum"));
}

Parts Lowering::reduce_axes(Scope& scope, const PlanNode& node, const Shape& shape, size_t axis,
                            Indices& at) {
  while (axis < shape.size() && (node.axes >> axis & 1) == 0) ++axis;
  if (axis == shape.size()) return input(scope, node.inputs[0], at, node.compute_type);
  return sum_over(scope, number(shape[axis]), op_name_(node.op), node.compute_type,
                  [&](Scope& inner, const Indices& place) {
                    at[axis] = place[0];
                    return reduce_axes(inner, node, shape, axis + 1, at);
                  });
}

// Is a sum over several axes made of what is the same for all results, and of what belongs to one
// of them?  Then results that lie beside each other are summed in step, each element read once for
// all of them, and one loop does for all axes.
bool Lowering::is_separable(Scope& scope, const PlanNode& node, const Shape& shape, Indices at) {
  std::vector<uint32_t> summed;
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((node.axes >> i & 1) == 0) continue;
    const Name index = prog_.names.fresh("k");
    at[i] = Affine::name(index);
    if (!shape[i].is_one()) summed.push_back(index.id);
  }
  if (summed.size() < 2) return false;
  std::vector<Indices> reads;
  std::vector<Indices>* const outer = std::exchange(reads_, &reads);
  Scope trial(prog_, &scope);
  input(trial, node.inputs[0], at, node.compute_type);
  reads_ = outer;
  bool some_belong_to_one = false;
  for (const Indices& read : reads) {
    bool by_sum = false, by_result = false;
    for (const Affine& index : read) {
      for (const auto& [id, factor] : index.terms) {
        const bool is_summed = std::find(summed.begin(), summed.end(), id) != summed.end();
        (is_summed ? by_sum : by_result) = true;
      }
    }
    if (by_sum && by_result) return false;
    some_belong_to_one = some_belong_to_one || by_result;
  }
  return some_belong_to_one;
}

// One loop over all positions of the summed axes, in order.
Parts Lowering::reduce_at_once(Scope& scope, const PlanNode& node, const Shape& shape,
                               Indices& at) {
  Operand total = const_i64(1);
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((node.axes >> i & 1) != 0) total = top_.b.size_mul(total, number(shape[i]));
  }
  const auto body = [&](Scope& inner, const Indices& place) {
    Operand rest = operand(inner, place[0]);
    size_t open = static_cast<size_t>(std::popcount(node.axes));
    for (size_t i = shape.size(); i-- > 0;) {
      if ((node.axes >> i & 1) == 0) continue;
      const Operand size = number(shape[i]);
      const Operand index =
          --open == 0 ? rest : Operand(inner.b.binop(BinOpKind::kRem, Prim::kI64, rest, size));
      if (open > 0) rest = inner.b.binop(BinOpKind::kQuot, Prim::kI64, rest, size);
      const Name* name = as_name(index);
      at[i] = name ? Affine::name(*name) : Affine::number(0);
    }
    return input(inner, node.inputs[0], at, node.compute_type);
  };
  return sum_over(scope, total, op_name_(node.op), node.compute_type, body);
}

// All elements of the reduced axes, one after the other, from `axis` on: `value` at each of them.
static Parts written_out(const PlanNode& node, size_t axis, Indices& at,
                         const std::function<Parts()>& value,
                         const std::function<Parts(const Parts&, const Parts&)>& combine) {
  const auto& shape = node.target_shape;
  while (axis < shape.size() && (node.axes >> axis & 1) == 0) ++axis;
  if (axis == shape.size()) return value();
  Parts sum;
  for (int64_t i = 0; i < shape[axis].value; ++i) {
    at[axis] = Affine::number(i);
    const Parts next = written_out(node, axis + 1, at, value, combine);
    sum = i == 0 ? next : combine(sum, next);
  }
  return sum;
}

Parts Lowering::reduced(Scope& scope, const PlanNode& node, const Indices& kept) {
  const Shape& shape = node.target_shape;
  if (node.kind == NodeKind::kProduct) {
    return sum_over(scope, number(shape[0]), "add", node.type,
                    [&](Scope& inner, const Indices& place) {
                      Indices left = place, right = place;
                      if ((node.axes & 1) != 0) left.insert(left.begin(), kept.front());
                      if ((node.axes & 2) != 0) right.push_back(kept.back());
                      const Parts x = input(inner, node.inputs[0], left, node.type);
                      const Parts y = input(inner, node.inputs[1], right, node.type);
                      return lower_product(inner.b, node.type, x, y);
                    });
  }
  Indices at(shape.size());
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool reduces = (node.axes >> i & 1) != 0;
    if (!reduces) {
      at[i] = kept[next++];
    } else if (node.keeps_axes) {
      ++next;
    }
  }
  Parts sum;
  if (is_short_reduction(node, machine_)) {
    sum = written_out(
        node, 0, at, [&] { return input(scope, node.inputs[0], at, node.compute_type); },
        [&](const Parts& before, const Parts& after) -> Parts {
          const std::string_view op = op_name_(node.op);
          const Prim type = prim_of(node.compute_type);
          if (is_complex(node.compute_type))
            return lower_complex(scope.b, op, type, {before, after});
          return {lower_op(scope.b, op, type, {before[0], after[0]})};
        });
  } else if (!kept.empty() && is_separable(scope, node, shape, at)) {
    sum = reduce_at_once(scope, node, shape, at);
  } else {
    sum = reduce_axes(scope, node, shape, 0, at);
  }
  return converted(scope.b, node.compute_type, node.type, std::move(sum));
}

}  // namespace skald::lazy
