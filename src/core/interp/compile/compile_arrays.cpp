// SPDX-License-Identifier: Apache-2.0
// Nodes that make, read and change arrays.
#include <algorithm>

#include "core/interp/compile/compiler.h"
#include "support/bug.h"

namespace skald::core::interp {

std::vector<DimCode> Compiler::slice(const std::vector<DimSlice>& slice) {
  std::vector<DimCode> dims;
  for (const DimSlice& dim : slice)
    dims.push_back({dim.is_index, scalar(dim.start), scalar(dim.count), scalar(dim.stride)});
  return dims;
}

std::vector<DimCode> Compiler::flat_dims(const std::vector<FlatDim>& dims) {
  std::vector<DimCode> codes;
  for (const FlatDim& dim : dims)
    codes.push_back({false, constant(0), scalar(dim.count), scalar(dim.stride)});
  return codes;
}

void Compiler::need_rank(Name array, size_t dims, bool exactly) const {
  const auto rank = static_cast<size_t>(find(array).rank);
  SKALD_CHECK(exactly ? dims == rank : dims <= rank,
              "interpreter: {} dimensions of {}, which has rank {}", dims, prog_.names.text(array),
              rank);
}

void Compiler::node(const ArrayLit& exp) {
  auto* code = out_.make<ArrayLitCode>();
  for (const Operand& elem : exp.elems) code->elems.push_back(read(elem));
  code->row_dims = scalars(exp.row.shape);
  code->dst = pat(0);
  emit_node(Op::kArrayLit, code);
}

void Compiler::node(const Index& exp) {
  const Binding dst = pat(0);
  need_rank(exp.array, exp.slice.size(), dst.kind == Kind::kScalar);
  if (dst.kind == Kind::kScalar && exp.slice.size() == 1) {
    emit({.op = Op::kIndex1,
          .dst = dst.slot,
          .a = find(exp.array).slot,
          .b = scalar(exp.slice[0].start)});
    return;
  }
  auto* code = out_.make<SliceCode>();
  code->array = take(exp.array);
  code->dims = slice(exp.slice);
  code->dst = dst;
  emit_node(dst.kind == Kind::kScalar ? Op::kIndexAll : Op::kSlice, code);
}

void Compiler::node(const Update& exp) {
  need_rank(exp.array, exp.slice.size(), false);
  auto* code = out_.make<SliceCode>();
  code->array = take(exp.array);
  code->dims = slice(exp.slice);
  code->value = read(exp.value);
  code->dst = pat(0);
  emit_node(Op::kUpdate, code);
}

FlatCode* Compiler::flat_code(const auto& exp) {
  need_rank(exp.array, 1, true);
  auto* code = out_.make<FlatCode>();
  code->array = take(exp.array);
  code->offset = scalar(exp.offset);
  code->dims = flat_dims(exp.dims);
  code->dst = pat(0);
  return code;
}

void Compiler::node(const FlatIndex& exp) {
  emit_node(Op::kFlatIndex, flat_code(exp));
}

void Compiler::node(const FlatUpdate& exp) {
  FlatCode* code = flat_code(exp);
  code->value = read(exp.value);
  emit_node(Op::kFlatUpdate, code);
}

void Compiler::node(const Concat& exp) {
  for (Name array : exp.arrays) need_rank(array, static_cast<size_t>(exp.dim) + 1, false);
  auto* code = out_.make<ConcatCode>();
  code->dim = exp.dim;
  code->size = scalar(exp.size);
  code->arrays = read_all(exp.arrays);
  code->dst = pat(0);
  emit_node(Op::kConcat, code);
}

void Compiler::node(const Iota& exp) {
  auto* code = out_.make<IotaCode>();
  code->count = scalar(exp.count);
  code->start = scalar(exp.start);
  code->step = scalar(exp.step);
  code->add = scalar_fn(BinOpKind::kAdd, exp.type);
  code->dst = pat(0);
  emit_node(Op::kIota, code);
}

void Compiler::node(const Replicate& exp) {
  auto* code = out_.make<ShapeCode>();
  code->shape = scalars(exp.shape);
  code->value = read(exp.value);
  code->dst = pat(0);
  // Without new dimensions it is the value itself.
  if (code->dst.kind != Kind::kArray || exp.shape.empty())
    node(Value{exp.value});
  else
    emit_node(Op::kReplicate, code);
}

void Compiler::node(const Scratch& exp) {
  auto* code = out_.make<ShapeCode>();
  code->shape = scalars(exp.shape);
  code->dst = pat(0);
  if (code->dst.kind == Kind::kScalar)
    emit({.op = Op::kMove, .dst = code->dst.slot, .a = constant(0)});
  else
    emit_node(Op::kScratch, code);
}

void Compiler::node(const Reshape& exp) {
  auto* code = out_.make<ShapeCode>();
  code->shape = scalars(exp.shape);
  code->value = take(exp.array);
  code->dst = pat(0);
  emit_node(Op::kReshape, code);
}

void Compiler::node(const Rearrange& exp) {
  auto* code = out_.make<RearrangeCode>();
  code->array = take(exp.array);
  code->perm = exp.perm;
  code->dst = pat(0);
  need_rank(exp.array, exp.perm.size(), true);
  emit_node(Op::kRearrange, code);
}

void Compiler::node(const Copy& exp) {
  auto* code = out_.make<CopyCode>();
  code->array = take(exp.array);
  code->dst = pat(0);
  emit_node(Op::kCopy, code);
}

void Compiler::node(const Alloc& exp) {
  auto* code = out_.make<AllocCode>();
  code->bytes = scalar(exp.bytes);
  code->dst = pat(0).slot;
  emit_node(Op::kAlloc, code);
}

void Compiler::node(const Free& exp) {
  emit({.op = Op::kFree, .a = find(exp.block).slot});
}

}  // namespace skald::core::interp
