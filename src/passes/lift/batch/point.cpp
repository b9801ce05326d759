// SPDX-License-Identifier: Apache-2.0
// Values of an instance, brought to a point.
#include "passes/lift/batch/point.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "support/bug.h"

namespace skald::passes::lift {

using namespace core;

Operand Point::index_of(const Batch* owner) {
  if (const auto found = instances.find(owner); found != instances.end()) return found->second;
  Operand index = s;
  for (const Batch* b = &batch; b != owner; b = b->parent) {
    const auto known = instances.find(b->parent);
    if (known != instances.end())
      index = known->second;
    else if (b->members)
      index =
          body.let1(scalar_type(Prim::kI64), Index{b->members, {DimSlice{true, index}}}, "member");
    instances.insert_or_assign(b->parent, index);
  }
  return index;
}

Operand Point::bring(Operand operand) {
  if (const Name* name = as_name(operand)) {
    bring(*name);
    substitute(operand, subst);
  }
  return operand;
}

Type Point::bring(Type type) {
  for (Operand& dim : type.shape) dim = bring(dim);
  return type;
}

void Point::bring_all(const Names& names) {
  std::vector<Name> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  for (const Name name : sorted) bring(name);
}

std::vector<Name> Point::bring_tokens(const std::vector<Name>& tokens) {
  std::vector<Name> here;
  for (const Name token : tokens) here.push_back(std::get<Name>(bring(Operand{token})));
  return here;
}

void Point::bring(Name name) {
  if (subst.contains(name)) return;
  const Found found = batch.find(name);
  if (found.value == nullptr) return;
  const Lifted& value = *found.value;
  const std::string base(lifting.prog.names.base(name));
  Name result;
  switch (value.kind) {
    case Lifted::kPieces: SKALD_BUG("pieces are not read");
    case Lifted::kHost:
      if (!lifting.facts.type_of(name).is_array() || !lifting.consumed.contains(name)) {
        subst.emplace(name, value.host);
        return;
      }
      result = std::get<Name>(value.host);
      break;
    case Lifted::kCode:
      bring_all(free_names(*value.code));
      body.append(copy_with_fresh_names(*value.code, lifting.prog.names, subst));
      return;
    case Lifted::kRows: {
      const Type type = bring(lifting.facts.type_of(name));
      const Operand index = index_of(found.owner);
      result = body.let1(type, Index{value.rows, {DimSlice{true, index}}}, base);
      break;
    }
    case Lifted::kSegments: {
      const Type type = bring(lifting.facts.type_of(name));
      const Operand index = index_of(found.owner);
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
  const Type& type = lifting.facts.type_of(name);
  // What is consumed is copied: others may read it too.
  if (type.is_array() && lifting.consumed.contains(name))
    result = body.let1(bring(type), Copy{result}, base);
  subst.insert_or_assign(name, result);
}

Operand Point::element_count(const Type& type, bool flat) {
  if (!flat) return bring(type.shape[0]);
  Operand count = const_i64(1);
  for (const Operand& dim : type.shape) count = body.size_mul(count, bring(dim));
  return count;
}

Operand Point::element(const Space& space, Name array, const Type& row) {
  const Found found = batch.find(array);
  const std::string base(lifting.prog.names.base(array));
  const Type type = bring(row);
  const auto read = [&](Name from, std::vector<DimSlice> slice) {
    return Operand{body.let1(type, Index{from, std::move(slice)}, base)};
  };
  if (found.value == nullptr) return read(array, {DimSlice{true, space.j}});
  const Lifted& value = *found.value;
  if (value.kind == Lifted::kRows) {
    const Operand index = index_of(found.owner);
    return read(value.rows, {DimSlice{true, index}, DimSlice{true, space.j}});
  }
  if (value.kind == Lifted::kSegments && !value.flat) {
    if (found.owner == &batch && value.offsets && !space.grid && value.offsets == space.offsets)
      return read(value.data, {DimSlice{true, space.p}});
    const Operand index = index_of(found.owner);
    const Name start =
        body.let1(scalar_type(Prim::kI64), Index{value.starts, {DimSlice{true, index}}}, "start");
    return read(value.data, {DimSlice{true, body.size_add(start, space.j)}});
  }
  if (value.kind == Lifted::kCode) {
    if (const Iota* iota = as<Iota>(value.code->exp)) {
      const Operand start = bring(iota->start), step = bring(iota->step);
      const Operand index = body.convert(Prim::kI64, iota->type, space.j, "j");
      const Operand scaled = step == Operand{const_int(iota->type, 1)}
                                 ? index
                                 : body.binop(BinOpKind::kMul, iota->type, index, step, "t");
      return start == Operand{const_int(iota->type, 0)}
                 ? scaled
                 : body.binop(BinOpKind::kAdd, iota->type, start, scaled, "x");
    }
    if (const Replicate* rep = as<Replicate>(value.code->exp); rep && rep->shape.size() == 1)
      return bring(rep->value);
    if (const auto view = view_of(array))
      return read(view->data, {DimSlice{true, body.size_add(view->start, space.j)}});
  }
  const Operand whole = bring(Operand{array});
  return read(std::get<Name>(whole), {DimSlice{true, space.j}});
}

std::vector<Operand> Point::values(const Space& space, const std::vector<Name>& inputs,
                                   const Lambda& fn, std::vector<Ret>& types) {
  std::vector<Operand> rows;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Param& p = fn.params[k];
    Operand row = element(space, inputs[k], p.type);
    if (p.type.is_array() && lifting.consumed.contains(p.name))
      row = body.let1(bring(p.type), Copy{std::get<Name>(row)}, "row");
    rows.push_back(row);
  }
  bring_all(free_names(fn));
  Lambda copy = copy_with_fresh_names(fn, lifting.prog.names, subst);
  types = copy.results;
  return inline_lambda(body, std::move(copy), rows);
}

bool has_view(const Lifting& lifting, const Batch& b, Name array) {
  const Found found = b.find(array);
  if (found.value == nullptr || found.value->kind == Lifted::kHost)
    return lifting.facts.type_of(array).rank() >= 1;
  if (found.value->kind == Lifted::kSegments) return !found.value->flat;
  if (found.value->kind != Lifted::kCode) return false;
  const Exp& exp = found.value->code->exp;
  if (const auto* value = as<Value>(exp))
    return as_name(value->arg) != nullptr && has_view(lifting, b, *as_name(value->arg));
  if (const auto* reshape = as<Reshape>(exp))
    return lifting.facts.ranks().contains(reshape->array) &&
           reshape->shape.size() == lifting.facts.type_of(reshape->array).shape.size() &&
           has_view(lifting, b, reshape->array);
  const auto* index = as<Index>(exp);
  return index != nullptr && index->slice.size() == 1 && !index->slice[0].is_index &&
         index->slice[0].stride == Operand{const_i64(1)} && has_view(lifting, b, index->array);
}

std::optional<View> Point::view_of(Name array) {
  if (!has_view(lifting, batch, array)) return std::nullopt;
  const Found found = batch.find(array);
  if (found.value == nullptr || found.value->kind == Lifted::kHost) {
    const Name host = found.value == nullptr ? array : std::get<Name>(found.value->host);
    return View{host, batch.host_type(lifting.facts.type_of(array)).shape[0], const_i64(0)};
  }
  if (found.value->kind == Lifted::kSegments) {
    const Operand index = index_of(found.owner);
    const Name start = body.let1(scalar_type(Prim::kI64),
                                 Index{found.value->starts, {DimSlice{true, index}}}, "start");
    return View{found.value->data, found.value->total, start};
  }
  const Exp& exp = found.value->code->exp;
  if (const auto* value = as<Value>(exp)) return view_of(*as_name(value->arg));
  if (const auto* reshape = as<Reshape>(exp)) return view_of(reshape->array);
  const auto* index = as<Index>(exp);
  std::optional<View> view = view_of(index->array);
  const Operand from = bring(index->slice[0].start);
  // The slice waits for its checks.
  if (!found.value->code->tokens.empty()) {
    std::vector<Name> tokens = bring_tokens(found.value->code->tokens);
    const Operand sum = body.size_add(view->start, from);
    view->start = body.let1(scalar_type(Prim::kI64), Value{sum}, "start", std::move(tokens));
    return view;
  }
  view->start = body.size_add(view->start, from);
  return view;
}

}  // namespace skald::passes::lift
