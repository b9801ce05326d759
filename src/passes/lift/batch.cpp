// SPDX-License-Identifier: Apache-2.0
// Batches: where local values are, and how code at a point gets at them.
//
// Nothing is replicated: a kernel reads the scalar of its instance from rows[s], the array of its
// instance as a slice of the common data, and a value of an outer batch through the lists of
// members in between.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/lift/instance_kernel.h"
#include "passes/lift/lift.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;

Lifter::Found Lifter::find(const Batch& b, Name name) {
  for (const Batch* at = &b; at != nullptr; at = at->parent)
    if (const auto found = at->values.find(name); found != at->values.end())
      return {at, &found->second};
  return {};
}

const Type& Lifter::type_of(Name name) const {
  const auto found = types_.find(name);
  SKALD_CHECK(found != types_.end(), "no type of {}", prog_.names.text(name));
  return found->second;
}

std::optional<Operand> Lifter::host_operand(const Batch& b, const Operand& operand) const {
  const Name* name = as_name(operand);
  if (name == nullptr) return operand;
  const Found found = find(b, *name);
  if (found.value == nullptr) return operand;
  if (found.value->kind == Lifted::kHost) return found.value->host;
  return std::nullopt;
}

Type Lifter::host_type(const Batch& b, Type type) const {
  for (Operand& dim : type.shape)
    if (const auto host = host_operand(b, dim)) dim = *host;
  return type;
}

Form Lifter::form_of(const Batch& b, const Type& type) const {
  if (type.kind == Type::kAcc) return Form::kHost;
  bool inner = true, all = true;
  for (size_t k = 0; k < type.shape.size(); ++k) {
    const bool host = host_operand(b, type.shape[k]).has_value();
    all = all && host;
    if (k > 0) inner = inner && host;
  }
  if (all) return Form::kRegular;
  return inner ? Form::kSegments : Form::kFlatSegments;
}

// The number of the instance of `owner` that this point belongs to.
Operand Lifter::index_of(Point& at, const Batch* owner) {
  if (const auto found = at.index.find(owner); found != at.index.end()) return found->second;
  Operand index = at.s;
  for (const Batch* b = &at.batch; b != owner; b = b->parent) {
    const auto known = at.index.find(b->parent);
    if (known != at.index.end())
      index = known->second;
    else if (b->members)
      index = at.body.let1(scalar_type(Prim::kI64), Index{b->members, {DimSlice{true, index}}},
                           "member");
    at.index.insert_or_assign(b->parent, index);
  }
  return index;
}

Operand Lifter::bring(Point& at, Operand operand) {
  if (const Name* name = as_name(operand)) {
    bring(at, *name);
    substitute(operand, at.subst);
  }
  return operand;
}

Type Lifter::bring(Point& at, Type type) {
  for (Operand& dim : type.shape) dim = bring(at, dim);
  return type;
}

void Lifter::bring_all(Point& at, const Names& names) {
  std::vector<Name> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  for (const Name name : sorted) bring(at, name);
}

