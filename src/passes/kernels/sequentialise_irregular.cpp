// SPDX-License-Identifier: Apache-2.0
// partition and flatmap → loops.  Both give arrays whose sizes are known only afterwards.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

void bind(Builder& out, Param param, Exp exp) {
  std::vector<Param> pat;
  pat.push_back(std::move(param));
  out.let_pat(std::move(pat), std::move(exp));
}

}  // namespace

// Every class gets an array of the full width and a counter; at the end the used parts are sliced
// off.
void sequentialise_partition(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  Partition part = std::move(*as<Partition>(stmt.exp));
  const auto classes = static_cast<size_t>(part.classes);
  const size_t values_per_row = part.fn.results.size() - 1;
  LoopBuilder loop(prog, part.width, stmt.loc);
  const Type i64 = scalar_type(Prim::kI64);

  std::vector<Name> counters, targets;
  std::vector<Type> target_types, all_types;
  for (size_t c = 0; c < classes; ++c) {
    counters.push_back(loop.carry(i64, const_i64(0), "count"));
    all_types.push_back(i64);
  }
  for (size_t k = 0; k < classes * values_per_row; ++k) {
    const Type type = array_of(part.width, part.fn.results[1 + k % values_per_row].type);
    const Name start = out.let1(type, Scratch{type.elem, type.shape}, "part");
    targets.push_back(loop.carry(type, start, "part"));
    target_types.push_back(type);
    all_types.push_back(type);
  }

  Builder& body = loop.body();
  const auto rows = read_rows(body, part.inputs, part.fn.params, loop.index());
  const auto values = inline_lambda(body, std::move(part.fn), rows);
  std::vector<Operand> next_counters, next_targets;
  bool scalars = true;
  for (size_t v = 0; v < values_per_row; ++v) scalars = scalars && target_types[v].rank() == 1;
  for (size_t c = 0; c < classes; ++c) {
    const Operand hit = body.cmpop(CmpOpKind::kEq, Prim::kI64, values[0],
                                   const_i64(static_cast<int64_t>(c)), "hit");
    // Writing always is quicker than a branch that nobody can predict; the next member of the class
    // will overwrite what does not belong there.  There is room: the counter is at most the index.
    if (scalars) {
      const Operand one = body.let1(i64, Convert{Prim::kBool, Prim::kI64, hit}, "one");
      next_counters.push_back(body.size_add(counters[c], one));
      for (size_t v = 0; v < values_per_row; ++v) {
        const size_t k = c * values_per_row + v;
        next_targets.push_back(
            write_row(body, target_types[k], targets[k], {counters[c]}, values[1 + v]));
      }
      continue;
    }
    std::vector<Type> types = {i64};
    std::vector<Name> olds = {counters[c]};
    for (size_t v = 0; v < values_per_row; ++v) {
      types.push_back(target_types[c * values_per_row + v]);
      olds.push_back(targets[c * values_per_row + v]);
    }
    const auto next = update_if(body, hit, types, olds, [&](Builder& then) {
      std::vector<Operand> updated = {then.size_add(counters[c], const_i64(1))};
      for (size_t v = 0; v < values_per_row; ++v)
        updated.push_back(write_row(then, types[1 + v], olds[1 + v], {counters[c]}, values[1 + v]));
      return updated;
    });
    next_counters.push_back(next[0]);
    next_targets.insert(next_targets.end(), next.begin() + 1, next.end());
  }
  next_counters.insert(next_counters.end(), next_targets.begin(), next_targets.end());

  std::vector<Param> pat;
  std::vector<Name> full;
  for (size_t c = 0; c < classes; ++c) pat.push_back(std::move(stmt.pat[c]));
  for (const Type& type : target_types) {
    full.push_back(prog.names.fresh("full"));
    pat.push_back({full.back(), type});
  }
  std::vector<Name> sizes;
  for (size_t c = 0; c < classes; ++c) sizes.push_back(pat[c].name);
  loop.finish(out, std::move(pat), std::move(next_counters), std::move(stmt.tokens));
  for (size_t k = 0; k < full.size(); ++k)
    bind(out, std::move(stmt.pat[classes + k]),
         Index{full[k], {DimSlice{false, const_i64(0), sizes[k / values_per_row], const_i64(1)}}});
}

