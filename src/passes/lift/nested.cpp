// SPDX-License-Identifier: Apache-2.0
// Irregular nests inside irregular nests: the elements of all instances become a batch.
//
//   instances      0       1     2        members of the inner batch   0 0 2 2 2
//   their widths   2       0     3        position in the instance     0 1 0 1 2
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// The elements of all instances are a batch of their own.  `positions` are those in the instances.
Batch Lifter::element_batch(Batch& b, const Space& space, Name& positions) {
  const Type i64 = scalar_type(Prim::kI64);
  Batch inner;
  inner.parent = &b;
  inner.depth = b.depth + 1;
  // Which instance an element belongs to, and its position there.
  Kernel kernel = open(space, b);
  kernel.pull.results = {{{}, i64}, {{}, i64}};
  kernel.pull.body.result = {space.s, space.j};
  kernel.sinks.push_back({Sink::kOut, 1});
  kernel.sinks.push_back({Sink::kOut, 1});
  Operand total = space.total;
  std::vector<Name> ids;
  if (space.grid) {
    total = out_->size_mul(b.width, space.inner);
    const Type grid = array_of({b.width, space.inner}, i64);
    for (const Name array : out_->let({grid, grid}, std::move(kernel), "ids"))
      ids.push_back(out_->let1(array_of(total, i64), Reshape{array, {total}}, "ids"));
  } else {
    ids = out_->let({array_of(total, i64), array_of(total, i64)}, std::move(kernel), "ids");
  }
  inner.width = total;
  inner.members = ids[0];
  positions = ids[1];
  return inner;
}

// A parameter of the function inside.  An input that is computed is not computed whole for every
// element.
Lifted Lifter::element_of_input(Batch& b, const Space& space, const Operand& total, Name input,
                                const Param& p, Stmt read) {
  Lifted value;
  const Found found = find(b, input);
  const bool generated = found.value != nullptr && found.value->kind == Lifted::kCode &&
                         (as<Iota>(found.value->code->exp) != nullptr ||
                          as<Replicate>(found.value->code->exp) != nullptr);
  if (!generated) {
    synthetic_.push_back(std::move(read));
    value.kind = Lifted::kCode;
    value.code = &synthetic_.back();
    return value;
  }
  const Space here = with_indices(space);
  Kernel rows = open(here, b);
  Builder body(prog_);
  Point at{b, body, here.s};
  const Operand element_value = element(at, here, input, p.type);
  rows.pull.results = {{{}, host_type(b, p.type)}};
  rows.pull.body = body.finish({element_value});
  rows.sinks.push_back({Sink::kOut, 1});
  const std::vector<Operand> points =
      space.grid ? std::vector<Operand>{b.width, space.inner} : std::vector<Operand>{total};
  Name array = out_->let1(array_of(points, host_type(b, p.type)), std::move(rows), "generated");
  if (space.grid)
    array = out_->let1(array_of(total, host_type(b, p.type)),
                       Reshape{array, array_of(total, host_type(b, p.type)).shape}, "rows");
  value.kind = Lifted::kRows;
  value.rows = array;
  return value;
}

// Rows of different sizes as segments of the outer instances: where the rows of an instance begin
// is where its first row begins.
Lifted Lifter::rows_as_segments(Batch& b, const Space& space, const Operand& total,
                                const Canonical& rows) {
  const Type i64 = scalar_type(Prim::kI64);
  Lifted value;
  value.kind = Lifted::kSegments;
  value.flat = true;
  value.total = rows.total;
  value.data = rows.data;
  const Operand size = out_->size_add(total, const_i64(1));
  const Name last =
      out_->let1(array_of(const_i64(1), i64), Replicate{{const_i64(1)}, rows.total}, "last");
  const Name all =
      out_->let1(array_of(size, i64), Concat{0, size, {rows.starts, last}}, "row_starts");
  value.starts = per_instance(
      b, {i64},
      [&](Point& at) {
        const Operand first =
            space.grid
                ? at.body.size_mul(at.s, space.inner)
                : Operand{at.body.let1(i64, Index{space.offsets, {DimSlice{true, at.s}}}, "first")};
        return std::vector<Operand>{
            at.body.let1(i64, Index{all, {DimSlice{true, first}}}, "start")};
      },
      "starts")[0];
  return value;
}

