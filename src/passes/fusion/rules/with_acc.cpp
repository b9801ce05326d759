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
#include "passes/fusion/composer.h"
#include "passes/fusion/hints.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt& stmt, WithAcc with) {
  Stmt& map = with.fn.body.stmts[0];
  for (const Name token : map.tokens)
    if (std::ranges::find(tokens_, token) == tokens_.end()) tokens_.push_back(token);
  join_hints(hints_, map.hints);
  const std::vector<Operand>& results = with.fn.body.result;
  size_t array = 0;
  for (size_t k = 0; k < with.inputs.size(); ++k) {
    AccPart part;
    for (size_t a = 0; a < with.inputs[k].arrays.size(); ++a)
      part.pat.push_back(std::move(stmt.pat[array++]));
    part.input = std::move(with.inputs[k]);
    part.param = std::move(with.fn.params[k]);
    part.written = *as_name(results[k]);
    accs_.push_back(std::move(part));
  }
  // Further results go by their names outside.
  for (Param& p : map.pat) {
    const auto at = std::ranges::find(results, Operand{p.name});
    const auto k = static_cast<size_t>(at - results.begin());
    if (k >= with.fn.params.size()) p = std::move(stmt.pat[array + k - with.fn.params.size()]);
  }
  Soac soac = std::move(*as<Soac>(map.exp));
  add(map, std::move(soac), std::nullopt);
}

void Composer::wrap_accumulators(Stmt& stmt) {
  WithAcc with;
  Stmt map{{}, std::move(stmt.exp), stmt.tokens, std::move(stmt.hints), stmt.loc};
  stmt.hints = {};
  std::vector<Param> further = std::move(stmt.pat);
  stmt.pat.clear();
  for (AccPart& part : accs_) {
    with.fn.results.push_back({{}, part.param.type});
    with.fn.body.result.emplace_back(part.written);
    with.fn.params.push_back(std::move(part.param));
    with.inputs.push_back(std::move(part.input));
    for (Param& p : part.pat) stmt.pat.push_back(std::move(p));
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
