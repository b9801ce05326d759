// SPDX-License-Identifier: Apache-2.0
// Irregular nests inside irregular nests: the elements of all instances become a batch.
//
//   instances      0       1     2        members of the inner batch   0 0 2 2 2
//   their widths   2       0     3        position in the instance     0 1 0 1 2
#include "core/ir/visit.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/segments.h"
#include "passes/lift/parallel/parallel.h"
#include "passes/lift/parallel/soacs.h"

namespace skald::passes::lift {

using namespace core;

// The elements of all instances are a batch of their own.  `positions` are those in the instances.
static Batch element_batch(Lifting& lifting, Batch& b, const Space& space, Name& positions) {
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
    total = lifting.out->size_mul(b.width, space.inner);
    const Type grid = array_of({b.width, space.inner}, i64);
    for (const Name array : lifting.out->let({grid, grid}, std::move(kernel), "ids"))
      ids.push_back(lifting.out->let1(array_of(total, i64), Reshape{array, {total}}, "ids"));
  } else {
    ids = lifting.out->let({array_of(total, i64), array_of(total, i64)}, std::move(kernel), "ids");
  }
  inner.width = total;
  inner.members = ids[0];
  positions = ids[1];
  return inner;
}

// A parameter of the function inside.  An input that is computed is not computed whole for every
// element.
static Lifted element_of_input(Lifting& lifting, Batch& b, const Space& space, const Operand& total,
                               Name input, const Param& p, Stmt read) {
  Lifted value;
  const Found found = b.find(input);
  const bool generated = found.value != nullptr && found.value->kind == Lifted::kCode &&
                         (as<Iota>(found.value->code->exp) != nullptr ||
                          as<Replicate>(found.value->code->exp) != nullptr);
  if (!generated) {
    value.kind = Lifted::kCode;
    value.code = &lifting.keep(std::move(read));
    return value;
  }
  const Space here = with_indices(lifting, space);
  Kernel rows = open(here, b);
  Builder body(lifting.prog);
  Point at{lifting, b, body, here.s};
  const Operand element_value = at.element(here, input, p.type);
  rows.pull.results = {{{}, b.host_type(p.type)}};
  rows.pull.body = body.finish({element_value});
  rows.sinks.push_back({Sink::kOut, 1});
  const std::vector<Operand> points = shape_of(space, b);
  Name array =
      lifting.out->let1(array_of(points, b.host_type(p.type)), std::move(rows), "generated");
  if (space.grid)
    array = lifting.out->let1(array_of(total, b.host_type(p.type)),
                              Reshape{array, array_of(total, b.host_type(p.type)).shape}, "rows");
  value.kind = Lifted::kRows;
  value.rows = array;
  return value;
}

