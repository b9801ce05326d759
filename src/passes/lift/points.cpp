// SPDX-License-Identifier: Apache-2.0
// The points of a SOAC for all instances: elements of segments one after another, or a grid if the
// width is the same for all; and what code at such a point gets.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

Lifter::Space Lifter::with_indices(Space space) {
  space.s = prog_.names.fresh("s");
  space.j = prog_.names.fresh("j");
  if (!space.grid) space.p = prog_.names.fresh("p");
  return space;
}

Lifter::Space Lifter::space_of(const Batch::Segments& segments) {
  Space space;
  space.offsets = segments.offsets;
  space.total = segments.total;
  return with_indices(space);
}

Lifter::Space Lifter::space_of(Batch& b, const Operand& width, const std::vector<Name>& tokens) {
  Space space;
  if (const auto host = host_operand(b, width)) {
    space.grid = true;
    space.inner = *host;
    return with_indices(space);
  }
  const Name name = std::get<Name>(width);
  auto known = b.segments.find(name);
  if (known == b.segments.end() || !tokens.empty()) {
    const Batch::Segments made = scan_lengths(b, [&](Point& at) {
      const Operand length = bring(at, width);
      if (tokens.empty()) return length;
      std::vector<Name> here;
      for (const Name token : tokens) here.push_back(std::get<Name>(bring(at, Operand{token})));
      return Operand{
          at.body.let1(scalar_type(Prim::kI64), Value{length}, "length", std::move(here))};
    });
    known = b.segments.insert_or_assign(name, made).first;
  }
  space.offsets = known->second.offsets;
  space.total = known->second.total;
  return with_indices(space);
}

std::vector<Name> Lifter::checks_of(const Batch& b, const Stmt& stmt,
                                    const std::vector<Name>& inputs) const {
  std::vector<Name> tokens = stmt.tokens;
  for (Name input : inputs) {
    for (;;) {
      const Found found = find(b, input);
      if (found.value == nullptr || found.value->kind != Lifted::kCode) break;
      const Stmt& code = *found.value->code;
      for (const Name token : code.tokens)
        if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
      if (const auto* index = as<Index>(code.exp))
        input = index->array;
      else if (const auto* rearrange = as<Rearrange>(code.exp))
        input = rearrange->array;
      else if (const auto* reshape = as<Reshape>(code.exp))
        input = reshape->array;
      else if (const auto* value = as<Value>(code.exp); value && as_name(value->arg))
        input = *as_name(value->arg);
      else
        break;
    }
  }
  return tokens;
}

Kernel Lifter::open(const Space& space, const Batch& b) const {
  Kernel kernel;
  const Type i64 = scalar_type(Prim::kI64);
  if (space.grid) {
    kernel.domain.kind = Domain::kGrid;
    kernel.domain.dims = {b.width, space.inner};
    kernel.pull.params = {{space.s, i64}, {space.j, i64}};
  } else {
    kernel.domain.kind = Domain::kSeg;
    kernel.domain.dims = {b.width, space.total};
    kernel.domain.offsets = {space.offsets};
    kernel.pull.params = {{space.s, i64}, {space.j, i64}, {space.p, i64}};
  }
  return kernel;
}

// Element j of an array of this instance.
Operand Lifter::element(Point& at, const Space& space, Name array, const Type& row) {
  const Found found = find(at.batch, array);
  const std::string base(prog_.names.base(array));
  const Type type = bring(at, row);
  const auto read = [&](Name from, std::vector<DimSlice> slice) {
    return Operand{at.body.let1(type, Index{from, std::move(slice)}, base)};
  };
  if (found.value == nullptr) return read(array, {DimSlice{true, space.j}});
  const Lifted& value = *found.value;
  if (value.kind == Lifted::kRows) {
    const Operand index = index_of(at, found.owner);
    return read(value.rows, {DimSlice{true, index}, DimSlice{true, space.j}});
  }
  if (value.kind == Lifted::kSegments && !value.flat) {
    if (found.owner == &at.batch && value.offsets && !space.grid && value.offsets == space.offsets)
      return read(value.data, {DimSlice{true, space.p}});
    const Operand index = index_of(at, found.owner);
    const Name start = at.body.let1(scalar_type(Prim::kI64),
                                    Index{value.starts, {DimSlice{true, index}}}, "start");
    return read(value.data, {DimSlice{true, at.body.size_add(start, space.j)}});
  }
  if (value.kind == Lifted::kCode) {
    if (const Iota* iota = as<Iota>(value.code->exp)) {
      const Operand start = bring(at, iota->start), step = bring(at, iota->step);
      const Operand index = at.body.convert(Prim::kI64, iota->type, space.j, "j");
      const Operand scaled = step == Operand{const_int(iota->type, 1)}
                                 ? index
                                 : at.body.binop(BinOpKind::kMul, iota->type, index, step, "t");
      return start == Operand{const_int(iota->type, 0)}
                 ? scaled
                 : at.body.binop(BinOpKind::kAdd, iota->type, start, scaled, "x");
    }
    if (const Replicate* rep = as<Replicate>(value.code->exp); rep && rep->shape.size() == 1)
      return bring(at, rep->value);
    if (const auto view = view_of(at, array))
      return read(view->data, {DimSlice{true, at.body.size_add(view->start, space.j)}});
  }
  const Operand whole = bring(at, Operand{array});
  return read(std::get<Name>(whole), {DimSlice{true, space.j}});
}

