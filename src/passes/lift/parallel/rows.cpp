// SPDX-License-Identifier: Apache-2.0
// Partitions and concatenations inside a batch.
//
//   partition(k, {xs}, …)   of every instance   the class of every element and how many of each an
//                                               instance has; then one partition of all elements,
//                                               which keeps the instances apart because it keeps
//                                               the order
#include <functional>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/parallel/parallel.h"

namespace skald::passes::lift {

using namespace core;

// Classes are kept in a byte: -1 to as many as there are.
static constexpr int kMostClasses = 126;

static bool fit_bytes(const Partition& part) {
  return part.classes <= kMostClasses;
}

// What is kept of the class of an element: all numbers that are no class are alike.
static Operand kept_class(Builder& body, const Partition& part, const Operand& of) {
  if (!fit_bytes(part)) return of;
  const Type i64 = scalar_type(Prim::kI64);
  const Operand above =
      body.let1(i64, BinOp{BinOpKind::kMax, Prim::kI64, of, const_i64(-1)}, "class");
  const Operand fitting =
      body.let1(i64, BinOp{BinOpKind::kMin, Prim::kI64, above, const_i64(part.classes)}, "class");
  return body.convert(Prim::kI64, Prim::kI8, fitting, "class");
}

// All elements, class by class: one partition of what was classified.  Gives its pattern.
static std::vector<Param> sort_by_class(Lifting& lifting, Batch& b, const Partition& part,
                                        const Space& space, const Operand& total,
                                        const std::vector<Name>& arrays,
                                        const std::vector<Ret>& types) {
  const auto classes = static_cast<size_t>(part.classes);
  const size_t count = part.fn.results.size();
  const Type i64 = scalar_type(Prim::kI64);
  Kernel sort;
  sort.domain.dims = {total};
  const Name p = lifting.prog.names.fresh("p");
  sort.pull.params = {{p, i64}};
  Builder read(lifting.prog);
  read.set_loc(lifting.loc);
  std::vector<Operand> sorted;
  for (size_t k = 0; k < count; ++k) {
    const Type type = b.host_type(types[k].type);
    Name array = arrays[classes + k];
    if (space.grid) {
      const Type flat = array_of(total, k == 0 && fit_bytes(part) ? scalar_type(Prim::kI8) : type);
      array = lifting.out->let1(flat, Reshape{array, flat.shape}, "flat");
    }
    const bool is_byte = k == 0 && fit_bytes(part);
    Operand x =
        read.let1(is_byte ? scalar_type(Prim::kI8) : type, Index{array, {DimSlice{true, p}}}, "x");
    if (is_byte) x = read.convert(Prim::kI8, Prim::kI64, x, "class");
    sorted.push_back(x);
    sort.pull.results.push_back({{}, type});
  }
  sort.pull.body = read.finish(std::move(sorted));
  Sink sink{Sink::kPartition, static_cast<int>(count)};
  sink.classes = part.classes;
  sort.sinks.push_back(std::move(sink));
  std::vector<Param> pat;
  for (size_t c = 0; c < classes; ++c) pat.push_back({lifting.prog.names.fresh("members"), i64});
  for (size_t c = 0; c < classes; ++c)
    for (size_t k = 1; k < count; ++k)
      pat.push_back(
          {lifting.prog.names.fresh("part"), array_of(pat[c].name, b.host_type(types[k].type))});
  std::vector<Param> bound = pat;
  lifting.out->let_pat(std::move(pat), std::move(sort));
  return bound;
}

// Where the parts of each instance begin in an array with a row of so many elements for each class.
static std::vector<Name> starts_in_rows(Lifting& lifting, const Batch& b,
                                        const std::vector<Name>& counts, const Operand& total) {
  const Type i64 = scalar_type(Prim::kI64);
  Kernel kernel;
  kernel.domain.dims = {b.width};
  const Name s = lifting.prog.names.fresh("s");
  kernel.pull.params = {{s, i64}};
  Builder body(lifting.prog), after(lifting.prog);
  body.set_loc(lifting.loc);
  after.set_loc(lifting.loc);
  // The lengths of the instance before: their sums are where this one begins.
  const Operand is_first = body.cmpop(CmpOpKind::kEq, Prim::kI64, s, const_i64(0), "is_first");
  const Operand before =
      body.let1(i64, Select{is_first, const_i64(0), body.size_sub(s, const_i64(1))}, "before");
  std::vector<Operand> lengths, starts;
  Lambda post;
  for (size_t c = 0; c < counts.size(); ++c) {
    const Name length = body.let1(i64, Index{counts[c], {DimSlice{true, before}}}, "length");
    lengths.emplace_back(body.let1(i64, Select{is_first, const_i64(0), length}, "length"));
    kernel.sinks.push_back({Sink::kScan, 1});
    kernel.sinks.back().op.push_back(
        combining(lifting.prog, BinOpKind::kAdd, Prim::kI64, const_i64(0)));
    kernel.pull.results.push_back({{}, i64});
    post.params.push_back({lifting.prog.names.fresh("start"), i64});
    post.results.push_back({{}, i64});
    const Operand row = lifting.out->size_mul(total, const_i64(static_cast<int64_t>(c)));
    starts.push_back(after.size_add(post.params.back().name, row));
  }
  kernel.pull.body = body.finish(std::move(lengths));
  post.body = after.finish(std::move(starts));
  kernel.post.push_back(std::move(post));
  return lifting.out->let(std::vector<Type>(counts.size(), array_of(b.width, i64)),
                          std::move(kernel), "starts");
}

// By value of the members: an array with room for all elements in each class.
static std::vector<Name> rooms_of_classes(Lifting& lifting, const Batch& b, const Partition& part,
                                          const Operand& total, const std::vector<Ret>& types) {
  std::vector<Name> rooms;
  for (size_t k = 1; k < types.size(); ++k) {
    const Type all = array_of({const_i64(part.classes), total}, b.host_type(types[k].type));
    rooms.push_back(lifting.out->let1(all, Scratch{all.elem, all.shape}, "parts"));
  }
  return rooms;
}

// The parts of all classes lie in one array, in which the partition makes them (`plan-memory`): who
// takes parts of several classes, as calls do, need not join them.
static void bind_joined(Lifting& lifting, Batch& b, const Stmt& stmt, const Partition& part,
                        const Operand& total, std::vector<Name> rooms,
                        const std::vector<Param>& bound, const std::vector<Name>& counts,
                        const std::vector<Ret>& types) {
  const auto classes = static_cast<size_t>(part.classes);
  const std::vector<Name> starts = starts_in_rows(lifting, b, counts, total);
  const Operand size = lifting.out->size_mul(total, const_i64(part.classes));
  for (size_t k = 1; k < types.size(); ++k) {
    const Type row = b.host_type(types[k].type);
    const Type all = array_of({const_i64(part.classes), total}, row);
    Name joined = rooms[k - 1];
    for (size_t c = 0; c < classes; ++c)
      joined = lifting.out->let1(all,
                                 Update{joined,
                                        {DimSlice{true, const_i64(static_cast<int64_t>(c))},
                                         DimSlice{false, const_i64(0), bound[c].name}},
                                        bound[classes + c * rooms.size() + k - 1].name},
                                 "parts");
    const Type line = array_of(size, row);
    const Name data = lifting.out->let1(line, Reshape{joined, line.shape}, "data");
    for (size_t c = 0; c < classes; ++c) {
      Lifted value;
      value.kind = Lifted::kSegments;
      value.data = data;
      value.total = size;
      value.starts = starts[c];
      b.bind(stmt.pat[classes + c * rooms.size() + k - 1].name, value);
    }
  }
}

bool lift_partition(Lifting& lifting, Batch& b, const Stmt& stmt, const Partition& part) {
  for (const Param& p : part.fn.params)
    if (p.type.kind != Type::kArray) return false;
  for (const Ret& ret : part.fn.results)
    if (b.form_of(ret.type) != Form::kRegular) return false;
  Names needed = free_names(part.fn);
  needed.insert(part.inputs.begin(), part.inputs.end());
  store_costly(lifting, b, needed);
  const Space space = space_of(lifting, b, part.width, checks_of(b, stmt, part.inputs));
  const auto classes = static_cast<size_t>(part.classes);
  const size_t count = part.fn.results.size();
  const Type i64 = scalar_type(Prim::kI64);

  // The class of every element, its values, and how many an instance has of each.
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  std::vector<Ret> types;
  std::vector<Operand> values = at.values(space, part.inputs, part.fn, types);
  std::vector<Operand> given;
  std::vector<Type> results;
  for (size_t c = 0; c < classes; ++c) {
    const Operand hit = body.cmpop(CmpOpKind::kEq, Prim::kI64, values[0],
                                   const_i64(static_cast<int64_t>(c)), "hit");
    given.push_back(body.convert(Prim::kBool, Prim::kI64, hit, "one"));
    kernel.pull.results.push_back({{}, i64});
    kernel.sinks.push_back({Sink::kReduce, 1});
    kernel.sinks.back().op.push_back(
        combining(lifting.prog, BinOpKind::kAdd, Prim::kI64, const_i64(0)));
    results.push_back(array_of(b.width, i64));
  }
  const std::vector<Operand> points = shape_of(space, b);
  for (size_t k = 0; k < count; ++k) {
    const bool is_byte = k == 0 && fit_bytes(part);
    const Type type = is_byte ? scalar_type(Prim::kI8) : b.host_type(types[k].type);
    given.push_back(k == 0 ? kept_class(body, part, values[0]) : values[k]);
    kernel.pull.results.push_back({{}, type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(points, type));
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, lifting.prog);
  std::vector<Name> arrays = lifting.out->let(results, std::move(kernel), "classified");

  const Operand total = space.grid ? lifting.out->size_mul(b.width, space.inner) : space.total;
  const bool joined = lifting.ctx.device().groups && classes > 1 && count > 1;
  std::vector<Name> rooms;
  if (joined) rooms = rooms_of_classes(lifting, b, part, total, types);
  const std::vector<Param> bound = sort_by_class(lifting, b, part, space, total, arrays, types);
  const std::vector<Name> counts(arrays.begin(), arrays.begin() + part.classes);
  for (size_t c = 0; c < classes; ++c) b.bind(stmt.pat[c].name, in_rows(counts[c]));
  if (joined) {
    bind_joined(lifting, b, stmt, part, total, std::move(rooms), bound, counts, types);
    return true;
  }
  for (size_t c = 0; c < classes && count > 1; ++c) {
    const Space of_class = space_of(lifting, b, stmt.pat[c].name, {});
    for (size_t k = 1; k < count; ++k) {
      const size_t at_result = classes + c * (count - 1) + k - 1;
      Space mine = of_class;
      mine.total = bound[c].name;
      bind_output(lifting, b, stmt.pat[at_result], mine, bound[at_result].name);
    }
  }
  return true;
}

bool lift_concat(Lifting& lifting, Batch& b, const Stmt& stmt, const Concat& concat) {
  const Type row = row_type(lifting.facts.type_of(stmt.pat[0].name));
  if (concat.dim != 0 || b.form_of(row) != Form::kRegular) return false;
  const Space space = space_of(lifting, b, concat.size, checks_of(b, stmt, concat.arrays));
  Kernel kernel = open(space, b);
  const Type type = b.host_type(row);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  // Which array, counted from the front; the last one needs no test.
  std::vector<Operand> lengths;
  for (const Name array : concat.arrays)
    lengths.push_back(at.bring(lifting.facts.type_of(array).shape[0]));
  const std::function<Operand(Builder&, size_t, Operand)> pick = [&](Builder& here, size_t k,
                                                                     const Operand& j) {
    Point inside{lifting, b, here, space.s, at.subst, at.instances};
    Space moved = space;
    if (k > 0) {
      moved.offsets = {};
      moved.j = here.let1(scalar_type(Prim::kI64), Value{j}, "j");
    }
    if (k + 1 == concat.arrays.size()) return inside.element(moved, concat.arrays[k], type);
    const Operand mine = here.cmpop(CmpOpKind::kLt, Prim::kI64, j, lengths[k], "mine");
    Builder yes(lifting.prog), no(lifting.prog);
    Point there{lifting, b, yes, space.s, inside.subst, inside.instances};
    const Operand first = there.element(moved, concat.arrays[k], type);
    const Operand rest = pick(no, k + 1, no.size_sub(j, lengths[k]));
    return Operand{here.let1(type, If{mine, yes.finish({first}), no.finish({rest})}, "x")};
  };
  const Operand value = pick(body, 0, space.j);
  kernel.pull.results = {{{}, type}};
  kernel.pull.body = body.finish({value});
  sequentialise(kernel.pull.body, lifting.prog);
  kernel.sinks.push_back({Sink::kOut, 1});
  const std::vector<Operand> points = shape_of(space, b);
  const Name array = lifting.out->let1(array_of(points, type), std::move(kernel), "concat");
  bind_output(lifting, b, stmt.pat[0], space, array);
  return true;
}

}  // namespace skald::passes::lift
