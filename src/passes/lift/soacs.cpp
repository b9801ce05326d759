// SPDX-License-Identifier: Apache-2.0
// SOACs inside a batch: one kernel over the elements of all instances.
//
//   reduce(k, {xs}, …)   of every instance    kernel(seg(n, total; offsets), \{s, j, p} -> …,
//   reduce) partition(k, {xs}, …)                     the class of every element and how many of
//   each an
//                                             instance has; then one partition of all elements,
//                                             which keeps the instances apart because it keeps the
//                                             order
//
// An inner width that is the same for all gives a grid instead.
#include <algorithm>

#include "core/visit.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

Lifter::Space Lifter::with_indices(Space space) {
  space.s = prog_.names.fresh("s");
  space.j = prog_.names.fresh("j");
  if (!space.grid) space.p = prog_.names.fresh("p");
  return space;
}

Lifter::Space Lifter::space_of(Batch& b, const Operand& width, const std::vector<Name>& tokens) {
  Space space;
  if (const auto host = host_operand(b, width)) {
    space.grid = true;
    space.inner = *host;
    return with_indices(space);
  }
  const Name name = std::get<Name>(width);
  auto known = b.segments.find(name);
  if (known == b.segments.end() || !tokens.empty()) {
    const Batch::Segments made = scan_lengths(b, [&](Point& at) {
      const Operand length = bring(at, width);
      if (tokens.empty()) return length;
      std::vector<Name> here;
      for (const Name token : tokens) here.push_back(std::get<Name>(bring(at, Operand{token})));
      return Operand{
          at.body.let1(scalar_type(Prim::kI64), Value{length}, "length", std::move(here))};
    });
    known = b.segments.insert_or_assign(name, made).first;
  }
  space.offsets = known->second.offsets;
  space.total = known->second.total;
  return with_indices(space);
}