void Lifter::bind_rows(Batch& b, const std::vector<Param>& params,
                       const std::vector<Name>& arrays) {
  for (size_t k = 0; k < params.size(); ++k) {
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = arrays[k];
    b.values.insert_or_assign(params[k].name, value);
  }
}

void Lifter::bind_output(Batch& b, const Param& p, const Space& space, Name array) {
  Lifted value;
  if (space.grid) {
    value.kind = Lifted::kRows;
    value.rows = array;
  } else {
    value.kind = Lifted::kSegments;
    value.data = array;
    value.total = space.total;
    value.offsets = space.offsets;
    value.starts =
        out_->let1(array_of(b.width, scalar_type(Prim::kI64)),
                   Index{space.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  }
  b.values.insert_or_assign(p.name, value);
}

// A few cheap statements are repeated at every element; of more, the scalars are stored.
void Lifter::store_costly(Batch& b, const Names& names) {
  Names seen, scalars;
  size_t count = 0;
  std::vector<Name> work(names.begin(), names.end());
  while (!work.empty()) {
    const Name name = work.back();
    work.pop_back();
    if (!seen.insert(name).second) continue;
    const Found found = find(b, name);
    if (found.value == nullptr || found.value->kind != Lifted::kCode) continue;
    ++count;
    const bool scalar = type_of(name).is_scalar();
    for (const Name used : free_names(*found.value->code)) {
      work.push_back(used);
      if (!scalar) scalars.insert(used);
    }
    if (scalar && names.contains(name)) scalars.insert(name);
  }
  if (count <= kMaxRepeated) return;
  std::vector<Name> stored;
  for (const Name name : scalars) {
    const Found found = find(b, name);
    if (found.value != nullptr && found.value->kind == Lifted::kCode && type_of(name).is_scalar())
      stored.push_back(name);
  }
  std::sort(stored.begin(), stored.end());
  std::vector<Type> types;
  for (const Name name : stored) types.push_back(type_of(name));
  const std::vector<Name> arrays = per_instance(
      b, types,
      [&](Point& at) {
        std::vector<Operand> values;
        for (const Name name : stored) values.push_back(bring(at, Operand{name}));
        return values;
      },
      "stored");
  for (size_t k = 0; k < stored.size(); ++k) {
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = arrays[k];
    b.values.insert_or_assign(stored[k], value);
  }
}

bool Lifter::is_free(const Batch& b, const Operator& op) const {
  for (const Param& p : op.fn.params)
    if (!p.type.is_scalar()) return false;
  for (const Operand& ne : op.neutral)
    if (!host_operand(b, ne)) return false;
  for (const Name name : free_names(op.fn))
    if (!host_operand(b, name)) return false;
  return true;
}

Operator Lifter::free_operator(const Batch& b, const Operator& op) {
  Substitution subst;
  for (const Name name : free_names(op.fn))
    if (find(b, name).value != nullptr) subst.emplace(name, *host_operand(b, name));
  Operator copy{copy_with_fresh_names(op.fn, prog_.names, subst), op.neutral, op.commutative};
  for (Operand& ne : copy.neutral) ne = *host_operand(b, ne);
  sequentialise(copy.fn.body, prog_);
  return copy;
}

// The function of a SOAC at one point.
std::vector<Operand> Lifter::point_values(Point& at, const Space& space,
                                          const std::vector<Name>& inputs, const Lambda& fn,
                                          std::vector<Ret>& types) {
  std::vector<Operand> rows;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Param& p = fn.params[k];
    Operand row = element(at, space, inputs[k], p.type);
    if (p.type.is_array() && consumed_.contains(p.name))
      row = at.body.let1(bring(at, p.type), Copy{std::get<Name>(row)}, "row");
    rows.push_back(row);
  }
  bring_all(at, free_names(fn));
  Lambda copy = copy_with_fresh_names(fn, prog_.names, at.subst);
  types = copy.results;
  return inline_lambda(at.body, std::move(copy), rows);
}

}  // namespace skald::passes
