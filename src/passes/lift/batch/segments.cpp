// SPDX-License-Identifier: Apache-2.0
// The array of an instance as a part of some common array, or copied into one.
#include "passes/lift/batch/segments.h"

#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"

namespace skald::passes::lift {

using namespace core;

bool reshape_segments(const Lifting& lifting, Batch& b, const Stmt& stmt) {
  const auto* reshape = as<Reshape>(stmt.exp);
  if (reshape == nullptr || !stmt.tokens.empty() || lifting.consumed.contains(reshape->array) ||
      lifting.consumed.contains(stmt.pat[0].name))
    return false;
  const Found found = b.find(reshape->array);
  if (found.value == nullptr || found.owner != &b || found.value->kind != Lifted::kSegments)
    return false;
  const bool elements = found.value->flat || lifting.facts.type_of(reshape->array).rank() == 1;
  if (!elements || b.form_of(stmt.pat[0].type) == Form::kRegular) return false;
  Lifted value = *found.value;
  value.flat = stmt.pat[0].type.rank() > 1;
  b.bind(stmt.pat[0].name, value);
  return true;
}

Canonical densify(Lifting& lifting, Batch& b, Name array, Form form) {
  const Type type = lifting.facts.type_of(array);
  const bool flat = form == Form::kFlatSegments;
  const Batch::Segments segments =
      scan_lengths(lifting, b, [&](Point& at) { return at.element_count(type, flat); });
  const Space space = space_of(lifting, segments);
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  Type row = scalar_type(type.elem);
  Operand value;
  if (!flat) {
    row = b.host_type(row_type(type));
    value = at.element(space, array, row);
  } else {
    const Operand whole = at.bring(Operand{array});
    const Type here = at.bring(type);
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
  sequentialise(kernel.pull.body, lifting.prog);
  kernel.sinks.push_back({Sink::kOut, 1});
  const Name data = lifting.out->let1(array_of(segments.total, row), std::move(kernel), "data");
  const Name starts = lifting.out->let1(
      array_of(b.width, scalar_type(Prim::kI64)),
      Index{segments.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  return {segments.total, starts, data};
}

Canonical canonical(Lifting& lifting, Batch& b, Name array, Form form) {
  const Found found = b.find(array);
  const bool flat = form == Form::kFlatSegments;
  const Type i64 = scalar_type(Prim::kI64);
  if (found.value != nullptr && found.value->kind == Lifted::kSegments &&
      (found.value->flat == flat || lifting.facts.type_of(array).rank() == 1)) {
    if (found.owner == &b) return {found.value->total, found.value->starts, found.value->data};
    const Name starts = per_instance(
        lifting, b, {i64},
        [&](Point& at) {
          const Operand index = at.index_of(found.owner);
          return std::vector<Operand>{
              at.body.let1(i64, Index{found.value->starts, {DimSlice{true, index}}}, "start")};
        },
        "starts")[0];
    return {found.value->total, starts, found.value->data};
  }
  if ((!flat || lifting.facts.type_of(array).rank() == 1) && has_view(lifting, b, array)) {
    View view{};
    const Name starts = per_instance(
        lifting, b, {i64},
        [&](Point& at) {
          view = *at.view_of(array);
          return std::vector<Operand>{view.start};
        },
        "starts")[0];
    return {view.total, starts, view.data};
  }
  return densify(lifting, b, array, form);
}

}  // namespace skald::passes::lift
