// SPDX-License-Identifier: Apache-2.0
// Reductions and scans whose operator works on arrays, inside a batch.
//
//   reduce(k, {xss}, {replicate m 0}, \{as, bs} -> map2 (+) as bs)       of every instance
//   map(m, {transpose xss}, \{column} -> reduce(k, {column}, {0}, (+)))
//
// as in regular nests (flatten/operators.cpp): a point for each column of each instance, however
// many rows and columns it has.
#include "core/ir/visit.h"
#include "passes/lift/parallel/soacs.h"

namespace skald::passes::lift {

using namespace core;

bool lift_operators(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac) {
  const bool nested = b.depth < lifting.ctx.device().lift_depth;
  const auto in_threads = [&](std::string_view why) {
    if (lifting.ctx.explains())
      lifting.ctx.explain(std::string("an operator on arrays runs one thread per instance: ") +
                          std::string(why));
    return false;
  };
  // Columns that differ in length cannot be results of one point each.
  if (!soac.scans.empty() && !nested && !b.host_operand(soac.width))
    return in_threads("it is a scan of a width that differs");
  Stmt copy{
      stmt.pat, copy_with_fresh_names(stmt.exp, lifting.prog.names), stmt.tokens, {}, stmt.loc};
  Builder code(lifting.prog);
  code.set_loc(stmt.loc);
  std::optional<Stmt> map = split_off_map(lifting.prog, copy);
  const bool split = map.has_value();
  if (split) {
    // What the function of the SOAC makes is stored.
    for (const Ret& ret : as<Soac>(map->exp)->fn.results)
      if (!nested && b.form_of(ret.type) != Form::kRegular)
        return in_threads("its rows are computed, and differ in length");
    code.append(std::move(*map));
  }
  Replicates known = lifting.facts.replicates();
  for (Stmt& part : separate_operators(lifting.prog, std::move(copy), split)) {
    const Soac* one = as<Soac>(part.exp);
    if (one == nullptr || !has_array_operator(*one))
      code.append(std::move(part));
    else if (!interchange_operators(code, part, known))
      return in_threads("it is no map with a replicated neutral element");
  }
  std::vector<Operand> results;
  for (const Param& p : stmt.pat) results.emplace_back(p.name);
  const Body& body = lifting.keep(code.finish(std::move(results)));
  lifting.facts.note(body);
  for (const Name name : analysis::consumed_names(body, lifting.prog))
    lifting.consumed.insert(name);
  lifting.lift_body(b, body);
  return true;
}

}  // namespace skald::passes::lift
