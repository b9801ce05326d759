// SPDX-License-Identifier: Apache-2.0
// Rows that are made by several parallel statements are cheaper in one thread each where there are
// enough of them: nothing between the statements goes through memory.
//
//   flatmap {row -> let top = max row                 lengths   kernel(flat(n), scan (+), reduce
//   max)
//                   let part = map (/ top) row   ──►  rows      kernel(flat(n), \s -> max, scan one
//                   in scan (+) part}                           after the other; a scatter of rows)
#include "passes/lift/rows_in_threads.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"
#include "passes/lift/batch/instance_kernel.h"
#include "passes/lift/batch/kernels.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_cheap(const Stmt& stmt) {
  if (const If* branch = as<If>(stmt.exp))
    return std::ranges::all_of(branch->then_body.stmts, is_cheap) &&
           std::ranges::all_of(branch->else_body.stmts, is_cheap);
  return is_scalar_operator(stmt.exp) || as<Assert>(stmt.exp) != nullptr ||
         as<Index>(stmt.exp) != nullptr || as<Reshape>(stmt.exp) != nullptr;
}

// The statements that the length of a row needs, in order; nothing if one is not cheap.
std::optional<std::vector<const Stmt*>> code_of_length(const Lambda& fn) {
  NameSet needed;
  if (const Name* name = as_name(fn.body.result[0])) needed.insert(*name);
  std::vector<const Stmt*> found;
  for (size_t k = fn.body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = fn.body.stmts[k];
    if (std::ranges::none_of(stmt.pat, [&](const Param& p) { return needed.contains(p.name); }))
      continue;
    if (!is_cheap(stmt)) return std::nullopt;
    for (const Name name : free_names(stmt)) needed.insert(name);
    found.push_back(&stmt);
  }
  std::ranges::reverse(found);
  return found;
}

Name start_flags(Builder& out, const Operand& width, const Operand& total, Name offsets) {
  Program& prog = out.program();
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  Kernel kernel;
  kernel.domain = {Domain::kSeg, {width, total}, {offsets}};
  const Name j = prog.names.fresh("j");
  kernel.pull.params = {{prog.names.fresh("s"), i64}, {j, i64}, {prog.names.fresh("p"), i64}};
  kernel.pull.results = {{{}, boolean}};
  Builder body(prog);
  const Operand first = body.cmpop(CmpOpKind::kEq, Prim::kI64, j, const_i64(0), "first");
  kernel.pull.body = body.finish({first});
  kernel.sinks.push_back({Sink::kOut, 1});
  return out.let1(array_of(total, boolean), std::move(kernel), "flags");
}

}  // namespace

std::optional<RowsInThreads> rows_in_threads(Builder& before, const Stmt& stmt) {
  const FlatMap& flat = *as<FlatMap>(stmt.exp);
  Program& prog = before.program();
  const Type i64 = scalar_type(Prim::kI64);
  const auto length_code = code_of_length(flat.fn);
  if (!length_code) return std::nullopt;
  before.set_loc(stmt.loc);

  lift::InstanceKernel first(prog, flat.width, stmt.loc);
  Substitution subst;
  const std::vector<Operand> inputs = read_rows(first.body, flat.inputs, flat.fn.params, first.s);
  for (size_t k = 0; k < inputs.size(); ++k)
    subst.insert_or_assign(flat.fn.params[k].name, inputs[k]);
  for (const Stmt* each : *length_code)
    first.body.append(copy_with_fresh_names(*each, prog.names, subst));
  Operand length = flat.fn.body.result[0];
  substitute(length, subst);
  first.give(i64, length);
  first.combine(Sink::kScan, lift::combining(prog, BinOpKind::kAdd, Prim::kI64, const_i64(0)),
                length);
  first.combine(Sink::kReduce, lift::combining(prog, BinOpKind::kMax, Prim::kI64, const_i64(0)),
                length);
  const std::vector<Name> made = first.finish(before, "lengths");
  const Name zero =
      before.let1(array_of(const_i64(1), i64), Replicate{{const_i64(1)}, const_i64(0)}, "zero");
  const Operand size = before.size_add(flat.width, const_i64(1));
  const Name offsets =
      before.let1(array_of(size, i64), Concat{0, size, {zero, made[1]}}, "offsets");
  const Name total = before.let1(i64, Index{offsets, {DimSlice{true, flat.width}}}, "total");

  Builder out(prog);
  out.set_loc(stmt.loc);
  lift::InstanceKernel rows(prog, flat.width, stmt.loc);
  Lambda fn = copy_with_fresh_names(flat.fn, prog.names);
  const std::vector<Operand> own = read_rows(rows.body, flat.inputs, fn.params, rows.s);
  const std::vector<Operand> values = inline_lambda(rows.body, std::move(fn), own);
  const Name start = rows.body.let1(i64, Index{offsets, {DimSlice{true, rows.s}}}, "start");
  const auto data = static_cast<size_t>(flat.data);
  for (size_t k = 1; k < values.size(); ++k) {
    const Type type = row_type(stmt.pat[3 + k].type);
    if (k <= data)
      rows.give_rows(out, type, total, {start, values[0], values[k]});
    else
      rows.give(type, values[k]);
  }
  const std::vector<Name> arrays = rows.finish(out, "rows");
  const Type per_row = array_of(flat.width, i64);
  const Name lengths = out.let1(per_row, Copy{made[0]}, "lengths");
  const Name starts =
      out.let1(per_row, Index{offsets, {DimSlice{false, const_i64(0), flat.width}}}, "starts");
  std::vector<Operand> results = {total, lengths, start_flags(out, flat.width, total, offsets),
                                  out.let1(per_row, Copy{starts}, "starts")};
  results.insert(results.end(), arrays.begin(), arrays.end());
  return RowsInThreads{made[2], total, out.finish(std::move(results))};
}

}  // namespace skald::passes
