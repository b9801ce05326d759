// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/nest.h"

#include "core/ir/visit.h"

namespace skald::imp {

NestLowering::NestLowering(KernelLowering& kernel, const TilePlan& plan)
    : kernel_(kernel), fn_(kernel.fn_), plan_(plan) {
  const size_t rank = kernel.kernel_.pull.params.size();
  outer_ = rank - (plan.accs[0].result ? 2 : 3);
  n_ = kernel.dims_[outer_];
  m_ = kernel.dims_[outer_ + 1];
}

void NestLowering::eval(Code& code, const TilePlan::Stmts& stmts, core::Substitution& subst,
                        const Loaded& loaded) {
  // Parameters of operators stand for what their values have become.
  const auto follow = [&] {
    for (const auto& [param, value] : plan_.same)
      if (const Name* name = core::as_name(value))
        if (const auto found = subst.find(*name); found != subst.end())
          subst[param] = found->second;
  };
  follow();
  for (const core::Stmt* stmt : stmts) {
    if (const auto found = loaded.find(stmt); found != loaded.end())
      subst[stmt->pat[0].name] = found->second;
    else
      fn_.stmt(code, core::copy_with_fresh_names(*stmt, fn_.prog_.names, subst));
    follow();
  }
}

Operand NestLowering::look_up(Operand operand, const core::Substitution& subst) const {
  for (const core::Substitution* map : {&plan_.same, &subst})
    if (const Name* name = core::as_name(operand))
      if (const auto found = map->find(*name); found != map->end()) operand = found->second;
  return fn_.value(operand);
}

core::Substitution NestLowering::indices(Code& code, const Operand& i, const Operand& j,
                                         const Operand& k) {
  core::Substitution subst = plan_.same;
  const std::vector<core::Param>& params = kernel_.kernel_.pull.params;
  for (size_t d = 0; d < outer_; ++d) subst[params[d].name] = outer_indices_[d];
  subst[plan_.i] = i;
  subst[plan_.j] = j;
  subst[plan_.k] = plan_.k_type == Prim::kI64 || core::as_const(k) != nullptr
                       ? k
                       : code.let(plan_.k_type, core::Convert{Prim::kI64, plan_.k_type, k}, "k");
  return subst;
}

Operand NestLowering::next_value(Code& code, size_t v, const core::Substitution& subst) {
  const Operand next = look_up(plan_.accs[v].next, subst);
  // Of a loop the result is that of the loop, bit by bit.
  return fn_.options_.fused_sums && !plan_.accs[v].result ? code.fused(next) : next;
}

void NestLowering::store(Code& code, const Operand& i, const Operand& j,
                         const std::vector<Operand>& values) {
  std::vector<Operand> point = outer_indices_;
  point.push_back(i);
  point.push_back(j);
  if (!plan_.accs[0].result) {
    size_t next = 0;
    for (const KernelLowering::SinkInfo& info : kernel_.sinks_)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
        fn_.store(code, kernel_.result_place(info.results + v), point, values[next++]);
    return;
  }
  core::Substitution subst = indices(code, i, j, const_i64(0));
  for (size_t v = 0; v < values.size(); ++v) subst[plan_.accs[v].result] = values[v];
  eval(code, plan_.before, subst);
  eval(code, plan_.after, subst);
  std::vector<Operand> results;
  for (const Operand& result : kernel_.kernel_.pull.body.result)
    results.push_back(look_up(result, subst));
  kernel_.direct_sinks(code, point, results);
}

Operand NestLowering::split(Code& code, Operand& rest, const Operand& size) {
  const Operand quotient = code.binop(BinOpKind::kQuot, rest, size, "q");
  const Operand remainder = code.sub_i64(rest, code.mul_i64(quotient, size));
  rest = quotient;
  return remainder;
}

}  // namespace skald::imp
