// SPDX-License-Identifier: Apache-2.0
// xs <- writes: a copy of a sequence with other elements at some places.
#include "frontend/nesl/elaborate/values/columns.h"

namespace skald::nesl {

namespace {

struct Write {
  Operand target, value;
  Prim prim;
};

// Pairs up the columns; inner elements of the values follow those of the target.
void add_writes(Code& code, const ShapeRef& shape, const Value& target, const Value& values,
                size_t& at, std::vector<Write>& writes, std::vector<Operand>& shared) {
  if (shape->is_scalar()) {
    writes.push_back({target.parts[at], values.parts[at], prim_of(shape->kind)});
    ++at;
  } else if (shape->kind == Shape::kSequence) {
    const Operand& before = target.parts[at + 2];
    const Operand moved = code.map(
        length_of(values), {values.parts[at]}, {Prim::kI64}, {Prim::kI64},
        [&](const std::vector<Operand>& x) { return std::vector{code.add(x[0], before)}; })[0];
    writes.push_back({target.parts[at], moved, Prim::kI64});
    writes.push_back({target.parts[at + 1], values.parts[at + 1], Prim::kI64});
    const auto inner = [&](const Value& v) {
      const auto begin = v.parts.begin() + static_cast<std::ptrdiff_t>(at) + 2;
      return Value{shape, {begin, begin + static_cast<std::ptrdiff_t>(part_count(*shape))}};
    };
    const Value both = appended(code, inner(target), inner(values));
    shared.insert(shared.end(), both.parts.begin(), both.parts.end());
    at += column_count(*shape);
  } else {
    for (const ShapeRef& arg : shape->args)
      add_writes(code, arg, target, values, at, writes, shared);
  }
}

// A copy of each target with the values at the indices.
std::vector<Name> scattered(Code& code, const Operand& n, const Value& indices,
                            const std::vector<Write>& writes) {
  core::Scatter scatter;
  scatter.width = length_of(indices);
  scatter.inputs = {*core::as_name(indices.parts[1])};
  const Name index = code.fresh("i");
  scatter.fn.params = {{index, core::scalar_type(Prim::kI64)}};
  std::vector<Operand> results(writes.size(), index);
  for (size_t k = 0; k < writes.size(); ++k)
    scatter.fn.results.push_back({{}, core::scalar_type(Prim::kI64)});
  std::vector<core::Type> types;
  for (const Write& write : writes) {
    const core::Type type = core::scalar_type(write.prim);
    scatter.inputs.push_back(*core::as_name(write.value));
    scatter.fn.params.push_back({code.fresh("v"), type});
    scatter.fn.results.push_back({{}, type});
    results.emplace_back(scatter.fn.params.back().name);
    scatter.dests.push_back({{n}, *core::as_name(write.target)});
    types.push_back(array_type(n, write.prim));
  }
  scatter.fn.body = code.block([&] { return results; });
  return code.builder().let(std::move(types), std::move(scatter), "new");
}

// Where several write to one place, one of them writes all columns: others do the same as it does.
void agree(Code& code, const Operand& n, const Value& indices, std::vector<Write>& writes) {
  const Operand& width = length_of(indices);
  const Name nobody =
      code.builder().let1(array_type(n, Prim::kI64), core::Scratch{Prim::kI64, {n}}, "nobody");
  const Name writer = scattered(code, n, indices, {{nobody, code.iota(width), Prim::kI64}}).front();
  std::vector<Prim> prims;
  for (const Write& write : writes) prims.push_back(write.prim);
  const std::vector<Operand> agreed = code.map(
      width, {indices.parts[1]}, {Prim::kI64}, prims, [&](const std::vector<Operand>& index) {
        const Operand chosen = code.read(writer, Prim::kI64, index[0]);
        std::vector<Operand> row;
        for (const Write& write : writes) row.push_back(code.read(write.value, write.prim, chosen));
        return row;
      });
  for (size_t k = 0; k < writes.size(); ++k) writes[k].value = agreed[k];
}

}  // namespace

Value written(Code& code, const Value& target, const Value& indices, const Value& values) {
  std::vector<Write> writes;
  std::vector<Operand> shared;
  size_t at = 1;
  add_writes(code, element_of(target), target, values, at, writes, shared);
  const Operand& n = length_of(target);
  if (writes.size() > 1) agree(code, n, indices, writes);
  for (Write& write : writes) write.target = code.copy(write.target, write.prim, n);
  const std::vector<Name> arrays = scattered(code, n, indices, writes);
  Value result = with_rows(target, n, {arrays.begin(), arrays.end()});
  const std::vector<ColumnPart> layout = column_layout(*element_of(target));
  for (size_t k = 0, next = 0; k < layout.size(); ++k)
    if (!layout[k].is_row()) result.parts[k + 1] = shared[next++];
  return result;
}

}  // namespace skald::nesl
