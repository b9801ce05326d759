// SPDX-License-Identifier: Apache-2.0
// A histogram joins (rules F1 and F2).
//
//   F1   let {ys} = map(n, {xs}, f)    let {h} = hist(n, {ys}, to [k] {d} with op, g)
//   →    let {h} = hist(n, {xs}, to [k] {d} with op, f g)
//
//   F2   let {h} = hist(n, {xs}, to [k] {d} with op, f)    let {i} = hist(n, {xs}, to [l] {e} with
//   op', g) →    let {h, i} = hist(n, {xs}, to [k] {d} with op, to [l] {e} with op', f g)
//
// Rows that a filter dropped get the index -1, which no histogram has.
#include "passes/fusion/composer.h"

namespace skald::passes::fusion {

using namespace core;

void Composer::add(Stmt& stmt, Hist hist, std::optional<Guard> guard) {
  std::vector<Ret> results = hist.fn.results;
  size_t indices = 0;
  for (const HistOp& op : hist.ops) indices += op.shape.size();
  Applied applied =
      apply(std::move(hist.fn), hist.inputs, guard, [&](size_t k) -> std::optional<Operand> {
        if (k < indices) return Operand{const_i64(-1)};
        return std::nullopt;
      });
  size_t index_at = 0, value_at = indices, pat_at = 0;
  for (HistOp& op : hist.ops) {
    HistPart part;
    for (size_t k = 0; k < op.shape.size(); ++k)
      part.indices.push_back(applied.results[index_at++]);
    for (size_t k = 0; k < op.dests.size(); ++k) {
      part.types.push_back(results[value_at].type);
      part.values.push_back(applied.results[value_at++]);
      part.pat.push_back(std::move(stmt.pat[pat_at++]));
    }
    part.op = std::move(op);
    hists_.push_back(std::move(part));
  }
}

}  // namespace skald::passes::fusion
