// SPDX-License-Identifier: Apache-2.0
// A map, reduction or scan joins (rules 1, 6 and 9 of the fusion calculus).
//
//   vertical     let {ys} = map(n, {xs}, \{x} -> f in {y})
//                let {s} = soac(n, {ys}, \{z} -> g in {v}, reduce op)
//           →    let {s} = soac(n, {xs}, \{x} -> f g[y/z] in {v}, reduce op)
//
//   horizontal   let {s} = soac(n, {xs}, f, reduce op)    let {t} = soac(n, {xs}, g, reduce op')
//           →    let {s, t} = soac(n, {xs}, f g, reduce op, reduce op')
//
//   after a scan let {ys} = soac(n, {xs}, f, scan op)     let {zs} = map(n, {ys}, g)
//           →    let {zs} = soac(n, {xs}, f, scan op, post g)
#include "core/edit/rename.h"
#include "passes/fusion/composer.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt& stmt, Soac soac, std::optional<Guard> guard) {
  std::vector<Ret> results = soac.fn.results;
  // By result: the neutral element, for those that are reduced.
  std::vector<std::optional<Operand>> neutral(results.size());
  size_t at = 0;
  for (const Operator& op : soac.scans) at += op.neutral.size();
  for (const Operator& op : soac.reduces)
    for (const Operand& ne : op.neutral) neutral[at++] = ne;
  Applied applied =
      apply(std::move(soac.fn), soac.inputs, guard, [&](size_t k) { return neutral[k]; });

  at = 0;
  std::vector<Value> rows;  // what the outputs, or the post-body, are made from
  for (Operator& op : soac.scans) {
    SKALD_CHECK(!guard && applied.phase == Phase::kPre, "a scan where none can be");
    Fold fold;
    for (size_t k = 0; k < op.neutral.size(); ++k, ++at) {
      fold.values.push_back(applied.results[at]);
      fold.types.push_back(results[at].type);
      fold.scanned.push_back(prog_.names.fresh("scanned"));
      rows.push_back({fold.scanned.back(), results[at].type, Phase::kPost});
    }
    fold.op = std::move(op);
    scans_.push_back(std::move(fold));
  }
  size_t pat_at = 0;
  for (Operator& op : soac.reduces) {
    SKALD_CHECK(applied.phase == Phase::kPre, "a reduction of scanned values");
    Fold fold;
    for (size_t k = 0; k < op.neutral.size(); ++k, ++at) {
      fold.values.push_back(applied.results[at]);
      fold.types.push_back(results[at].type);
      fold.pat.push_back(std::move(stmt.pat[pat_at++]));
    }
    fold.op = std::move(op);
    reduces_.push_back(std::move(fold));
  }
  for (; at < applied.results.size(); ++at)
    rows.push_back({applied.results[at], results[at].type, applied.phase});
  for (Lambda& post : soac.post) {
    const Phase phase = soac.scans.empty() ? applied.phase : Phase::kPost;
    Substitution subst;
    for (size_t k = 0; k < rows.size(); ++k) subst.emplace(post.params[k].name, rows[k].operand);
    substitute(post, subst);
    for (Stmt& inner : post.body.stmts) code(phase).push_back(std::move(inner));
    rows.clear();
    for (size_t k = 0; k < post.results.size(); ++k)
      rows.push_back({post.body.result[k], post.results[k].type, phase});
  }
  for (const Value& row : rows) give(stmt.pat[pat_at++], row.operand, row.type, row.phase, guard);
}

}  // namespace skald::passes::fusion