void Lifter::bring(Point& at, Name name) {
  if (at.subst.contains(name)) return;
  const Found found = find(at.batch, name);
  if (found.value == nullptr) return;
  const Lifted& value = *found.value;
  Builder& body = at.body;
  const std::string base(prog_.names.base(name));
  Name result;
  switch (value.kind) {
    case Lifted::kHost:
      if (!type_of(name).is_array() || !consumed_.contains(name)) {
        at.subst.emplace(name, value.host);
        return;
      }
      result = std::get<Name>(value.host);
      break;
    case Lifted::kCode:
      bring_all(at, free_names(*value.code));
      body.append(copy_with_fresh_names(*value.code, prog_.names, at.subst));
      return;
    case Lifted::kRows: {
      const Type type = bring(at, type_of(name));
      const Operand index = index_of(at, found.owner);
      result = body.let1(type, Index{value.rows, {DimSlice{true, index}}}, base);
      break;
    }
    case Lifted::kSegments: {
      const Type type = bring(at, type_of(name));
      const Operand index = index_of(at, found.owner);
      const Name start =
          body.let1(scalar_type(Prim::kI64), Index{value.starts, {DimSlice{true, index}}}, "start");
      if (!value.flat || type.rank() == 1) {
        result = body.let1(type, Index{value.data, {DimSlice{false, start, type.shape[0]}}}, base);
        break;
      }
      FlatIndex view{value.data, start, {}};
      Operand stride = const_i64(1);
      for (size_t k = type.shape.size(); k-- > 0;) {
        view.dims.insert(view.dims.begin(), {type.shape[k], stride});
        if (k > 0) stride = body.size_mul(stride, type.shape[k]);
      }
      result = body.let1(type, std::move(view), base);
      break;
    }
  }
  const Type& type = type_of(name);
  // What is consumed is copied: others may read it too.
  if (type.is_array() && consumed_.contains(name))
    result = body.let1(bring(at, type), Copy{result}, base);
  at.subst.insert_or_assign(name, result);
}

// How many rows, or elements if flat, the array of this instance has.
Operand Lifter::element_count(Point& at, const Type& type, bool flat) {
  if (!flat) return bring(at, type.shape[0]);
  Operand count = const_i64(1);
  for (const Operand& dim : type.shape) count = at.body.size_mul(count, bring(at, dim));
  return count;
}

std::vector<Name> Lifter::per_instance(Batch& b, const std::vector<Type>& types,
                                       const std::function<std::vector<Operand>(Point&)>& make,
                                       std::string_view base) {
  if (types.empty()) return {};
  InstanceKernel kernel(prog_, b.width, loc_);
  Point at{b, kernel.body, kernel.s};
  const std::vector<Operand> values = make(at);
  for (size_t k = 0; k < types.size(); ++k) kernel.give(host_type(b, types[k]), values[k]);
  return kernel.finish(*out_, base);
}

Operator Lifter::combining(BinOpKind kind, Prim prim, Operand neutral) {
  Operator op;
  const Type type = scalar_type(prim);
  const Name a = prog_.names.fresh("a"), b = prog_.names.fresh("b");
  op.fn.params = {{a, type}, {b, type}};
  op.fn.results = {{{}, type}};
  Builder body(prog_);
  const Operand value = body.binop(kind, prim, a, b, "both");
  op.fn.body = body.finish({value});
  op.neutral = {std::move(neutral)};
  op.commutative = true;
  return op;
}

Batch::Segments Lifter::scan_lengths(Batch& b, const std::function<Operand(Point&)>& length) {
  const Type i64 = scalar_type(Prim::kI64);
  InstanceKernel kernel(prog_, b.width, loc_);
  Point at{b, kernel.body, kernel.s};
  const Operand value = length(at);
  kernel.combine(Sink::kScan, combining(BinOpKind::kAdd, Prim::kI64, const_i64(0)), value);
  const Name ends = kernel.finish(*out_, "ends")[0];
  const Name zero =
      out_->let1(array_of(const_i64(1), i64), Replicate{{const_i64(1)}, const_i64(0)}, "zero");
  const Operand size = out_->size_add(b.width, const_i64(1));
  Batch::Segments result;
  result.offsets = out_->let1(array_of(size, i64), Concat{0, size, {zero, ends}}, "offsets");
  result.total = out_->let1(i64, Index{result.offsets, {DimSlice{true, b.width}}}, "total");
  return result;
}

Name Lifter::rows_of(Batch& b, const Operand& value, const Type& type) {
  if (const Name* name = as_name(value)) {
    const Found found = find(b, *name);
    if (found.value != nullptr && found.owner == &b && found.value->kind == Lifted::kRows)
      return found.value->rows;
  }
  return per_instance(
      b, {type}, [&](Point& at) { return std::vector{bring(at, value)}; }, "rows")[0];
}

// ---- arrays whose size differs

}  // namespace skald::passes
