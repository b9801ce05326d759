// SPDX-License-Identifier: Apache-2.0
// Kernels with one point for each instance.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/nest.h"
#include "passes/lift/batch/instance_kernel.h"
#include "passes/lift/batch/kernels.h"

namespace skald::passes::lift {

using namespace core;

std::vector<Name> per_instance(Lifting& lifting, Batch& b, const std::vector<Type>& types,
                               const std::function<std::vector<Operand>(Point&)>& make,
                               std::string_view base) {
  if (types.empty()) return {};
  InstanceKernel kernel(lifting.prog, b.width, lifting.loc);
  Point at{lifting, b, kernel.body, kernel.s};
  const std::vector<Operand> values = make(at);
  for (size_t k = 0; k < types.size(); ++k) kernel.give(b.host_type(types[k]), values[k]);
  return kernel.finish(*lifting.out, base);
}

Operator combining(Program& prog, BinOpKind kind, Prim prim, Operand neutral) {
  Operator op;
  const Type type = scalar_type(prim);
  const Name a = prog.names.fresh("a"), b = prog.names.fresh("b");
  op.fn.params = {{a, type}, {b, type}};
  op.fn.results = {{{}, type}};
  Builder body(prog);
  const Operand value = body.binop(kind, prim, a, b, "both");
  op.fn.body = body.finish({value});
  op.neutral = {neutral};
  op.commutative = true;
  return op;
}

Batch::Segments scan_lengths(Lifting& lifting, Batch& b,
                             const std::function<Operand(Point&)>& length) {
  const Type i64 = scalar_type(Prim::kI64);
  InstanceKernel kernel(lifting.prog, b.width, lifting.loc);
  Point at{lifting, b, kernel.body, kernel.s};
  const Operand value = length(at);
  kernel.combine(Sink::kScan, combining(lifting.prog, BinOpKind::kAdd, Prim::kI64, const_i64(0)),
                 value);
  const Name ends = kernel.finish(*lifting.out, "ends")[0];
  const Name zero = lifting.out->let1(array_of(const_i64(1), i64),
                                      Replicate{{const_i64(1)}, const_i64(0)}, "zero");
  const Operand size = lifting.out->size_add(b.width, const_i64(1));
  Batch::Segments result;
  result.offsets = lifting.out->let1(array_of(size, i64), Concat{0, size, {zero, ends}}, "offsets");
  result.total = lifting.out->let1(i64, Index{result.offsets, {DimSlice{true, b.width}}}, "total");
  return result;
}

Name rows_of(Lifting& lifting, Batch& b, const Operand& value, const Type& type) {
  if (const Name* name = as_name(value)) {
    const Found found = b.find(*name);
    if (found.value != nullptr && found.owner == &b && found.value->kind == Lifted::kRows)
      return found.value->rows;
  }
  return per_instance(
      lifting, b, {type}, [&](Point& at) { return std::vector{at.bring(value)}; }, "rows")[0];
}

void write_rows(Lifting& lifting, Batch& b, const std::vector<const Stmt*>& stmts,
                const std::vector<Param>& regular, const std::vector<Param>& irregular) {
  if (regular.empty() && irregular.empty()) return;
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<Batch::Segments> segments;
  for (const Param& p : irregular) {
    const bool flat = b.form_of(p.type) == Form::kFlatSegments;
    segments.push_back(
        scan_lengths(lifting, b, [&](Point& at) { return at.element_count(p.type, flat); }));
  }
  InstanceKernel kernel(lifting.prog, b.width, lifting.loc);
  Builder& body = kernel.body;
  Point at{lifting, b, body, kernel.s};
  for (const Stmt* stmt : stmts) {
    at.bring_all(free_names(*stmt));
    body.append(copy_with_fresh_names(*stmt, lifting.prog.names, at.subst));
  }
  for (const Param& p : regular) {
    const Type type = b.host_type(p.type);
    kernel.give(type, at.bring(Operand{p.name}));
  }
  for (size_t k = 0; k < irregular.size(); ++k) {
    const Param& p = irregular[k];
    const bool flat = b.form_of(p.type) == Form::kFlatSegments;
    const Type row = flat ? scalar_type(p.type.elem) : b.host_type(row_type(p.type));
    const Name start =
        body.let1(i64, Index{segments[k].offsets, {DimSlice{true, kernel.s}}}, "start");
    Type here = p.type;
    for (Operand& dim : here.shape) substitute(dim, at.subst);
    Operand length = here.shape[0];
    Operand value = p.name;
    substitute(value, at.subst);
    if (flat && here.rank() > 1) {
      for (size_t d = 1; d < here.shape.size(); ++d) length = body.size_mul(length, here.shape[d]);
      const Type line = array_of(length, row);
      value = body.let1(line, Reshape{std::get<Name>(value), {length}}, "line");
    }
    kernel.give_rows(*lifting.out, row, segments[k].total, {start, length, value});
  }
  const std::vector<Name> arrays = kernel.finish(*lifting.out, "stored");
  b.bind_rows(regular, arrays);
  for (size_t k = 0; k < irregular.size(); ++k) {
    Space space;
    space.offsets = segments[k].offsets;
    space.total = segments[k].total;
    bind_output(lifting, b, irregular[k], space, arrays[regular.size() + k]);
    b.values.at(irregular[k].name).flat = b.form_of(irregular[k].type) == Form::kFlatSegments;
  }
}

namespace {

// Values that are computed again wherever they are needed.
class RepeatedCode {
 public:
  RepeatedCode(Lifting& lifting, const Batch& b, const Names& names) : lifting_(lifting), b_(b) {
    std::vector<Name> work(names.begin(), names.end());
    while (!work.empty()) {
      const Name name = work.back();
      work.pop_back();
      if (!seen_.insert(name).second) continue;
      const Stmt* code = code_of(name);
      if (code == nullptr) continue;
      ++count_;
      const bool scalar = lifting.facts.type_of(name).is_scalar();
      for (const Name used : free_names(*code)) {
        work.push_back(used);
        if (!scalar) scalars_.insert(used);
      }
      if (scalar && names.contains(name)) scalars_.insert(name);
    }
  }

