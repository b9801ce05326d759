// SPDX-License-Identifier: Apache-2.0
// Functions that stay functions of the host: their calls run side by side (imp/passes/forks.cpp),
// and the kernels of a large call on all threads.
//
//   before   fun qs (n, xs) = body      after   fun qs (n, xs) =
//                                                 if n <= fork_elements
//                                                 then call qs_seq(n, xs)
//                                                 else body
//
// A batch of calls is as fast only if a level of the recursion costs little more than the loops of
// its calls: it gathers arguments, keeps those of all levels, and gives up what the caches hold.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/calls/cut_over.h"
#include "passes/lift/calls/lifted_functions.h"

namespace skald::passes::lift {

using namespace core;

bool LiftedFunctions::is_forked(const std::string& name) const {
  const Function& fn = lifting_.facts.original(name);
  const auto is_array = [](const auto& p) { return p.type.kind == Type::kArray; };
  return !lifting_.ctx.device().own_space && lifting_.facts.is_tree_recursive(name) &&
         lifting_.facts.is_parallel(name) && lifting_.facts.is_linear(fn) &&
         std::ranges::all_of(fn.params, is_array) && std::ranges::all_of(fn.results, is_array) &&
         std::ranges::any_of(fn.params, [](const Param& p) { return !p.type.is_scalar(); });
}

void LiftedFunctions::leave_small_calls_to_a_thread(Function& fn) {
  if (!forked_.contains(fn.name)) return;
  Builder out(lifting_.prog);
  out.set_loc(fn.loc);
  Operand elements = const_i64(0);
  std::vector<Operand> args;
  for (const Param& p : fn.params) {
    args.emplace_back(p.name);
    if (p.type.is_scalar()) continue;
    Operand size = const_i64(1);
    for (const Operand& dim : p.type.shape) size = out.size_mul(size, dim);
    elements = out.size_add(elements, size);
  }
  const Operand at_most = fork_threshold(out, fn);
  const Operand little = out.cmpop(CmpOpKind::kLe, Prim::kI64, elements, at_most, "little");
  Builder thread(lifting_.prog);
  thread.set_loc(fn.loc);
  std::vector<Param> of_thread = result_params(lifting_, fn);
  const std::vector<Param> chosen = result_params(lifting_, fn);
  const auto operands = [](const std::vector<Param>& params) {
    std::vector<Operand> all;
    for (const Param& p : params) all.emplace_back(p.name);
    return all;
  };
  std::vector<Operand> results = operands(of_thread);
  thread.let_pat(std::move(of_thread), Call{sequential_name(fn.name), std::move(args)});
  out.let_pat(chosen, If{little, thread.finish(std::move(results)), std::move(fn.body)});
  fn.body = out.finish(operands(chosen));
}

}  // namespace skald::passes::lift
