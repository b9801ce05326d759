// SPDX-License-Identifier: Apache-2.0
// The array of an instance as a part of some common array, or copied into one.
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

bool Lifter::has_view(const Batch& b, Name array) const {
  const Found found = find(b, array);
  if (found.value == nullptr || found.value->kind == Lifted::kHost)
    return type_of(array).rank() >= 1;
  if (found.value->kind == Lifted::kSegments) return !found.value->flat;
  if (found.value->kind != Lifted::kCode) return false;
  const Exp& exp = found.value->code->exp;
  if (const auto* value = as<Value>(exp))
    return as_name(value->arg) != nullptr && has_view(b, *as_name(value->arg));
  if (const auto* reshape = as<Reshape>(exp))
    return ranks_.contains(reshape->array) &&
           reshape->shape.size() == type_of(reshape->array).shape.size() &&
           has_view(b, reshape->array);
  const auto* index = as<Index>(exp);
  return index != nullptr && index->slice.size() == 1 && !index->slice[0].is_index &&
         index->slice[0].stride == Operand{const_i64(1)} && has_view(b, index->array);
}

// The array of this instance as consecutive rows of some common array.
std::optional<Lifter::View> Lifter::view_of(Point& at, Name array) {
  if (!has_view(at.batch, array)) return std::nullopt;
  const Found found = find(at.batch, array);
  if (found.value == nullptr || found.value->kind == Lifted::kHost) {
    const Name host = found.value == nullptr ? array : std::get<Name>(found.value->host);
    return View{host, host_type(at.batch, type_of(array)).shape[0], const_i64(0)};
  }
  if (found.value->kind == Lifted::kSegments) {
    const Operand index = index_of(at, found.owner);
    const Name start = at.body.let1(scalar_type(Prim::kI64),
                                    Index{found.value->starts, {DimSlice{true, index}}}, "start");
    return View{found.value->data, found.value->total, start};
  }
  const Exp& exp = found.value->code->exp;
  if (const auto* value = as<Value>(exp)) return view_of(at, *as_name(value->arg));
  if (const auto* reshape = as<Reshape>(exp)) return view_of(at, reshape->array);
  const auto* index = as<Index>(exp);
  std::optional<View> view = view_of(at, index->array);
  const Operand from = bring(at, index->slice[0].start);
  // The slice waits for its checks.
  if (!found.value->code->tokens.empty()) {
    std::vector<Name> tokens;
    for (const Name token : found.value->code->tokens)
      tokens.push_back(std::get<Name>(bring(at, Operand{token})));
    const Operand sum = at.body.size_add(view->start, from);
    view->start = at.body.let1(scalar_type(Prim::kI64), Value{sum}, "start", std::move(tokens));
    return view;
  }
  view->start = at.body.size_add(view->start, from);
  return view;
}

// Elements that lie one after another do so under any shape.
bool Lifter::reshape_segments(Batch& b, const Stmt& stmt) {
  const auto* reshape = as<Reshape>(stmt.exp);
  if (reshape == nullptr || !stmt.tokens.empty() || consumed_.contains(reshape->array) ||
      consumed_.contains(stmt.pat[0].name))
    return false;
  const Found found = find(b, reshape->array);
  if (found.value == nullptr || found.owner != &b || found.value->kind != Lifted::kSegments)
    return false;
  const bool elements = found.value->flat || type_of(reshape->array).rank() == 1;
  if (!elements || form_of(b, stmt.pat[0].type) == Form::kRegular) return false;
  Lifted value = *found.value;
  value.flat = stmt.pat[0].type.rank() > 1;
  b.values.insert_or_assign(stmt.pat[0].name, value);
  return true;
}

// A new array with all segments one after another.
Lifter::Canonical Lifter::densify(Batch& b, Name array, Form form) {
  const Type type = type_of(array);
  const bool flat = form == Form::kFlatSegments;
  const Batch::Segments segments =
      scan_lengths(b, [&](Point& at) { return element_count(at, type, flat); });
  const Space space = space_of(segments);
  Kernel kernel = open(space, b);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  Type row = scalar_type(type.elem);
  Operand value;
  if (!flat) {
    row = host_type(b, row_type(type));
    value = element(at, space, array, row);
  } else {
    const Operand whole = bring(at, Operand{array});
    const Type here = bring(at, type);
    Operand rest = space.j;
    std::vector<DimSlice> slice(here.shape.size());
    for (size_t k = here.shape.size(); k-- > 0;) {
      if (k == 0) {
        slice[k] = {true, rest};
        break;
      }
      const Operand quotient =
          body.binop(BinOpKind::kQuot, Prim::kI64, rest, here.shape[k], "quotient");
      slice[k] = {true, body.size_sub(rest, body.size_mul(quotient, here.shape[k]))};
      rest = quotient;
    }
    value = body.let1(row, Index{std::get<Name>(whole), std::move(slice)}, "x");
  }
  kernel.pull.results = {{{}, row}};
  kernel.pull.body = body.finish({value});
  sequentialise(kernel.pull.body, prog_);
  kernel.sinks.push_back({Sink::kOut, 1});
  const Name data = out_->let1(array_of(segments.total, row), std::move(kernel), "data");
  const Name starts =
      out_->let1(array_of(b.width, scalar_type(Prim::kI64)),
                 Index{segments.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  return {segments.total, starts, data};
}

Lifter::Canonical Lifter::canonical(Batch& b, Name array, Form form) {
  const Found found = find(b, array);
  const bool flat = form == Form::kFlatSegments;
  const Type i64 = scalar_type(Prim::kI64);
  if (found.value != nullptr && found.value->kind == Lifted::kSegments &&
      (found.value->flat == flat || type_of(array).rank() == 1)) {
    if (found.owner == &b) return {found.value->total, found.value->starts, found.value->data};
    const Name starts = per_instance(
        b, {i64},
        [&](Point& at) {
          const Operand index = index_of(at, found.owner);
          return std::vector<Operand>{
              at.body.let1(i64, Index{found.value->starts, {DimSlice{true, index}}}, "start")};
        },
        "starts")[0];
    return {found.value->total, starts, found.value->data};
  }
  if ((!flat || type_of(array).rank() == 1) && has_view(b, array)) {
    View view{};
    const Name starts = per_instance(
        b, {i64},
        [&](Point& at) {
          view = *view_of(at, array);
          return std::vector<Operand>{view.start};
        },
        "starts")[0];
    return {view.total, starts, view.data};
  }
  return densify(b, array, form);
}

}  // namespace skald::passes
