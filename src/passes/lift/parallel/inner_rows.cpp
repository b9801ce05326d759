// SPDX-License-Identifier: Apache-2.0
// Maps of maps inside a batch, where rows of one instance have one length, but instances differ:
// the elements of all rows of all instances are the points of one kernel.
//
//   map(k, {xs}, \{x} ->          of every instance    kernel(seg(n, Σ k·m; offsets), \{s, j, p} ->
//     map(m, {ys}, \{y} -> …))                            x = xs[j / m], y = ys[j % m] …, out)
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/parallel/soacs.h"

namespace skald::passes::lift {

using namespace core;

namespace {
constexpr size_t kMaxBetween = 8;
}  // namespace

// The map inside, if what stands between the two may be repeated at every element; else null.
static const Soac* inner_map(Lifting& lifting, const Soac& soac) {
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
    if (!lifting.facts.is_code(outer.stmts[k], lifting.consumed) ||
        as<Iota>(outer.stmts[k].exp) != nullptr || as<Replicate>(outer.stmts[k].exp) != nullptr)
      return nullptr;
  }
  if (outer.stmts.size() > kMaxBetween) return nullptr;
  for (const Param& p : soac.fn.params)
    if (lifting.consumed.contains(p.name)) return nullptr;
  for (const Param& p : inner->fn.params)
    if (lifting.consumed.contains(p.name)) return nullptr;
  return inner;
}

bool lift_inner_rows(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac) {
  const Soac* inner = inner_map(lifting, soac);
  if (inner == nullptr) return false;
  const Body& outer = soac.fn.body;
  Names local;
  for (const Param& p : soac.fn.params) local.insert(p.name);
  for (size_t k = 0; k + 1 < outer.stmts.size(); ++k)
    for (const Param& p : outer.stmts[k].pat) local.insert(p.name);
  Names needed = free_names(soac.fn);
  needed.insert(soac.inputs.begin(), soac.inputs.end());
  store_costly(lifting, b, needed);

  const Type i64 = scalar_type(Prim::kI64);
  const std::vector<Name> tokens = checks_of(b, stmt, soac.inputs);
  const Batch::Segments segments = scan_lengths(lifting, b, [&](Point& at) {
    const Operand count = at.element_count(stmt.pat[0].type, true);
    if (tokens.empty()) return count;
    std::vector<Name> here = at.bring_tokens(tokens);
    return Operand{at.body.let1(i64, Value{count}, "length", std::move(here))};
  });
  const Space space = space_of(lifting, segments);
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  const Operand length = at.bring(inner->width);
  Space row = space, column = space;
  row.offsets = column.offsets = {};
  const Operand number = body.binop(BinOpKind::kQuot, Prim::kI64, space.j, length, "row");
  row.j = body.let1(i64, Value{number}, "row");
  const Operand before = body.size_mul(row.j, length);
  const Operand rest = body.size_sub(space.j, before);
  column.j = body.let1(i64, Value{rest}, "column");
  for (size_t k = 0; k < soac.inputs.size(); ++k) {
    const Param& p = soac.fn.params[k];
    at.subst.insert_or_assign(p.name, at.element(row, soac.inputs[k], p.type));
  }
  for (size_t k = 0; k + 1 < outer.stmts.size(); ++k) {
    at.bring_all(free_names(outer.stmts[k]));
    body.append(copy_with_fresh_names(outer.stmts[k], lifting.prog.names, at.subst));
  }
  std::vector<Operand> values;
  for (size_t k = 0; k < inner->inputs.size(); ++k) {
    const Param& p = inner->fn.params[k];
    const Name input = inner->inputs[k];
    if (!local.contains(input)) {
      values.push_back(at.element(column, input, p.type));
      continue;
    }
    const Name here = std::get<Name>(at.subst.at(input));
    const Type type = at.bring(p.type);
    values.emplace_back(body.let1(type, Index{here, {DimSlice{true, column.j}}}, "x"));
  }
  at.bring_all(free_names(inner->fn));
  Lambda fn = copy_with_fresh_names(inner->fn, lifting.prog.names, at.subst);
  std::vector<Type> results;
  for (const Ret& ret : fn.results) {
    kernel.pull.results.push_back({{}, ret.type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(space.total, ret.type));
  }
  values = inline_lambda(body, std::move(fn), values);
  kernel.pull.body = body.finish(std::move(values));
  sequentialise(kernel.pull.body, lifting.prog);
  const std::vector<Name> arrays = lifting.out->let(results, std::move(kernel), "lifted");
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    bind_output(lifting, b, stmt.pat[k], space, arrays[k]);
    b.values.at(stmt.pat[k].name).flat = true;
  }
  return true;
}

}  // namespace skald::passes::lift
