// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/lower/rest.h"

namespace skald::lazy {

using namespace core;

std::vector<Slab> slabs_around(Builder& b, const std::vector<Operand>& shape, const Slab& box) {
  const auto part = [](const Operand& start, const Operand& count) {
    return DimSlice{.is_index = false, .start = start, .count = count};
  };
  std::vector<Slab> slabs;
  Slab around;
  for (const Operand& extent : shape) around.push_back(part(const_i64(0), extent));
  for (size_t k = 0; k < box.size(); ++k) {
    const bool from_start = box[k].start == Operand{const_i64(0)};
    if (!from_start) {
      around[k] = part(const_i64(0), box[k].start);
      slabs.push_back(around);
    }
    if (!from_start || !(box[k].count == shape[k])) {
      const Operand end = b.size_add(box[k].start, box[k].count);
      around[k] = part(end, b.size_sub(shape[k], end));
      slabs.push_back(around);
    }
    around[k] = box[k];
  }
  return slabs;
}

// Points find out which slab they belong to.
Name with_slabs(Scope& outer, const Type& type, Name into, const std::vector<Slab>& slabs,
                const ValueAt& value) {
  Builder& top = outer.b;
  const size_t rank = type.shape.size();
  std::vector<Operand> ends;  // of the slabs, in points
  for (const Slab& slab : slabs) {
    Operand size = const_i64(1);
    for (const DimSlice& dim : slab) size = top.size_mul(size, dim.count);
    ends.push_back(ends.empty() ? size : top.size_add(ends.back(), size));
  }
  const Name positions = top.let1({Type::kArray, Prim::kI64, {ends.back()}},
                                  Iota{Prim::kI64, ends.back(), const_i64(0), const_i64(1)}, "is");
  Scope inner(top.program(), &outer);
  Builder& b = inner.b;
  const Name point = top.names().fresh("i");
  // What is so for the slab of the point.
  const auto of_slab = [&](const std::function<Operand(size_t slab)>& known) {
    Operand chosen = known(slabs.size() - 1);
    for (size_t s = slabs.size() - 1; s-- > 0;) {
      const Operand before = b.cmpop(CmpOpKind::kLt, Prim::kI64, point, ends[s]);
      chosen = b.let1(scalar_type(Prim::kI64), Select{before, known(s), chosen}, "chosen");
    }
    return chosen;
  };
  const Operand first = of_slab([&](size_t s) { return s == 0 ? const_i64(0) : ends[s - 1]; });
  Operand rest = b.size_sub(point, first);
  std::vector<Operand> results(rank);
  for (size_t k = rank; k-- > 0;) {
    Operand index = rest;
    if (k > 0) {
      const Operand count = of_slab([&](size_t s) { return slabs[s][k].count; });
      const Operand above = b.binop(BinOpKind::kQuot, Prim::kI64, rest, count);
      index = b.size_sub(rest, b.size_mul(above, count));
      rest = above;
    }
    results[k] = b.size_add(of_slab([&](size_t s) { return slabs[s][k].start; }), index);
  }
  results.push_back(value(inner, results));
  Scatter scatter{
      .width = ends.back(),
      .inputs = {positions},
      .dests = {{.shape = type.shape, .dest = into}},
      .fn = {
          .params = {{.name = point, .type = scalar_type(Prim::kI64)}}, .results = {}, .body = {}}};
  for (size_t k = 0; k < rank; ++k) scatter.fn.results.push_back({.type = scalar_type(Prim::kI64)});
  scatter.fn.results.push_back({.type = scalar_type(type.elem)});
  scatter.fn.body = b.finish(std::move(results));
  return top.let1(type, std::move(scatter), "new");
}

}  // namespace skald::lazy
