// SPDX-License-Identifier: Apache-2.0
// partition → a loop.  It gives arrays whose sizes are known only afterwards.
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

}  // namespace skald::passes