  // The scalars that are to be stored instead: if there is much code; on a device, where every
  // element would wait for one read after another, also those that read elements.
  std::vector<Name> stored() {
    std::vector<Name> found;
    for (const Name name : scalars_) {
      if (code_of(name) == nullptr || !lifting_.facts.type_of(name).is_scalar()) continue;
      if (count_ > kMaxRepeated || (lifting_.ctx.device().groups && reads(name)))
        found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  const Stmt* code_of(Name name) const {
    const Found found = b_.find(name);
    return found.value != nullptr && found.value->kind == Lifted::kCode ? found.value->code
                                                                        : nullptr;
  }
  bool reads(Name name) const {
    const Stmt* code = code_of(name);
    if (code == nullptr) return false;
    if (as<Index>(code->exp) != nullptr && code->pat[0].type.is_scalar()) return true;
    return std::ranges::any_of(free_names(*code), [&](Name used) {
      return lifting_.facts.type_of(used).is_scalar() && reads(used);
    });
  }

  Lifting& lifting_;
  const Batch& b_;
  Names seen_, scalars_;
  size_t count_ = 0;
};

// Arrays of batches around: where the parts of this batch's instances begin would be read through
// lists of members for every element.
std::vector<Name> arrays_from_around(const Lifting& lifting, const Batch& b, const Names& names) {
  std::vector<Name> found;
  if (!lifting.ctx.device().groups) return found;
  for (const Name name : names) {
    const Found value = b.find(name);
    if (value.value == nullptr || value.value->kind != Lifted::kSegments) continue;
    bool through_members = false;
    for (const Batch* at = &b; at != value.owner; at = at->parent)
      through_members = through_members || at->members;
    if (through_members) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

void store_costly(Lifting& lifting, Batch& b, const Names& names) {
  const std::vector<Name> stored = RepeatedCode(lifting, b, names).stored();
  const std::vector<Name> around = arrays_from_around(lifting, b, names);
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<Type> types;
  for (const Name name : stored) types.push_back(lifting.facts.type_of(name));
  types.insert(types.end(), around.size(), i64);
  const std::vector<Name> arrays = per_instance(
      lifting, b, types,
      [&](Point& at) {
        std::vector<Operand> values;
        for (const Name name : stored) values.push_back(at.bring(Operand{name}));
        for (const Name name : around) {
          const Found found = b.find(name);
          const Operand index = at.index_of(found.owner);
          values.emplace_back(
              at.body.let1(i64, Index{found.value->starts, {DimSlice{true, index}}}, "start"));
        }
        return values;
      },
      "stored");
  for (size_t k = 0; k < stored.size(); ++k) b.bind(stored[k], in_rows(arrays[k]));
  for (size_t k = 0; k < around.size(); ++k) {
    Lifted here = *b.find(around[k]).value;
    here.starts = arrays[stored.size() + k];
    here.offsets = {};
    b.bind(around[k], here);
  }
}

}  // namespace skald::passes::lift
