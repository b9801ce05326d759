// SPDX-License-Identifier: Apache-2.0
// Kernels with one point for each element of all instances.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"

namespace skald::passes::lift {

using namespace core;

Space with_indices(Lifting& lifting, Space space) {
  space.s = lifting.prog.names.fresh("s");
  space.j = lifting.prog.names.fresh("j");
  if (!space.grid) space.p = lifting.prog.names.fresh("p");
  return space;
}

Space space_of(Lifting& lifting, const Batch::Segments& segments) {
  Space space;
  space.offsets = segments.offsets;
  space.total = segments.total;
  return with_indices(lifting, space);
}

Space space_of(Lifting& lifting, Batch& b, const Operand& width, const std::vector<Name>& tokens) {
  Space space;
  if (const auto host = b.host_operand(width)) {
    space.grid = true;
    space.inner = *host;
    return with_indices(lifting, space);
  }
  const Name name = std::get<Name>(width);
  auto known = b.segments.find(name);
  if (known == b.segments.end() || !tokens.empty()) {
    const Batch::Segments made = scan_lengths(lifting, b, [&](Point& at) {
      const Operand length = at.bring(width);
      if (tokens.empty()) return length;
      std::vector<Name> here = at.bring_tokens(tokens);
      return Operand{
          at.body.let1(scalar_type(Prim::kI64), Value{length}, "length", std::move(here))};
    });
    known = b.segments.insert_or_assign(name, made).first;
  }
  space.offsets = known->second.offsets;
  space.total = known->second.total;
  return with_indices(lifting, space);
}

std::vector<Operand> shape_of(const Space& space, const Batch& b) {
  if (space.grid) return {b.width, space.inner};
  return {space.total};
}

std::vector<Name> checks_of(const Batch& b, const Stmt& stmt, const std::vector<Name>& inputs) {
  std::vector<Name> tokens = stmt.tokens;
  for (Name input : inputs) {
    for (;;) {
      const Found found = b.find(input);
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

Kernel open(const Space& space, const Batch& b) {
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

void bind_output(Lifting& lifting, Batch& b, const Param& p, const Space& space, Name array) {
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
        lifting.out->let1(array_of(b.width, scalar_type(Prim::kI64)),
                          Index{space.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  }
  b.bind(p.name, value);
}

bool is_free(const Batch& b, const Operator& op) {
  for (const Param& p : op.fn.params)
    if (!p.type.is_scalar()) return false;
  for (const Operand& ne : op.neutral)
    if (!b.host_operand(ne)) return false;
  for (const Name name : free_names(op.fn))
    if (!b.host_operand(name)) return false;
  return true;
}

Operator free_operator(Lifting& lifting, const Batch& b, const Operator& op) {
  Substitution subst;
  for (const Name name : free_names(op.fn))
    if (b.find(name).value != nullptr) subst.emplace(name, *b.host_operand(name));
  Operator copy{copy_with_fresh_names(op.fn, lifting.prog.names, subst), op.neutral,
                op.commutative};
  for (Operand& ne : copy.neutral) ne = *b.host_operand(ne);
  sequentialise(copy.fn.body, lifting.prog);
  return copy;
}

}  // namespace skald::passes::lift