// Rows of different sizes as segments of the outer instances: where the rows of an instance begin
// is where its first row begins.
static Lifted rows_as_segments(Lifting& lifting, Batch& b, const Space& space, const Operand& total,
                               const Canonical& rows) {
  const Type i64 = scalar_type(Prim::kI64);
  Lifted value;
  value.kind = Lifted::kSegments;
  value.flat = true;
  value.total = rows.total;
  value.data = rows.data;
  const Operand size = lifting.out->size_add(total, const_i64(1));
  const Name last =
      lifting.out->let1(array_of(const_i64(1), i64), Replicate{{const_i64(1)}, rows.total}, "last");
  const Name all =
      lifting.out->let1(array_of(size, i64), Concat{0, size, {rows.starts, last}}, "row_starts");
  value.starts = per_instance(
      lifting, b, {i64},
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

// By result of a nested SOAC's function: what it gives for all elements.
struct NestedResults {
  Operand total;
  std::vector<Name> rows;
  std::vector<Canonical> irregular;
  std::vector<Form> forms;
};

// What the elements gave, as rows of the instances.
static void bind_nested(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac,
                        const Space& space, const NestedResults& given) {
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (stmt.pat[k].type.kind == Type::kAcc) continue;
    if (given.forms[k] != Form::kRegular) {
      b.bind(stmt.pat[k].name,
             rows_as_segments(lifting, b, space, given.total, given.irregular[k]));
      continue;
    }
    Name array = given.rows[k];
    if (space.grid) {
      const Type type = array_of({b.width, space.inner}, b.host_type(soac.fn.results[k].type));
      array = lifting.out->let1(type, Reshape{array, type.shape}, "rows");
    }
    bind_output(lifting, b, stmt.pat[k], space, array);
  }
}

bool lift_nested(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac) {
  Batch saved = b;
  const HostAccs saved_accs = lifting.accs;
  Builder code(lifting.prog);
  code.set_loc(lifting.loc);
  Builder* const before = lifting.out;
  lifting.out = &code;
  const Space space = space_of(lifting, b, soac.width, checks_of(b, stmt, soac.inputs));
  Lifted position;
  position.kind = Lifted::kRows;
  Batch inner = element_batch(lifting, b, space, position.rows);
  const Name j = lifting.prog.names.fresh("j");
  lifting.facts.note_type(j, scalar_type(Prim::kI64));
  inner.values.emplace(j, position);
  for (size_t k = 0; k < soac.inputs.size(); ++k) {
    const Param& p = soac.fn.params[k];
    if (p.type.kind == Type::kAcc) continue;
    Stmt read;
    read.pat = {p};
    read.exp = Index{soac.inputs[k], {DimSlice{true, j}}};
    read.loc = stmt.loc;
    inner.bind(p.name, element_of_input(lifting, b, space, inner.width, soac.inputs[k], p,
                                        std::move(read)));
  }
  if (!lifting.refused) lifting.lift_body(inner, soac.fn.body);
  const size_t count = soac.fn.results.size();
  NestedResults given{inner.width, std::vector<Name>(count), std::vector<Canonical>(count), {}};
  size_t folded = 0;
  for (const Operator& op : soac.scans) folded += op.neutral.size();
  for (const Operator& op : soac.reduces) folded += op.neutral.size();
  for (size_t k = 0; k < count && !lifting.refused; ++k) {
    const Type& type = soac.fn.results[k].type;
    const Operand& value = soac.fn.body.result[k];
    given.forms.push_back(b.form_of(type));
    if (type.kind == Type::kAcc) continue;
    if (given.forms[k] == Form::kRegular) {
      given.rows[k] = rows_of(lifting, inner, value, b.host_type(type));
    } else if (folded > 0 || !soac.post.empty() || !type.is_array()) {
      lifting.refuse("rows of different sizes are combined");
    } else {
      given.irregular[k] = densify(lifting, inner, std::get<Name>(value), Form::kFlatSegments);
    }
  }
  if (lifting.refused) {
    lifting.refused = false;
    lifting.accs = saved_accs;
    lifting.out = before;
    b = std::move(saved);
    return false;
  }
  if (folded == 0) {
    bind_nested(lifting, b, stmt, soac, space, given);
  } else {
    const Space again = with_indices(lifting, space);
    finish_soac(lifting, b, stmt, soac, again, [&](Point& at, std::vector<Ret>& types) {
      const Operand p = space.grid
                            ? at.body.size_add(at.body.size_mul(again.s, space.inner), again.j)
                            : Operand{again.p};
      std::vector<Operand> values;
      for (size_t k = 0; k < count; ++k) {
        const Type type = b.host_type(soac.fn.results[k].type);
        types.push_back({{}, type});
        values.emplace_back(at.body.let1(type, Index{given.rows[k], {DimSlice{true, p}}}, "x"));
      }
      return values;
    });
  }
  for (Stmt& s : code.finish({}).stmts) before->append(std::move(s));
  lifting.out = before;
  return true;
}

}  // namespace skald::passes::lift
