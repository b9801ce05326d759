// SPDX-License-Identifier: Apache-2.0
// Sinks of a kernel that do the same with the same values.
//
//   before   let {a, b} = kernel(…, {x, x}, reduce 1 with ⊕, reduce 1 with ⊕)
//   after    let {a} = kernel(…, {x}, reduce 1 with ⊕)                         and b is a
//
// Fusion puts such kernels together: what reverse mode runs again reads the same arrays as what ran
// before.
//
// Tests: tests/golden/passes/simplify/equal_sinks.core
#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

bool gives_values_or_totals(const Kernel& kernel) {
  return kernel.post.empty() && std::ranges::all_of(kernel.sinks, [](const Sink& sink) {
           return (sink.kind == Sink::kOut || sink.kind == Sink::kReduce) && !sink.late;
         });
}

bool is_same(const Sink& a, const Sink& b) {
  if (a.kind != b.kind || a.count != b.count || a.op.size() != b.op.size()) return false;
  return a.op.empty() ||
         (a.op[0].neutral == b.op[0].neutral && a.op[0].commutative == b.op[0].commutative &&
          equal(a.op[0].fn, b.op[0].fn));
}

bool has_own_results(const Stmt& stmt, size_t first, size_t count, const Env& env) {
  for (size_t k = first; k < first + count; ++k)
    if (stmt.pat[k].type.is_array() && env.is_kept_apart(stmt.pat[k].name)) return true;
  return false;
}

}  // namespace

void merge_equal_sinks(Stmt& stmt, Env& env, PassContext& ctx) {
  Kernel* kernel = as<Kernel>(stmt.exp);
  if (kernel == nullptr || !gives_values_or_totals(*kernel)) return;
  const size_t guard = kernel->guarded ? 1 : 0;
  std::vector<size_t> starts = {0};
  for (const Sink& sink : kernel->sinks)
    starts.push_back(starts.back() + static_cast<size_t>(sink.count));
  std::vector<Operand>& values = kernel->pull.body.result;
  for (size_t j = kernel->sinks.size(); j-- > 1;) {
    const auto count = static_cast<size_t>(kernel->sinks[j].count);
    const auto from = [&](auto& list, size_t at) {
      return list.begin() + static_cast<std::ptrdiff_t>(at);
    };
    for (size_t i = 0; i < j; ++i) {
      if (!is_same(kernel->sinks[i], kernel->sinks[j]) ||
          !std::equal(from(values, guard + starts[i]), from(values, guard + starts[i] + count),
                      from(values, guard + starts[j])) ||
          has_own_results(stmt, starts[i], count, env) ||
          has_own_results(stmt, starts[j], count, env))
        continue;
      if (!ctx.may_rewrite("equal-sinks")) return;
      for (size_t k = 0; k < count; ++k)
        env.set_known(stmt.pat[starts[j] + k].name, stmt.pat[starts[i] + k].name);
      const auto erase = [&](auto& list, size_t at) {
        list.erase(from(list, at), from(list, at + count));
      };
      erase(stmt.pat, starts[j]);
      erase(values, guard + starts[j]);
      erase(kernel->pull.results, guard + starts[j]);
      kernel->sinks.erase(from(kernel->sinks, j));
      break;
    }
  }
}

}  // namespace skald::passes::simplify_rules