// What the elements gave, as rows of the instances.
void Lifter::bind_nested(Batch& b, const Stmt& stmt, const Soac& soac, const Space& space,
                         const NestedResults& given) {
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (stmt.pat[k].type.kind == Type::kAcc) continue;
    if (given.forms[k] != Form::kRegular) {
      b.values.insert_or_assign(stmt.pat[k].name,
                                rows_as_segments(b, space, given.total, given.irregular[k]));
      continue;
    }
    Name array = given.rows[k];
    if (space.grid) {
      const Type type = array_of({b.width, space.inner}, host_type(b, soac.fn.results[k].type));
      array = out_->let1(type, Reshape{array, type.shape}, "rows");
    }
    bind_output(b, stmt.pat[k], space, array);
  }
}

bool Lifter::lift_nested(Batch& b, const Stmt& stmt, const Soac& soac) {
  Batch saved = b;
  const std::unordered_map<Name, HostAcc> saved_accs = accs_;
  Builder code(prog_);
  code.set_loc(loc_);
  Builder* const before = out_;
  out_ = &code;
  const Space space = space_of(b, soac.width, checks_of(b, stmt, soac.inputs));
  Lifted position;
  position.kind = Lifted::kRows;
  Batch inner = element_batch(b, space, position.rows);
  const Name j = prog_.names.fresh("j");
  types_.emplace(j, scalar_type(Prim::kI64));
  inner.values.emplace(j, position);
  for (size_t k = 0; k < soac.inputs.size(); ++k) {
    const Param& p = soac.fn.params[k];
    if (p.type.kind == Type::kAcc) continue;
    Stmt read;
    read.pat = {p};
    read.exp = Index{soac.inputs[k], {DimSlice{true, j}}};
    read.loc = stmt.loc;
    inner.values.insert_or_assign(
        p.name, element_of_input(b, space, inner.width, soac.inputs[k], p, std::move(read)));
  }
  if (!refused_) lift_body(inner, soac.fn.body);
  const size_t count = soac.fn.results.size();
  NestedResults given{inner.width, std::vector<Name>(count), std::vector<Canonical>(count), {}};
  size_t folded = 0;
  for (const Operator& op : soac.scans) folded += op.neutral.size();
  for (const Operator& op : soac.reduces) folded += op.neutral.size();
  for (size_t k = 0; k < count && !refused_; ++k) {
    const Type& type = soac.fn.results[k].type;
    const Operand& value = soac.fn.body.result[k];
    given.forms.push_back(form_of(b, type));
    if (type.kind == Type::kAcc) continue;
    if (given.forms[k] == Form::kRegular) {
      given.rows[k] = rows_of(inner, value, host_type(b, type));
    } else if (folded > 0 || !soac.post.empty() || !type.is_array()) {
      refuse("rows of different sizes are combined");
    } else {
      given.irregular[k] = densify(inner, std::get<Name>(value), Form::kFlatSegments);
    }
  }
  if (refused_) {
    refused_ = false;
    accs_ = saved_accs;
    out_ = before;
    b = std::move(saved);
    return false;
  }
  if (folded == 0) {
    bind_nested(b, stmt, soac, space, given);
  } else {
    const Space again = with_indices(space);
    finish_soac(b, stmt, soac, again, [&](Point& at, std::vector<Ret>& types) {
      const Operand p = space.grid
                            ? at.body.size_add(at.body.size_mul(again.s, space.inner), again.j)
                            : Operand{again.p};
      std::vector<Operand> values;
      for (size_t k = 0; k < count; ++k) {
        const Type type = host_type(b, soac.fn.results[k].type);
        types.push_back({{}, type});
        values.emplace_back(at.body.let1(type, Index{given.rows[k], {DimSlice{true, p}}}, "x"));
      }
      return values;
    });
  }
  for (Stmt& s : code.finish({}).stmts) before->append(std::move(s));
  out_ = before;
  return true;
}

}  // namespace skald::passes
