// SPDX-License-Identifier: Apache-2.0
// SOACs inside a batch: one kernel over the elements of all instances.
//
//   reduce(k, {xs}, …)   of every instance    kernel(seg(n, total; offsets), \{s, j, p} -> …,
//                                                    reduce)
//
// An inner width that is the same for all gives a grid instead.
#include "passes/lift/parallel/soacs.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/parallel/parallel.h"

namespace skald::passes::lift {

using namespace core;

void finish_soac(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac, const Space& space,
                 const std::function<std::vector<Operand>(Point&, std::vector<Ret>&)>& make) {
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  std::vector<Ret> types;
  std::vector<Operand> values = make(at, types);
  if (space.grid && !stmt.tokens.empty() && !values.empty()) {
    std::vector<Name> tokens = at.bring_tokens(stmt.tokens);
    values[0] = body.let1(types[0].type, Value{values[0]}, "checked", std::move(tokens));
  }
  // A SOAC lists scans before reductions, a kernel gives the results of reductions first.
  size_t scanned = 0, next = 0;
  for (const Operator& op : soac.scans) scanned += op.neutral.size();
  std::vector<size_t> order;
  std::vector<Type> results;
  const std::vector<Operand> points = shape_of(space, b);
  next = scanned;
  for (const Operator& op : soac.reduces) {
    kernel.sinks.push_back({Sink::kReduce, static_cast<int>(op.neutral.size())});
    kernel.sinks.back().op.push_back(free_operator(lifting, b, op));
    for (size_t k = 0; k < op.neutral.size(); ++k) {
      results.push_back(array_of(b.width, b.host_type(types[next].type)));
      order.push_back(next++);
    }
  }
  const size_t reduced = results.size();
  size_t first_out = 0;
  for (const Operator& op : soac.scans) {
    kernel.sinks.push_back({Sink::kScan, static_cast<int>(op.neutral.size())});
    kernel.sinks.back().op.push_back(free_operator(lifting, b, op));
    for (size_t k = 0; k < op.neutral.size(); ++k) {
      results.push_back(array_of(points, b.host_type(types[first_out].type)));
      order.push_back(first_out++);
    }
  }
  for (size_t k = next; k < types.size(); ++k) {
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(points, b.host_type(types[k].type)));
    order.push_back(k);
  }
  std::vector<Operand> ordered;
  for (const size_t k : order) {
    ordered.push_back(values[k]);
    kernel.pull.results.push_back({{}, b.host_type(types[k].type)});
  }
  for (const Lambda& post : soac.post) {
    Substitution subst;
    for (const Name name : free_names(post))
      if (b.find(name).value != nullptr) subst.emplace(name, *b.host_operand(name));
    Lambda copy = copy_with_fresh_names(post, lifting.prog.names, subst);
    sequentialise(copy.body, lifting.prog);
    results.resize(reduced);
    for (const Ret& ret : copy.results) results.push_back(array_of(points, ret.type));
    kernel.post.push_back(std::move(copy));
  }
  kernel.pull.body = body.finish(std::move(ordered));
  sequentialise(kernel.pull.body, lifting.prog);
  const std::vector<Name> arrays = lifting.out->let(results, std::move(kernel), "lifted");
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (k >= reduced) {
      bind_output(lifting, b, stmt.pat[k], space, arrays[k]);
      continue;
    }
    b.bind(stmt.pat[k].name, in_rows(arrays[k]));
  }
}

bool lift_soac(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac) {
  for (const Param& p : soac.fn.params)
    if (p.type.kind != Type::kArray) return false;
  if (has_array_operator(soac)) return lift_operators(lifting, b, stmt, soac);
  const auto free = [&](const Operator& op) { return is_free(b, op); };
  if (!std::ranges::all_of(soac.scans, free) || !std::ranges::all_of(soac.reduces, free))
    return false;
  if (!soac.scans.empty() && !soac.reduces.empty()) return false;
  for (const Lambda& post : soac.post) {
    for (const Param& p : post.params)
      if (!p.type.is_scalar()) return false;
    for (const Name name : free_names(post))
      if (!b.host_operand(name)) return false;
    for (const Ret& ret : post.results)
      if (!ret.type.is_scalar()) return false;
  }
  bool regular = true;
  for (const Ret& ret : soac.fn.results) regular = regular && b.form_of(ret.type) == Form::kRegular;
  if (!regular && lift_inner_rows(lifting, b, stmt, soac)) return true;
  const int64_t deepest = lifting.ctx.device().lift_depth;
  if ((!regular || lifting.facts.needs_lifting(soac.fn.body)) && b.depth < deepest &&
      lift_nested(lifting, b, stmt, soac))
    return true;
  if (!regular) return false;
  Names needed = free_names(soac.fn);
  needed.insert(soac.inputs.begin(), soac.inputs.end());
  store_costly(lifting, b, needed);
  const Space space = space_of(lifting, b, soac.width, checks_of(b, stmt, soac.inputs));
  finish_soac(lifting, b, stmt, soac, space, [&](Point& at, std::vector<Ret>& types) {
    return at.values(space, soac.inputs, soac.fn, types);
  });
  return true;
}

}  // namespace skald::passes::lift