// Two loops: the first finds the lengths and keeps the regular results, the second computes the
// rows again and writes them where they belong.
void sequentialise_flatmap(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  FlatMap flat = std::move(*as<FlatMap>(stmt.exp));
  const auto data = static_cast<size_t>(flat.data);
  const Type i64 = scalar_type(Prim::kI64);
  Param &total = stmt.pat[0], &lengths = stmt.pat[1], &flags = stmt.pat[2], &offsets = stmt.pat[3];
  Lambda again = copy_with_fresh_names(flat.fn, prog.names);

  LoopBuilder first(prog, flat.width, stmt.loc);
  const Name sum = first.carry(i64, const_i64(0), "total");
  std::vector<Name> arrays;
  std::vector<Type> types;
  const auto carry_array = [&](LoopBuilder& loop, const Param& p) {
    const Name start =
        out.let1(p.type, Scratch{p.type.elem, p.type.shape}, prog.names.base(p.name));
    types.push_back(p.type);
    arrays.push_back(loop.carry(p.type, start, prog.names.base(p.name)));
  };
  carry_array(first, lengths);
  carry_array(first, offsets);
  for (size_t k = 4 + data; k < stmt.pat.size(); ++k) carry_array(first, stmt.pat[k]);
  {
    Builder& body = first.body();
    const auto rows = read_rows(body, flat.inputs, flat.fn.params, first.index());
    const auto values = inline_lambda(body, std::move(flat.fn), rows);
    std::vector<Operand> next = {body.size_add(sum, values[0])};
    next.push_back(write_row(body, types[0], arrays[0], {first.index()}, values[0]));
    next.push_back(write_row(body, types[1], arrays[1], {first.index()}, sum));
    for (size_t k = 2; k < arrays.size(); ++k)
      next.push_back(
          write_row(body, types[k], arrays[k], {first.index()}, values[1 + data + k - 2]));
    std::vector<Param> pat;
    pat.push_back(std::move(total));
    pat.push_back(lengths);
    pat.push_back(offsets);
    for (size_t k = 4 + data; k < stmt.pat.size(); ++k) pat.push_back(std::move(stmt.pat[k]));
    first.finish(out, std::move(pat), std::move(next), stmt.tokens);
  }

  LoopBuilder second(prog, flat.width, stmt.loc);
  arrays.clear();
  types.clear();
  const Name no_flags =
      out.let1(flags.type, Replicate{flags.type.shape, const_bool(false)}, "flags");
  types.push_back(flags.type);
  arrays.push_back(second.carry(flags.type, no_flags, "flags"));
  for (size_t k = 0; k < data; ++k) carry_array(second, stmt.pat[4 + k]);
  Builder& body = second.body();
  const auto rows = read_rows(body, flat.inputs, again.params, second.index());
  const auto values = inline_lambda(body, std::move(again), rows);
  const Name start = body.let1(i64, Index{offsets.name, {DimSlice{true, second.index()}}}, "start");
  const Operand some = body.cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), values[0], "some");
  std::vector<Operand> next = update_if(body, some, {types[0]}, {arrays[0]}, [&](Builder& then) {
    return std::vector<Operand>{write_row(then, types[0], arrays[0], {start}, const_bool(true))};
  });
  for (size_t k = 0; k < data; ++k)
    next.push_back(body.let1(
        types[1 + k],
        Update{arrays[1 + k], {DimSlice{false, start, values[0], const_i64(1)}}, values[1 + k]},
        "data"));
  std::vector<Param> pat;
  pat.push_back(std::move(flags));
  for (size_t k = 0; k < data; ++k) pat.push_back(std::move(stmt.pat[4 + k]));
  second.finish(out, std::move(pat), std::move(next), std::move(stmt.tokens));
}

}  // namespace skald::passes
