// SPDX-License-Identifier: Apache-2.0
// Reductions and scans whose operator works on arrays, inside a batch.
//
//   reduce(k, {xss}, {replicate m 0}, \{as, bs} -> map2 (+) as bs)       of every instance
//   map(m, {transpose xss}, \{column} -> reduce(k, {column}, {0}, (+)))
//
// as in regular nests (flatten/operators.cpp): a point for each column of each instance, however
// many rows and columns it has.
#include "core/ir/visit.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

bool Lifter::lift_operators(Batch& b, const Stmt& stmt, const Soac& soac) {
  const bool nested = b.depth < ctx_.device().lift_depth;
  const auto in_threads = [&](std::string_view why) {
    if (ctx_.explains())
      ctx_.explain(std::string("an operator on arrays runs one thread per instance: ") +
                   std::string(why));
    return false;
  };
  // Columns that differ in length cannot be results of one point each.
  if (!soac.scans.empty() && !nested && !host_operand(b, soac.width))
    return in_threads("it is a scan of a width that differs");
  Stmt copy{stmt.pat, copy_with_fresh_names(stmt.exp, prog_.names), stmt.tokens, {}, stmt.loc};
  Builder code(prog_);
  code.set_loc(stmt.loc);
  std::optional<Stmt> map = split_off_map(prog_, copy);
  const bool split = map.has_value();
  if (split) {
    // What the function of the SOAC makes is stored.
    for (const Ret& ret : as<Soac>(map->exp)->fn.results)
      if (!nested && form_of(b, ret.type) != Form::kRegular)
        return in_threads("its rows are computed, and differ in length");
    code.append(std::move(*map));
  }
  Replicates known = replicates_;
  for (Stmt& part : separate_operators(prog_, std::move(copy), split)) {
    const Soac* one = as<Soac>(part.exp);
    if (one == nullptr || !has_array_operator(*one))
      code.append(std::move(part));
    else if (!interchange_operators(code, part, known))
      return in_threads("it is no map with a replicated neutral element");
  }
  // Statements that lifting refers to must stay where they are.
  std::vector<Operand> results;
  for (const Param& p : stmt.pat) results.emplace_back(p.name);
  synthetic_.push_back({{}, If{const_bool(true), code.finish(std::move(results)), {}}});
  const Body& body = as<If>(synthetic_.back().exp)->then_body;
  note(body);
  for (const Name name : analysis::consumed_names(body, prog_)) consumed_.insert(name);
  lift_body(b, body);
  return true;
}

}  // namespace skald::passes