std::vector<Name> Lifter::checks_of(const Batch& b, const Stmt& stmt,
                                    const std::vector<Name>& inputs) const {
  std::vector<Name> tokens = stmt.tokens;
  for (Name input : inputs) {
    for (;;) {
      const Found found = find(b, input);
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

Kernel Lifter::open(const Space& space, const Batch& b) const {
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

// Element j of an array of this instance.
Operand Lifter::element(Point& at, const Space& space, Name array, const Type& row) {
  const Found found = find(at.batch, array);
  const std::string base(prog_.names.base(array));
  const Type type = bring(at, row);
  const auto read = [&](Name from, std::vector<DimSlice> slice) {
    return Operand{at.body.let1(type, Index{from, std::move(slice)}, base)};
  };
  if (found.value == nullptr) return read(array, {DimSlice{true, space.j}});
  const Lifted& value = *found.value;
  if (value.kind == Lifted::kRows) {
    const Operand index = index_of(at, found.owner);
    return read(value.rows, {DimSlice{true, index}, DimSlice{true, space.j}});
  }
  if (value.kind == Lifted::kSegments && !value.flat) {
    if (found.owner == &at.batch && value.offsets && !space.grid && value.offsets == space.offsets)
      return read(value.data, {DimSlice{true, space.p}});
    const Operand index = index_of(at, found.owner);
    const Name start = at.body.let1(scalar_type(Prim::kI64),
                                    Index{value.starts, {DimSlice{true, index}}}, "start");
    return read(value.data, {DimSlice{true, at.body.size_add(start, space.j)}});
  }
  if (value.kind == Lifted::kCode) {
    if (const Iota* iota = as<Iota>(value.code->exp)) {
      const Operand start = bring(at, iota->start), step = bring(at, iota->step);
      const Operand index = at.body.convert(Prim::kI64, iota->type, space.j, "j");
      const Operand scaled = step == Operand{const_int(iota->type, 1)}
                                 ? index
                                 : at.body.binop(BinOpKind::kMul, iota->type, index, step, "t");
      return start == Operand{const_int(iota->type, 0)}
                 ? scaled
                 : at.body.binop(BinOpKind::kAdd, iota->type, start, scaled, "x");
    }
    if (const Replicate* rep = as<Replicate>(value.code->exp); rep && rep->shape.size() == 1)
      return bring(at, rep->value);
    if (const auto view = view_of(at, array))
      return read(view->data, {DimSlice{true, at.body.size_add(view->start, space.j)}});
  }
  const Operand whole = bring(at, Operand{array});
  return read(std::get<Name>(whole), {DimSlice{true, space.j}});
}

void Lifter::bind_output(Batch& b, const Param& p, const Space& space, Name array) {
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
        out_->let1(array_of(b.width, scalar_type(Prim::kI64)),
                   Index{space.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  }
  b.values.insert_or_assign(p.name, value);
}

// A few cheap statements are repeated at every element; of more, the scalars are stored.
void Lifter::store_costly(Batch& b, const Names& names) {
  Names seen, scalars;
  size_t count = 0;
  std::vector<Name> work(names.begin(), names.end());
  while (!work.empty()) {
    const Name name = work.back();
    work.pop_back();
    if (!seen.insert(name).second) continue;
    const Found found = find(b, name);
    if (found.value == nullptr || found.value->kind != Lifted::kCode) continue;
    ++count;
    const bool scalar = type_of(name).is_scalar();
    for (const Name used : free_names(*found.value->code)) {
      work.push_back(used);
      if (!scalar) scalars.insert(used);
    }
    if (scalar && names.contains(name)) scalars.insert(name);
  }
  if (count <= kMaxRepeated) return;
  std::vector<Name> stored;
  for (const Name name : scalars) {
    const Found found = find(b, name);
    if (found.value != nullptr && found.value->kind == Lifted::kCode && type_of(name).is_scalar())
      stored.push_back(name);
  }
  std::sort(stored.begin(), stored.end());
  std::vector<Type> types;
  for (const Name name : stored) types.push_back(type_of(name));
  const std::vector<Name> arrays = per_instance(
      b, types,
      [&](Point& at) {
        std::vector<Operand> values;
        for (const Name name : stored) values.push_back(bring(at, Operand{name}));
        return values;
      },
      "stored");
  for (size_t k = 0; k < stored.size(); ++k) {
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = arrays[k];
    b.values.insert_or_assign(stored[k], value);
  }
}

bool Lifter::is_free(const Batch& b, const Operator& op) const {
  for (const Param& p : op.fn.params)
    if (!p.type.is_scalar()) return false;
  for (const Operand& ne : op.neutral)
    if (!host_operand(b, ne)) return false;
  for (const Name name : free_names(op.fn))
    if (!host_operand(b, name)) return false;
  return true;
}

Operator Lifter::free_operator(const Batch& b, const Operator& op) {
  Substitution subst;
  for (const Name name : free_names(op.fn))
    if (find(b, name).value != nullptr) subst.emplace(name, *host_operand(b, name));
  Operator copy{copy_with_fresh_names(op.fn, prog_.names, subst), op.neutral, op.commutative};
  for (Operand& ne : copy.neutral) ne = *host_operand(b, ne);
  sequentialise(copy.fn.body, prog_);
  return copy;
}

// The function of a SOAC at one point.
std::vector<Operand> Lifter::point_values(Point& at, const Space& space,
                                          const std::vector<Name>& inputs, const Lambda& fn,
                                          std::vector<Ret>& types) {
  std::vector<Operand> rows;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Param& p = fn.params[k];
    Operand row = element(at, space, inputs[k], p.type);
    if (p.type.is_array() && consumed_.contains(p.name))
      row = at.body.let1(bring(at, p.type), Copy{std::get<Name>(row)}, "row");
    rows.push_back(row);
  }
  bring_all(at, free_names(fn));
  Lambda copy = copy_with_fresh_names(fn, prog_.names, at.subst);
  types = copy.results;
  return inline_lambda(at.body, std::move(copy), rows);
}

void Lifter::finish_soac(
    Batch& b, const Stmt& stmt, const Soac& soac, const Space& space,
    const std::function<std::vector<Operand>(Point&, std::vector<Ret>&)>& make) {
  Kernel kernel = open(space, b);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  std::vector<Ret> types;
  std::vector<Operand> values = make(at, types);
  if (space.grid && !stmt.tokens.empty() && !values.empty()) {
    std::vector<Name> tokens;
    for (const Name token : stmt.tokens)
      tokens.push_back(std::get<Name>(bring(at, Operand{token})));
    values[0] = body.let1(types[0].type, Value{values[0]}, "checked", std::move(tokens));
  }
  // A SOAC lists scans before reductions, a kernel gives the results of reductions first.
  size_t scanned = 0, next = 0;
  for (const Operator& op : soac.scans) scanned += op.neutral.size();
  std::vector<size_t> order;
  std::vector<Type> results;
  const std::vector<Operand> points =
      space.grid ? std::vector<Operand>{b.width, space.inner} : std::vector<Operand>{space.total};
  next = scanned;
  for (const Operator& op : soac.reduces) {
    kernel.sinks.push_back({Sink::kReduce, static_cast<int>(op.neutral.size())});
    kernel.sinks.back().op.push_back(free_operator(b, op));
    for (size_t k = 0; k < op.neutral.size(); ++k) {
      results.push_back(array_of(b.width, host_type(b, types[next].type)));
      order.push_back(next++);
    }
  }
  const size_t reduced = results.size();
  size_t first_out = 0;
  for (const Operator& op : soac.scans) {
    kernel.sinks.push_back({Sink::kScan, static_cast<int>(op.neutral.size())});
    kernel.sinks.back().op.push_back(free_operator(b, op));
    for (size_t k = 0; k < op.neutral.size(); ++k) {
      results.push_back(array_of(points, host_type(b, types[first_out].type)));
      order.push_back(first_out++);
    }
  }
  for (size_t k = next; k < types.size(); ++k) {
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(points, host_type(b, types[k].type)));
    order.push_back(k);
  }
  std::vector<Operand> ordered;
  for (const size_t k : order) {
    ordered.push_back(values[k]);
    kernel.pull.results.push_back({{}, host_type(b, types[k].type)});
  }
  for (const Lambda& post : soac.post) {
    Substitution subst;
    for (const Name name : free_names(post))
      if (find(b, name).value != nullptr) subst.emplace(name, *host_operand(b, name));
    Lambda copy = copy_with_fresh_names(post, prog_.names, subst);
    sequentialise(copy.body, prog_);
    results.resize(reduced);
    for (const Ret& ret : copy.results) results.push_back(array_of(points, ret.type));
    kernel.post.push_back(std::move(copy));
  }
  kernel.pull.body = body.finish(std::move(ordered));
  sequentialise(kernel.pull.body, prog_);
  const std::vector<Name> arrays = out_->let(results, std::move(kernel), "lifted");
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (k >= reduced) {
      bind_output(b, stmt.pat[k], space, arrays[k]);
      continue;
    }
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = arrays[k];
    b.values.insert_or_assign(stmt.pat[k].name, value);
  }
}

bool Lifter::lift_soac(Batch& b, const Stmt& stmt, const Soac& soac) {
  for (const Param& p : soac.fn.params)
    if (p.type.kind != Type::kArray) return false;
  const auto free = [&](const Operator& op) { return is_free(b, op); };
  if (!std::ranges::all_of(soac.scans, free) || !std::ranges::all_of(soac.reduces, free))
    return false;
  if (!soac.scans.empty() && !soac.reduces.empty()) return false;
  for (const Lambda& post : soac.post) {
    for (const Param& p : post.params)
      if (!p.type.is_scalar()) return false;
    for (const Name name : free_names(post))
      if (!host_operand(b, name)) return false;
    for (const Ret& ret : post.results)
      if (!ret.type.is_scalar()) return false;
  }
  bool regular = true;
  for (const Ret& ret : soac.fn.results)
    regular = regular && form_of(b, ret.type) == Form::kRegular;
  const int64_t deepest = ctx_.device().lift_depth;
  if ((!regular || needs_lifting(soac.fn.body)) && b.depth < deepest && lift_nested(b, stmt, soac))
    return true;
  if (!regular) return false;
  Names needed = free_names(soac.fn);
  needed.insert(soac.inputs.begin(), soac.inputs.end());
  store_costly(b, needed);
  const Space space = space_of(b, soac.width, checks_of(b, stmt, soac.inputs));
  finish_soac(b, stmt, soac, space, [&](Point& at, std::vector<Ret>& types) {
    return point_values(at, space, soac.inputs, soac.fn, types);
  });
  return true;
}

bool Lifter::lift_partition(Batch& b, const Stmt& stmt, const Partition& part) {
  for (const Param& p : part.fn.params)
    if (p.type.kind != Type::kArray) return false;
  for (const Ret& ret : part.fn.results)
    if (form_of(b, ret.type) != Form::kRegular) return false;
  Names needed = free_names(part.fn);
  needed.insert(part.inputs.begin(), part.inputs.end());
  store_costly(b, needed);
  const Space space = space_of(b, part.width, checks_of(b, stmt, part.inputs));
  const auto classes = static_cast<size_t>(part.classes);
  const size_t count = part.fn.results.size();
  const Type i64 = scalar_type(Prim::kI64);

  // The class of every element, its values, and how many an instance has of each.
  Kernel kernel = open(space, b);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  std::vector<Ret> types;
  std::vector<Operand> values = point_values(at, space, part.inputs, part.fn, types);
  std::vector<Operand> given;
  std::vector<Type> results;
  for (size_t c = 0; c < classes; ++c) {
    const Operand hit = body.cmpop(CmpOpKind::kEq, Prim::kI64, values[0],
                                   const_i64(static_cast<int64_t>(c)), "hit");
    given.push_back(body.convert(Prim::kBool, Prim::kI64, hit, "one"));
    kernel.pull.results.push_back({{}, i64});
    kernel.sinks.push_back({Sink::kReduce, 1});
    kernel.sinks.back().op.push_back(combining(BinOpKind::kAdd, Prim::kI64, const_i64(0)));
    results.push_back(array_of(b.width, i64));
  }
  const std::vector<Operand> points =
      space.grid ? std::vector<Operand>{b.width, space.inner} : std::vector<Operand>{space.total};
  for (size_t k = 0; k < count; ++k) {
    const Type type = host_type(b, types[k].type);
    given.push_back(values[k]);
    kernel.pull.results.push_back({{}, type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(points, type));
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, prog_);
  std::vector<Name> arrays = out_->let(results, std::move(kernel), "classified");

  // All elements, class by class.
  Operand total = space.total;
  if (space.grid) total = out_->size_mul(b.width, space.inner);
  Kernel sort;
  sort.domain.dims = {total};
  const Name p = prog_.names.fresh("p");
  sort.pull.params = {{p, i64}};
  Builder read(prog_);
  read.set_loc(loc_);
  std::vector<Operand> sorted;
  for (size_t k = 0; k < count; ++k) {
    const Type type = host_type(b, types[k].type);
    Name array = arrays[classes + k];
    if (space.grid) {
      const Type flat = array_of(total, type);
      array = out_->let1(flat, Reshape{array, flat.shape}, "flat");
    }
    sorted.emplace_back(read.let1(type, Index{array, {DimSlice{true, p}}}, "x"));
    sort.pull.results.push_back({{}, type});
  }
  sort.pull.body = read.finish(std::move(sorted));
  Sink sink{Sink::kPartition, static_cast<int>(count)};
  sink.classes = part.classes;
  sort.sinks.push_back(std::move(sink));
  std::vector<Param> pat;
  for (size_t c = 0; c < classes; ++c) pat.push_back({prog_.names.fresh("members"), i64});
  for (size_t c = 0; c < classes; ++c)
    for (size_t k = 1; k < count; ++k)
      pat.push_back(
          {prog_.names.fresh("part"), array_of(pat[c].name, host_type(b, types[k].type))});
  const std::vector<Param> bound = pat;
  out_->let_pat(std::move(pat), std::move(sort));
  for (size_t c = 0; c < classes; ++c) {
    Lifted size;
    size.kind = Lifted::kRows;
    size.rows = arrays[c];
    b.values.insert_or_assign(stmt.pat[c].name, size);
    if (count == 1) continue;
    const Space of_class = space_of(b, stmt.pat[c].name, {});
    for (size_t k = 1; k < count; ++k) {
      const size_t at_result = classes + c * (count - 1) + k - 1;
      Space mine = of_class;
      mine.total = bound[c].name;
      bind_output(b, stmt.pat[at_result], mine, bound[at_result].name);
    }
  }
  return true;
}

bool Lifter::lift_concat(Batch& b, const Stmt& stmt, const Concat& concat) {
  const Type row = row_type(type_of(stmt.pat[0].name));
  if (concat.dim != 0 || form_of(b, row) != Form::kRegular) return false;
  const Space space = space_of(b, concat.size, checks_of(b, stmt, concat.arrays));
  Kernel kernel = open(space, b);
  const Type type = host_type(b, row);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  // Which array, counted from the front; the last one needs no test.
  std::vector<Operand> lengths;
  for (const Name array : concat.arrays) lengths.push_back(bring(at, type_of(array).shape[0]));
  const std::function<Operand(Builder&, size_t, Operand)> pick = [&](Builder& here, size_t k,
                                                                     const Operand& j) {
    Point inside{b, here, space.s, at.subst, at.index};
    Space moved = space;
    if (k > 0) {
      moved.offsets = {};
      moved.j = here.let1(scalar_type(Prim::kI64), Value{j}, "j");
    }
    if (k + 1 == concat.arrays.size()) return element(inside, moved, concat.arrays[k], type);
    const Operand mine = here.cmpop(CmpOpKind::kLt, Prim::kI64, j, lengths[k], "mine");
    Builder yes(prog_), no(prog_);
    Point there{b, yes, space.s, inside.subst, inside.index};
    const Operand first = element(there, moved, concat.arrays[k], type);
    const Operand rest = pick(no, k + 1, no.size_sub(j, lengths[k]));
    return Operand{here.let1(type, If{mine, yes.finish({first}), no.finish({rest})}, "x")};
  };
  const Operand value = pick(body, 0, space.j);
  kernel.pull.results = {{{}, type}};
  kernel.pull.body = body.finish({value});
  sequentialise(kernel.pull.body, prog_);
  kernel.sinks.push_back({Sink::kOut, 1});
  const std::vector<Operand> points =
      space.grid ? std::vector<Operand>{b.width, space.inner} : std::vector<Operand>{space.total};
  const Name array = out_->let1(array_of(points, type), std::move(kernel), "concat");
  bind_output(b, stmt.pat[0], space, array);
  return true;
}

}  // namespace skald::passes
