// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/nest.h"

#include "core/ir/visit.h"

namespace skald::imp {

NestWriter::NestWriter(KernelWriter& kernel_writer, const TilePlan& tile_plan)
    : kernel(kernel_writer), fn(kernel_writer.fn), plan(tile_plan) {
  const size_t rank = kernel.node.pull.params.size();
  const size_t up_to_i = rank - (plan.accs[0].result ? 0 : 1) - (plan.j ? 1 : 0);
  for (size_t d = 0; d < up_to_i; ++d)
    if (d != plan.row) outer_dims.push_back(d);
  outer = plan.rows_together ? 0 : outer_dims.size();
  n = kernel.facts.dims[plan.row];
  m = plan.j ? kernel.facts.dims[up_to_i] : const_i64(1);
}

void NestWriter::count_rows(Code& code) {
  for (size_t d = outer; d < outer_dims.size(); ++d) n = code.mul_i64(n, outer_size(d));
}

Operand NestWriter::enter_row(Code& code, const Operand& row) {
  if (outer == outer_dims.size()) return row;
  outer_indices.assign(outer_dims.size(), const_i64(0));
  if (core::as_const(row) != nullptr) return row;
  Operand rest = row;
  const Operand i = split(code, rest, kernel.facts.dims[plan.row]);
  for (size_t d = outer_dims.size(); d-- > 1;) outer_indices[d] = split(code, rest, outer_size(d));
  outer_indices[0] = rest;
  return i;
}

std::vector<Operand> NestWriter::point(const Operand& i) const {
  std::vector<Operand> indices(outer_indices.size() + 1, i);
  for (size_t d = 0; d < outer_indices.size(); ++d) indices[outer_dims[d]] = outer_indices[d];
  return indices;
}

void NestWriter::eval(Code& code, const TilePlan::Stmts& stmts, core::Substitution& subst,
                      const Loaded& loaded) {
  // Parameters of operators stand for what their values have become.
  const auto follow = [&] {
    for (const auto& [param, value] : plan.same)
      if (const Name* name = core::as_name(value))
        if (const auto found = subst.find(*name); found != subst.end())
          subst[param] = found->second;
  };
  follow();
  for (const core::Stmt* stmt : stmts) {
    if (const auto found = loaded.find(stmt); found != loaded.end())
      subst[stmt->pat[0].name] = found->second;
    else
      fn.stmt(code, core::copy_with_fresh_names(*stmt, fn.prog.names, subst));
    follow();
  }
}

Operand NestWriter::look_up(Operand operand, const core::Substitution& subst) const {
  for (const core::Substitution* map : {&plan.same, &subst})
    if (const Name* name = core::as_name(operand))
      if (const auto found = map->find(*name); found != map->end()) operand = found->second;
  return fn.value(operand);
}

core::Substitution NestWriter::indices(Code& code, const Operand& i, const Operand& j,
                                       const Operand& k) {
  core::Substitution subst = plan.same;
  const std::vector<core::Param>& params = kernel.node.pull.params;
  for (size_t d = 0; d < outer_dims.size(); ++d)
    subst[params[outer_dims[d]].name] = outer_indices[d];
  subst[plan.i] = i;
  if (plan.j) subst[plan.j] = j;
  subst[plan.k] = plan.k_type == Prim::kI64 || core::as_const(k) != nullptr
                      ? k
                      : code.let(plan.k_type, core::Convert{Prim::kI64, plan.k_type, k}, "k");
  return subst;
}

Operand NestWriter::next_value(Code& code, size_t v, const core::Substitution& subst) {
  const Operand next = look_up(plan.accs[v].next, subst);
  // Of a loop the result is that of the loop, bit by bit.
  return fn.options.fused_sums && !plan.accs[v].result ? code.fused(next) : next;
}

void NestWriter::store(Code& code, const Operand& i, const Operand& j,
                       const std::vector<Operand>& values) {
  std::vector<Operand> at = point(i);
  if (plan.j) at.push_back(j);
  if (!plan.accs[0].result) {
    size_t next = 0;
    for (const SinkInfo& info : kernel.facts.sinks)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
        fn.store(code, kernel.result_place(info.results + v), at, values[next++]);
    return;
  }
  core::Substitution subst = indices(code, i, j, const_i64(0));
  for (size_t v = 0; v < values.size(); ++v) subst[plan.accs[v].result] = values[v];
  eval(code, plan.before, subst);
  eval(code, plan.after, subst);
  std::vector<Operand> results;
  for (const Operand& result : kernel.node.pull.body.result)
    results.push_back(look_up(result, subst));
  kernel.direct_sinks(code, at, results);
}

Operand NestWriter::split(Code& code, Operand& rest, const Operand& size) {
  const Operand quotient = code.binop(BinOpKind::kQuot, rest, size, "q");
  const Operand remainder = code.sub_i64(rest, code.mul_i64(quotient, size));
  rest = quotient;
  return remainder;
}

}  // namespace skald::imp
