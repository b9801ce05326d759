// SPDX-License-Identifier: Apache-2.0
// Maps of maps inside a batch, where rows of one instance have one length, but instances differ:
// the elements of all rows of all instances are the points of one kernel.
//
//   map(k, {xs}, \{x} ->          of every instance    kernel(seg(n, Σ k·m; offsets), \{s, j, p} ->
//     map(m, {ys}, \{y} -> …))                            x = xs[j / m], y = ys[j % m] …, out)
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

namespace {

constexpr size_t kMaxBetween = 8;

}  // namespace

// The map inside, if what stands between the two may be repeated at every element; else null.
const Soac* Lifter::inner_map(const Soac& soac) const {
  const Body& outer = soac.fn.body;
  if (!soac.is_map() || outer.stmts.empty()) return nullptr;
  const Stmt& last = outer.stmts.back();
  const auto* inner = as<Soac>(last.exp);
  if (inner == nullptr || !inner->is_map() || !last.tokens.empty() ||
      outer.result.size() != last.pat.size())
    return nullptr;
  for (size_t k = 0; k < last.pat.size(); ++k)
    if (!(outer.result[k] == Operand{last.pat[k].name}) || last.pat[k].type.rank() != 1)
      return nullptr;
  for (size_t k = 0; k + 1 < outer.stmts.size(); ++k) {
    if (!is_code(outer.stmts[k]) || as<Iota>(outer.stmts[k].exp) != nullptr ||
        as<Replicate>(outer.stmts[k].exp) != nullptr)
      return nullptr;
  }
  if (outer.stmts.size() > kMaxBetween) return nullptr;
  for (const Param& p : soac.fn.params)
    if (consumed_.contains(p.name)) return nullptr;
  for (const Param& p : inner->fn.params)
    if (consumed_.contains(p.name)) return nullptr;
  return inner;
}

bool Lifter::lift_inner_rows(Batch& b, const Stmt& stmt, const Soac& soac) {
  const Soac* inner = inner_map(soac);
  if (inner == nullptr) return false;
  const Body& outer = soac.fn.body;
  Names local;
  for (const Param& p : soac.fn.params) local.insert(p.name);
  for (size_t k = 0; k + 1 < outer.stmts.size(); ++k)
    for (const Param& p : outer.stmts[k].pat) local.insert(p.name);
  Names needed = free_names(soac.fn);
  needed.insert(soac.inputs.begin(), soac.inputs.end());
  store_costly(b, needed);

  const Type i64 = scalar_type(Prim::kI64);
  const std::vector<Name> tokens = checks_of(b, stmt, soac.inputs);
  const Batch::Segments segments = scan_lengths(b, [&](Point& at) {
    const Operand count = element_count(at, stmt.pat[0].type, true);
    if (tokens.empty()) return count;
    std::vector<Name> here;
    for (const Name token : tokens) here.push_back(std::get<Name>(bring(at, Operand{token})));
    return Operand{at.body.let1(i64, Value{count}, "length", std::move(here))};
  });
  const Space space = space_of(segments);
  Kernel kernel = open(space, b);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  const Operand length = bring(at, inner->width);
  Space row = space, column = space;
  row.offsets = column.offsets = {};
  const Operand number = body.binop(BinOpKind::kQuot, Prim::kI64, space.j, length, "row");
  row.j = body.let1(i64, Value{number}, "row");
  const Operand before = body.size_mul(row.j, length);
  const Operand rest = body.size_sub(space.j, before);
  column.j = body.let1(i64, Value{rest}, "column");
  for (size_t k = 0; k < soac.inputs.size(); ++k) {
    const Param& p = soac.fn.params[k];
    at.subst.insert_or_assign(p.name, element(at, row, soac.inputs[k], p.type));
  }
  for (size_t k = 0; k + 1 < outer.stmts.size(); ++k) {
    bring_all(at, free_names(outer.stmts[k]));
    body.append(copy_with_fresh_names(outer.stmts[k], prog_.names, at.subst));
  }
  std::vector<Operand> values;
  for (size_t k = 0; k < inner->inputs.size(); ++k) {
    const Param& p = inner->fn.params[k];
    const Name input = inner->inputs[k];
    if (!local.contains(input)) {
      values.push_back(element(at, column, input, p.type));
      continue;
    }
    const Name here = std::get<Name>(at.subst.at(input));
    const Type type = bring(at, p.type);
    values.emplace_back(body.let1(type, Index{here, {DimSlice{true, column.j}}}, "x"));
  }
  bring_all(at, free_names(inner->fn));
  Lambda fn = copy_with_fresh_names(inner->fn, prog_.names, at.subst);
  std::vector<Type> results;
  for (const Ret& ret : fn.results) {
    kernel.pull.results.push_back({{}, ret.type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(space.total, ret.type));
  }
  values = inline_lambda(body, std::move(fn), values);
  kernel.pull.body = body.finish(std::move(values));
  sequentialise(kernel.pull.body, prog_);
  const std::vector<Name> arrays = out_->let(results, std::move(kernel), "lifted");
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    bind_output(b, stmt.pat[k], space, arrays[k]);
    b.values.at(stmt.pat[k].name).flat = true;
  }
  return true;
}

}  // namespace skald::passes
