// SPDX-License-Identifier: Apache-2.0
// A map that writes to accumulators joins: after maps, beside maps, beside others of its kind.
//
//   before   let {ys} = map(n, {xs}, f)
//            let {r} = with_acc(acc [k] {d}, \{a} -> map(n, {a, ys}, \{b, y} -> g))
//   after    let {r} = with_acc(acc [k] {d}, \{a} -> map(n, {a, xs}, \{b, x} -> f g))
//
//   before   let {r} = with_acc(acc [k] {d}, \{a} -> map(n, {a, xs}, f))
//            let {ys} = map(n, {xs}, g)
//   after    let {r, ys} = with_acc(acc [k] {d}, \{a} -> map(n, {a, xs}, f g))
//
// The maps are merged like any others, and the accumulators are made around the result.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/fusion/compose/composer.h"

namespace skald::passes::fusion {

using namespace core;

// The map inside; its further results go by their names outside.
Stmt Composer::open_accumulators(Stmt stmt) {
  WithAcc with = std::move(*as<WithAcc>(stmt.exp));
  const std::vector<Operand>& results = with.fn.body.result;
  size_t array = 0;
  for (size_t k = 0; k < with.inputs.size(); ++k) {
    Accumulators acc;
    for (size_t a = 0; a < with.inputs[k].arrays.size(); ++a)
      acc.pat.push_back(std::move(stmt.pat[array++]));
    acc.input = std::move(with.inputs[k]);
    acc.param = std::move(with.fn.params[k]);
    acc.written = *as_name(results[k]);
    accs_.push_back(std::move(acc));
  }
  Stmt map = std::move(with.fn.body.stmts[0]);
  for (Param& p : map.pat) {
    const auto at = std::ranges::find(results, Operand{p.name});
    const auto k = static_cast<size_t>(at - results.begin());
    if (k >= with.fn.params.size()) p = std::move(stmt.pat[array + k - with.fn.params.size()]);
  }
  return map;
}

void Composer::wrap_accumulators(Stmt& stmt) {
  WithAcc with;
  Stmt map{{}, std::move(stmt.exp), stmt.tokens, std::move(stmt.hints), stmt.loc};
  stmt.hints = {};
  std::vector<Param> further = std::move(stmt.pat);
  stmt.pat.clear();
  for (Accumulators& acc : accs_) {
    with.fn.results.push_back({{}, acc.param.type});
    with.fn.body.result.emplace_back(acc.written);
    with.fn.params.push_back(std::move(acc.param));
    with.inputs.push_back(std::move(acc.input));
    for (Param& p : acc.pat) stmt.pat.push_back(std::move(p));
  }
  for (Param& p : further) {
    map.pat.push_back(p);
    if (p.type.kind == Type::kAcc) continue;
    map.pat.back().name = prog_.names.fresh_like(p.name);
    with.fn.results.push_back({{}, p.type});
    with.fn.body.result.emplace_back(map.pat.back().name);
    stmt.pat.push_back(std::move(p));
  }
  with.fn.body.stmts.push_back(std::move(map));
  stmt.exp = std::move(with);
}

}  // namespace skald::passes::fusion
